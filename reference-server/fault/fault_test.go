package fault_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestFaultsAreWellFormed(t *testing.T) {
	t.Parallel()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	kebab := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)
	seen := map[string]bool{}
	for _, f := range fault.All() {
		switch {
		case !kebab.MatchString(f.Name):
			t.Errorf("%q is not kebab-case", f.Name)
		case seen[f.Name]:
			t.Errorf("%s is there twice", f.Name)
		case f.Title == "" || strings.HasSuffix(f.Title, ".") || strings.ToLower(f.Title[:1]) != f.Title[:1]:
			t.Errorf("%s: the title is %q", f.Name, f.Title)
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
		if got, found := fault.Find(f.Name); !found || got.Title != f.Title {
			t.Errorf("%s is not found by its name", f.Name)
		}
	}
	if _, found := fault.Find("none"); found {
		t.Error("a fault is found that is not there")
	}
}

func TestNoFaultSkipsNothing(t *testing.T) {
	t.Parallel()
	var none *fault.Fault
	if none.Skips(fault.CheckCursor) {
		t.Error("no fault skips a check")
	}
	one := &fault.Fault{Skip: []fault.Check{fault.CheckOrigin}}
	if !one.Skips(fault.CheckOrigin) || one.Skips(fault.CheckCursor) {
		t.Error("a fault skips other checks than its own")
	}
}
