package main

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

// A selection that leaves no case out is none: a run of it has a grade.
func TestSelectionOfAll(t *testing.T) {
	t.Parallel()
	l, err := openLibrary()
	if err != nil {
		t.Fatal(err)
	}
	all := suites.All()
	for name, row := range map[string]struct {
		flags  selectionFlags
		picked bool
	}{
		"nothing":              {selectionFlags{}, false},
		"all cases":            {selectionFlags{cases: []string{"*"}}, false},
		"all cases, in two":    {selectionFlags{cases: []string{"ext-*", "*"}}, false},
		"all suites":           {selectionFlags{suites: []string{"*"}}, false},
		"all suites by name":   {selectionFlags{suites: suiteNames(all)}, false},
		"the lowest level":     {selectionFlags{level: choice{value: "SHOULD"}}, false},
		"some cases":           {selectionFlags{cases: []string{"ext-*"}}, true},
		"some suites":          {selectionFlags{suites: []string{"ext-*"}}, true},
		"all cases of a suite": {selectionFlags{suites: []string{"ping"}, cases: []string{"*"}}, true},
		"a level":              {selectionFlags{level: choice{value: "MUST"}}, true},
	} {
		pick, err := row.flags.pick(all, l.rules, config.Revisions{})
		if err != nil || (pick != nil) != row.picked {
			t.Errorf("%s: a selection %t, error %v", name, pick != nil, err)
		}
	}
	for _, wrong := range []selectionFlags{{suites: []string{"pi??s"}}, {cases: []string{"ping/no-such-*"}}} {
		if _, err := wrong.pick(all, l.rules, config.Revisions{}); err == nil {
			t.Errorf("%v matches something", wrong)
		}
	}
}
