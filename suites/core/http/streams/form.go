package streams

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func formCases() []suite.Case {
	return []suite.Case{{
		ID:     "http/stream-wellformed",
		Title:  "an event stream is made of complete events, with one message each",
		Checks: []requirements.ID{"http-sse-wellformed"},
		Needs:  httpNeeds(),
		Fix:    "write each message as lines that begin with data:, and a blank line behind it, before the stream is closed",
		Watch:  watching(wellformed),
	}}
}

// wellformed passes over comments, empty events, and events of other types, which are not
// messages.
func wellformed(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	if s.SSE == nil || s.Truncated || s.Unread() != "" {
		return probe.Nothing()
	}
	if s.Kind == frame.KindEvent {
		return loose(x, s)
	}
	switch m := s.Message(); {
	case s.SSE.Event != "" && s.SSE.Event != "message":
		return probe.Nothing()
	case m.Class == frame.NotJSON:
		return x.Evidence(s).Violation("the data of an event is not JSON, want one JSON-RPC message").Opinion()
	case m.Class == frame.NotAMessage:
		return x.Evidence(s).Violation("the data of an event is %s, want one JSON-RPC message", probe.Show(m.Value)).Opinion()
	case m.Class == frame.Batch:
		return probe.Nothing() // another case judges which revisions have arrays
	}
	return probe.Kept()
}

// loose judges oddities that a parser of events skips, although a message may be lost
// with them.
func loose(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	cut := slices.Contains(s.Framing, frame.OddNoBlankLine)
	bare := slices.ContainsFunc(s.SSE.Lines, func(line string) bool { return strings.HasPrefix(line, "{") })
	switch {
	case bare:
		return x.Evidence(s).Violation("a line of the event stream is bare JSON, want it behind data:").Opinion()
	case cut && strings.Join(s.SSE.Data, "") != "":
		return x.Evidence(s).Violation("the stream ends within an event, which readers ignore then, want a blank line behind it").Opinion()
	}
	return probe.Nothing()
}
