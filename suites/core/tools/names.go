package tools

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// nameCases judge the names in the list. Names that are no strings break the
// schema and are judged there.
func nameCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/names-unique",
			Title:  "no two tools have the same name",
			Checks: []requirements.ID{"tools-name-unique", "tools-name-unique-legacy"},
			Needs:  declared(),
			Fix:    "give each tool a name of its own, over all pages: put where they come from in front of names that clash",
			Run:    namesUnique,
		},
		{
			ID:     "tools/name-length",
			Title:  "names of tools have 1 to 128 characters",
			Checks: []requirements.ID{"tools-name-length"},
			Needs:  declared(),
			Fix:    "shorten the name of the tool to 128 characters at most, and leave none empty",
			Run:    each(nameLength),
		},
		{
			ID:     "tools/name-characters",
			Title:  "names of tools consist of ASCII letters, digits, underscore, hyphen and dot",
			Checks: []requirements.ID{"tools-name-charset"},
			Needs:  declared(),
			Fix:    "replace other characters in names of tools by underscores, and put the readable name into title",
			Run:    each(nameCharacters),
		},
		{
			ID:     "tools/name-case",
			Title:  "a tool is not found under its name in other letter case",
			Checks: []requirements.ID{"tools-name-case-sensitive"},
			Needs:  []suite.Need{suite.Role(readOnly)},
			Fix:    "look tools up by their exact names",
			Run:    nameCase,
		},
	}
}

func namesUnique(ctx context.Context, c *probe.Client) error {
	tools, err := list(ctx, c)
	if err != nil {
		return err
	}
	first := map[string]tool{}
	var problems []string
	var frames []frame.Frame
	for _, t := range tools {
		name, ok := t.name()
		if !ok {
			continue
		}
		before, twice := first[name]
		if !twice {
			first[name] = t
			continue
		}
		if problems = append(problems, fmt.Sprintf("%s is %s again, want a name that no other tool has", t.at("name"), probe.Show(name))); len(problems) == 1 {
			frames = append(before.page.Evidence(), t.page.Evidence()...)
		}
	}
	if len(problems) > 0 {
		return probe.Broken(frames, "%s", some(problems))
	}
	return nil
}

func nameLength(_ *probe.Client, t tool) (judged bool, problem string, err error) {
	name, ok := t.name()
	if !ok {
		return false, "", nil
	}
	if n := utf8.RuneCountInString(name); n < 1 || n > 128 {
		return true, fmt.Sprintf("%s has %d characters, want 1 to 128", t.at("name"), n), nil
	}
	return true, "", nil
}

func nameCharacters(_ *probe.Client, t tool) (judged bool, problem string, err error) {
	name, ok := t.name()
	if !ok || name == "" {
		return false, "", nil
	}
	var odd []string
	for _, r := range name {
		if !plain(r) && !strings.Contains(strings.Join(odd, ""), string(r)) {
			odd = append(odd, string(r))
		}
	}
	if len(odd) > 0 {
		return true, fmt.Sprintf("%s has %s, want ASCII letters, digits, underscore, hyphen and dot only", t.at("name"), probe.Show(strings.Join(odd, ""))), nil
	}
	return true, "", nil
}

func plain(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
		return true
	}
	return false
}

// The tool is safe to call, so nothing happens if it is found after all.
func nameCase(ctx context.Context, c *probe.Client) error {
	tools, err := list(ctx, c)
	if err != nil {
		return err
	}
	call, err := c.Role(readOnly).Call()
	if err != nil {
		return err
	}
	other := swapCase(call.Tool)
	if _, there := find(tools, other); there || other == call.Tool {
		return probe.NotSeen("there is no name that differs in letter case only and that no tool has")
	}
	known, err := c.CallTool(ctx, call, nil)
	if err != nil {
		return err
	}
	if _, ok := known.Result(); !ok || known.ErrorFlag() {
		return probe.NotSeen("the tool does not succeed under its own name either")
	}
	call.Tool = other
	reply, err := c.CallTool(ctx, call, nil)
	if err != nil {
		return err
	}
	if !reply.Refused() && !reply.ErrorFlag() {
		return reply.Violation("the answer to a call of %s is %s, want the error for a tool that does not exist", probe.Show(other), reply.Outcome())
	}
	return nil
}

// find looks a tool up by name.
func find(tools []tool, name string) (tool, bool) {
	for _, t := range tools {
		if n, ok := t.name(); ok && n == name {
			return t, true
		}
	}
	return tool{}, false
}

// swapCase turns ASCII letters around; what other letters do depends on the
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
