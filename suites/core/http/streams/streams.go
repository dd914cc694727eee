// Package streams holds the cases of event streams: the streams that answer requests, the
// stream that GET opens, and how streams continue after a lost connection.
package streams

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases returns the cases of these sections, in their order.
func Cases() []suite.Case {
	return slices.Concat(formCases(), answerCases(), trafficCases(), parallelCases(), broadcastCases(), listenCases(), idCases(), resumeCases())
}

// httpNeeds are the needs of the cases here.
func httpNeeds(and ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Over(requirements.HTTP)}, and...)
}

// watching makes watchers that judge each exchange after each of its frames.
func watching(judge func(*exchanges.Exchange, probe.Seen) probe.Opinion) func() probe.Watcher {
	return func() probe.Watcher {
		return probe.WatchFunc(func(s *probe.WatchedFrame) probe.Opinion {
			_, x := exchanges.Of(s)
			if x == nil || s.Dir == frame.Sent || !x.Streams() {
				return probe.Nothing()
			}
			return judge(x, s.Seen)
		})
	}
}

// ended reports whether the exchange ended without an error.
func ended(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.End != nil && s.End.Err == "" }

// responses returns the responses in a frame that the server sent.
func responses(s probe.Seen) []frame.Message {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(probe.Singles(s.Message())), func(m frame.Message) bool {
		return m.Class != frame.Result && m.Class != frame.Error || !m.HasID || m.ID == "null"
	})
}

// responds reports whether a frame contains a response.
func responds(s probe.Seen) bool { return len(responses(s)) > 0 }
