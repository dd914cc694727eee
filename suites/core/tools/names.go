package tools

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// nameCases judge the names in the list. They pass over names that are not strings, which
// the schema cases judge.
func nameCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/name-length",
			Title:  "names of tools have 1 to 128 characters",
			Checks: []requirements.ID{"tools-name-length"},
			Needs:  declared(),
			Fix:    "shorten the name of the tool to 128 characters at most, and leave none empty",
			Run:    probe.EachItem(protocol.Tools(), nameLength),
		},
		{
			ID:     "tools/name-characters",
			Title:  "names of tools consist of ASCII letters, digits, underscore, hyphen and dot",
			Checks: []requirements.ID{"tools-name-charset"},
			Needs:  declared(),
			Fix:    "replace other characters in names of tools by underscores, and put the readable name into title",
			Run:    probe.EachItem(protocol.Tools(), nameCharacters),
		},
		{
			ID:     "tools/name-case",
			Title:  "tool names are case-sensitive",
			Checks: []requirements.ID{"tools-name-case-sensitive"},
			Needs:  []suite.Need{suite.Role(readOnly)},
			Fix:    "look tools up by their exact names",
			Run:    nameCase,
		},
	}
}

func nameLength(_ *probe.Client, t probe.Item) probe.Opinion {
	if !t.Keyed {
		return probe.Nothing()
	}
	if n := utf8.RuneCountInString(t.Key); n < 1 || n > 128 {
		return probe.Breaks("%s has %d characters, want 1 to 128", t.Where("name"), n)
	}
	return probe.Kept()
}

func nameCharacters(_ *probe.Client, t probe.Item) probe.Opinion {
	if t.Key == "" {
		return probe.Nothing()
	}
	var odd []string
	for _, r := range t.Key {
		if !plain(r) && !strings.Contains(strings.Join(odd, ""), string(r)) {
			odd = append(odd, string(r))
		}
	}
	if len(odd) > 0 {
		return probe.Breaks("%s has %s, want ASCII letters, digits, underscore, hyphen and dot only",
			t.Where("name"), probe.Show(strings.Join(odd, "")))
	}
	return probe.Kept()
}

func plain(r rune) bool {
	if (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') || r == '_' || r == '-' || r == '.' {
		return true
	}
	return false
}

// nameCase uses a read-only tool, so no harm is done if the server finds it.
func nameCase(c *probe.Client) error {
	tools := usable(c)
	call := c.Role(readOnly).Call()
	other := swapCase(call.Tool)
	_, there := tools.Find(other)
	c.NotSeenIf(there || other == call.Tool, "every name that differs from this one in letter case only is that of a tool")
	// A server that ignores letter case may run either tool.
	c.NotSeenIf(slices.ContainsFunc(tools.All, func(t probe.Item) bool { return t.Key != call.Tool && strings.EqualFold(t.Key, other) }),
		"another tool has this name in other letters")
	known := c.CallTool(call, nil)
	c.NotSeenIf(!known.Succeeded(), "the tool does not succeed under its own name either")
	call.Tool = other
	reply := c.CallTool(call, nil)
	if !reply.Refused() && !reply.ErrorFlag() {
		unknown := "no_such_tool_" + c.Nonce()
		unknownReply := c.Call("tools/call", probe.Object{"name": unknown, "arguments": probe.Object{}})
		c.NotSeenIf(strings.ReplaceAll(unknownReply.Outcome(), unknown, other) == reply.Outcome(),
			"the server answers like that whatever name it does not know, which tools/unknown-name judges")
		return reply.Violation("%s, want the error for a tool that does not exist", reply.AnswerTo("a call of "+probe.Show(other)))
	}
	return nil
}

// swapCase swaps the case of ASCII letters; the case of other letters depends on the
// language.
func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, s)
}
