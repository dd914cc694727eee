package discover

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// outcome describes the reply. It adds the first line of a body that is not MCP, which
// usually says what is wrong.
func outcome(reply *probe.Reply) string {
	said := reply.Outcome() + reply.LastWords()
	frames := reply.Evidence()
	if reply.Answered() || reply.Status() < 400 || len(frames) == 0 || strings.Contains(said, notJSON) {
		return said
	}
	if last := frames[len(frames)-1]; last.Dir == frame.Received && (last.Kind == frame.KindBody || last.Kind == frame.KindMessage) {
		line, _, _ := strings.Cut(strings.TrimSpace(last.Payload()), "\n")
		if line != "" && !strings.HasPrefix(line, "<") {
			cut, _ := excerpt.Middle(line, 160)
			said += ": " + cut
		}
	}
	return said
}

// unended is what the first process of the round left without a line break, once it has ended.
func (r round) unended() string {
	for _, a := range r {
		if a.on.control != nil && probe.Unended(a.on.control) != "" {
			return probe.Unended(a.on.control)
		}
	}
	return ""
}
