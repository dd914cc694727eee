package faults_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestFaultsAreWellFormed(t *testing.T) {
	t.Parallel()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	kebab := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)
	// Words that authors of servers do not use, or not in this sense.
	odd := regexp.MustCompile(`\b(is a text|is no|goes on|passed over|met with|as ever|in good order|was begun|members?)\b`)
	seen := map[string]bool{}
	for _, f := range faults.All() {
		switch {
		case !kebab.MatchString(f.Name):
			t.Errorf("%q is not kebab-case", f.Name)
		case seen[f.Name]:
			t.Errorf("%s is there twice", f.Name)
		case f.Title == "" || strings.HasSuffix(f.Title, ".") || strings.ToLower(f.Title[:1]) != f.Title[:1]:
			t.Errorf("%s: the title is %q", f.Name, f.Title)
		case odd.MatchString(f.Title):
			t.Errorf("%s: the title %q has odd words: %v", f.Name, f.Title, odd.FindAllString(f.Title, -1))
		}
		seen[f.Name] = true
		rule, known := catalogue.Find(f.Breaks)
		if !known {
			t.Errorf("%s breaks %s, which is no requirement", f.Name, f.Breaks)
			continue
		}
		for _, column := range f.In {
			if clause, holds := rule.At(column.Revision); !holds || !clause.On(column.Transport) {
				t.Errorf("%s: %s does not hold at %s over %s", f.Name, f.Breaks, column.Revision, column.Transport)
			}
		}
	}
}

// Find finds the first and the last fault of each area: each search builds the areas
// anew, so that a search for every fault would take seconds.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, area := range faults.Areas() {
		all := area.All()
		if len(all) == 0 {
			continue // TestAreas says so
		}
		for _, f := range []fault.Fault{all[0], all[len(all)-1]} {
			if got, found := faults.Find(f.Name); !found || got.Name != f.Name || got.Title != f.Title {
				t.Errorf("%s is not found by its name", f.Name)
			}
		}
	}
	if _, found := faults.Find("none"); found {
		t.Error("a fault is found that is not there")
	}
}

func TestAreas(t *testing.T) {
	t.Parallel()
	for _, area := range faults.Areas() {
		if len(faults.Of(area.Name)) == 0 {
			t.Errorf("%s has no faults", area.Name)
		}
	}
	if faults.Of("none") != nil {
		t.Error("an area has faults that is not there")
	}
}
