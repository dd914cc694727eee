package discover

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Lend completes the surveys of one server at several revisions: a tool that has no
// annotations at one of them, as in 2024-11-05, has those that it has at the others.
func Lend(surveys []*probe.Survey) {
	for _, s := range surveys {
		s.Tools = make([]any, 0, len(s.Lists[protocol.Tools().Method]))
		for _, item := range s.Lists[protocol.Tools().Method] {
			s.Tools = append(s.Tools, lent(object(item), surveys))
		}
		s.Safe = ReadOnly(s.Tools)
	}
}

// lent is a tool with the annotations that the same tool has elsewhere: it has the same
// schema there, and says the same wherever it says something.
func lent(tool map[string]any, surveys []*probe.Survey) map[string]any {
	if _, own := tool["annotations"]; own {
		return tool
	}
	found := any(nil)
	for _, s := range surveys {
		for _, item := range s.Lists[protocol.Tools().Method] {
			other := object(item)
			says, annotated := other["annotations"]
			switch {
			case other["name"] != tool["name"] || !annotated:
			case !probe.Same(other["inputSchema"], tool["inputSchema"]), found != nil && !probe.Same(found, says):
				return tool
			default:
				found = says
			}
		}
	}
	if found == nil {
		return tool
	}
	return probe.Object(tool).With("annotations", found)
}

// tools are the listed tools of a survey, with what Lend has added.
func tools(s *probe.Survey) []any {
	if s.Tools != nil {
		return s.Tools
	}
	return s.Lists[protocol.Tools().Method]
}
