package discover

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Lend completes the surveys of one server at several revisions: a tool that has no
// annotations at one of them, as in 2024-11-05, has those that it has at the others.
func Lend(surveys []*probe.Survey) {
	known := annotations(surveys)
	for _, s := range surveys {
		s.Tools = make([]any, 0, len(s.Lists[protocol.Tools().Method]))
		for _, item := range s.Lists[protocol.Tools().Method] {
			tool := probe.ObjectOf(item)
			name := probe.TextOf(tool["name"])
			_, own := tool["annotations"]
			if like := known[name]; !own && like != nil && probe.Same(like["inputSchema"], tool["inputSchema"]) {
				tool = probe.Object(tool).With("annotations", like["annotations"])
			}
			s.Tools = append(s.Tools, tool)
		}
		s.Safe = ReadOnly(s.Tools)
	}
}

// annotations are the tools that have some, by name: one of each name that stands for the
// same tool, with the same annotations, wherever it is listed with any. A name that one
// list has twice stands for several tools.
func annotations(surveys []*probe.Survey) map[string]map[string]any {
	known := map[string]map[string]any{}
	for _, s := range surveys {
		listed := map[string]bool{}
		for _, item := range s.Lists[protocol.Tools().Method] {
			tool := probe.ObjectOf(item)
			name := probe.TextOf(tool["name"])
			like, met := known[name]
			_, annotated := tool["annotations"]
			switch {
			case listed[name], annotated && like != nil && !alike(like, tool):
				known[name] = nil
			case annotated && !met:
				known[name] = tool
			}
			listed[name] = true
		}
	}
	return known
}

func alike(a, b map[string]any) bool {
	return probe.Same(a["inputSchema"], b["inputSchema"]) && probe.Same(a["annotations"], b["annotations"])
}

// tools are the listed tools of a survey, with what Lend has added.
func tools(s *probe.Survey) []any {
	if s.Tools != nil {
		return s.Tools
	}
	return s.Lists[protocol.Tools().Method]
}
