package suites_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func cases() map[string]suite.Case {
	all := map[string]suite.Case{}
	for _, s := range suites.All() {
		for _, c := range s.Cases {
			all[c.ID] = c
		}
	}
	return all
}

// Three tables must agree: requirements, cases, faults.
func TestTablesAgree(t *testing.T) {
	catalogue, err := suites.Catalogue(suites.All())
	if err != nil {
		t.Fatal(err)
	}
	checked := map[requirements.ID][]string{}
	for id, c := range cases() {
		for _, r := range c.Checks {
			checked[r] = append(checked[r], id)
			if _, ok := catalogue.Find(r); !ok {
				t.Errorf("%s checks %s, which is no requirement", id, r)
			}
		}
	}
	for _, r := range catalogue.All() {
		switch by := checked[r.ID]; {
		case len(by) == 0 && r.Unchecked == "":
			t.Errorf("no case checks %s, and its row does not say why", r.ID)
		case len(by) > 0 && r.Unchecked != "":
			t.Errorf("%v check %s, whose row says it is unchecked: %s", by, r.ID, r.Unchecked)
		}
	}
	known := cases()
	names := map[string]bool{}
	all := suites.All()
	for _, f := range faults.All() {
		if names[f.Name] {
			t.Errorf("two faults are called %s", f.Name)
		}
		names[f.Name] = true
		rule, ok := catalogue.Find(f.Breaks)
		if !ok {
			t.Errorf("%s breaks %s, which is no requirement", f.Name, f.Breaks)
		}
		kills := selftest.Subject{Breaks: f.Breaks, Kills: f.Kills}.Must(all)
		if len(kills) == 0 {
			t.Errorf("%s kills nothing", f.Name)
		}
		for _, id := range slices.Concat(kills, f.May) {
			if _, ok := known[id]; !ok {
				t.Errorf("%s names %s, which is no case", f.Name, id)
			}
		}
		for _, col := range f.In {
			if _, ok := rule.At(col.Revision); !ok {
				t.Errorf("%s runs at %s, where its rule does not hold", f.Name, col.Revision)
			}
		}
	}
}

// The kit's own suites pass the check of all suites: among other things every
// word of every need is known, since a misspelt one would be "not seen" for
// ever. In addition a stranger must be able to understand the kit's cases in a
// list.
func TestDeclarations(t *testing.T) {
	if err := suites.Check(suites.All()...); err != nil {
		t.Error(err)
	}
	for _, s := range suites.All() {
		for _, c := range s.Cases {
			for what, text := range map[string]string{"title": c.Title, "fix": c.Fix} {
				if strings.HasSuffix(text, ".") || strings.Contains(text, "\n") {
					t.Errorf("%s: the %s ends with a full stop: %q", c.ID, what, text)
				}
			}
			if c.Watch != nil && c.Sees == "" {
				t.Errorf("%s: Sees does not say what the watcher judges", c.ID)
			}
			if strings.Contains(c.Title, "should") || c.Title != "" && unicode.IsUpper(rune(c.Title[0])) && !acronym(c.Title) {
				t.Errorf("%s: the title says what a server does, in lower case: %q", c.ID, c.Title)
			}
		}
	}
}

// Each suite is an area of the catalogue, which names the grade that the suite
// counts for.
func TestSuitesAreAreas(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	areas := catalogue.Areas()
	for _, s := range suites.All() {
		i := slices.IndexFunc(areas, func(a requirements.Area) bool { return a.Name == s.Name })
		if i < 0 {
			t.Errorf("the catalogue has no area %s", s.Name)
			continue
		}
		if core := !strings.HasPrefix(s.Name, "ext-"); core != (areas[i].Grade != "") {
			t.Errorf("%s counts for the grade %q", s.Name, areas[i].Grade)
		}
	}
}

// acronym reports whether a title begins with a name in capitals.
func acronym(title string) bool {
	word, _, _ := strings.Cut(title, " ")
	return len(word) > 1 && strings.ToUpper(word) == word
}
