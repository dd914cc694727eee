// Package streams holds the cases of event streams: those that answer requests, the one
// that GET opens, and what becomes of them when a connection is lost.
package streams

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases are those of these sections, in their order.
func Cases() []suite.Case {
	return slices.Concat(formCases(), answerCases(), trafficCases(), broadcastCases(), listenCases(), idCases(), resumeCases())
}

// over is what the cases need.
func over(and ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Over(requirements.HTTP)}, and...)
}

// watching makes watchers of a judge of what is known of an exchange after each frame.
func watching(judge func(*exchanges.Exchange, probe.Seen) probe.Opinion) func() probe.Watcher {
	return func() probe.Watcher {
		return probe.WatchFunc(func(s *probe.Sight) probe.Opinion {
			_, x := exchanges.Of(s)
			if x == nil || s.Dir == frame.Sent || !x.Streams() {
				return probe.Nothing()
			}
			return judge(x, s.Seen)
		})
	}
}

// ended reports whether the exchange ended in good order.
func ended(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.End != nil && s.End.Err == "" }

// responses are those in a frame that the server sent.
func responses(s probe.Seen) []frame.Message {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(probe.Singles(s.Message())), func(m frame.Message) bool {
		return m.Class != frame.Result && m.Class != frame.Error || !m.HasID || m.ID == "null"
	})
}

// responds reports whether a response stands in the frame.
func responds(s probe.Seen) bool { return len(responses(s)) > 0 }
