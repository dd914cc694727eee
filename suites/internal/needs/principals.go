package needs

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// principal is the name of the principal that the path of a role names, and how the server
// treats it. Both are empty for other roles.
func (g Ground) principal(path string) (name string, t probe.Treatment) {
	role, name, _ := strings.Cut(path, ".")
	if roles.Name(role) != roles.Principals || g.Survey == nil {
		return "", t
	}
	return name, g.Survey.Principals[name]
}

// notAccepted says that the server does not know a principal by its credentials.
func (g Ground) notAccepted(name string, t probe.Treatment) string {
	whose := "its credentials"
	if place := g.Given.PlaceOf(name); place != "" {
		whose = "the credentials at " + place
	}
	if !t.AnonymousRefused {
		return fmt.Sprintf("%s are not accepted: %s with them is refused (%s), and is served without any", whose, t.Method, t.Outcome)
	}
	return fmt.Sprintf("%s make no difference: %s with them is refused (%s), as it is without any", whose, t.Method, t.Outcome)
}

// Notes are what discovery has to say of a case: on each principal that it relies on and whose
// credentials change nothing that the kit has seen, and, on the case that proves that the read-only
// tool is answered, why that is not the first tool.
func (g Ground) Notes(of *suite.Case) []string {
	notes := g.vain(of.Needs)
	if g.Chosen != "" && slices.ContainsFunc(of.Proves, func(n suite.Need) bool { return n.Asks(roles.ReadOnlyTool) }) {
		notes = append(notes, g.Chosen)
	}
	return notes
}

// vain tells of the principals. Whoever needs another principal relies on the first one, too.
func (g Ground) vain(needs []suite.Need) []string {
	var notes []string
	for _, need := range needs {
		for _, word := range need.Any {
			name, _ := g.principal(word.Value)
			if word.Kind != suite.RoleKind || name == "" {
				continue
			}
			for _, one := range []string{"first", name} {
				if text := g.alike(one); text != "" && !slices.Contains(notes, text) {
					notes = append(notes, text)
				}
			}
		}
	}
	return notes
}

// alike says that the credentials of a principal change nothing that the kit has seen.
func (g Ground) alike(name string) string {
	t := g.Survey.Principals[name]
	if !t.Alike {
		return ""
	}
	at := g.Given.PlaceOf(name)
	if at != "" {
		at = " at " + at
	}
	return fmt.Sprintf("the credentials of principals.%s%s make no difference to %s: its result is the same without any", name, at, t.Method)
}

// Principals lists the principals of a configuration that the cases need.
func Principals(cases iter.Seq[specs.Spec], given roles.Set) []string {
	var names []string
	for s := range cases {
		for _, need := range s.Case.Needs {
			for _, word := range need.Any {
				name, ok := strings.CutPrefix(word.Value, string(roles.Principals)+".")
				if ok && word.Kind == suite.RoleKind && slices.Contains([]string{"first", "second", "limited"}, name) && given.Has(word.Value) {
					names = append(names, name, "first")
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// CallsTools reports whether one of the cases may call the read-only tool, or watches calls: again
// has to come to the same tool for each of them.
func CallsTools(cases iter.Seq[specs.Spec]) bool {
	tools := suite.Capability("tools").Any[0]
	for s := range cases {
		if s.Case.Watch != nil || slices.ContainsFunc(s.Case.Needs, func(n suite.Need) bool {
			return n.Asks(roles.ReadOnlyTool) || slices.Contains(n.Any, tools)
		}) {
			return true
		}
	}
	return false
}
