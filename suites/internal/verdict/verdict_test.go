package verdict

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A rule that another page checks on its way does not make its area judged, or the
// grade would say more than was looked at.
func TestAreaIsJudgedByItsOwnSuite(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	checks := []requirements.ID{"lifecycle-no-connection-context", "meta-object-required"}
	s := Sum{Book: specs.NewBook([]suite.Suite{{Name: "lifecycle", Cases: []suite.Case{{ID: "lifecycle/c", Checks: checks}}}}, catalogue)}
	at := reports.Place{Revision: requirements.R20260728, Transport: requirements.Stdio}
	for area, want := range map[string]bool{"lifecycle": false, "meta": true} {
		unjudged := slices.ContainsFunc(s.scope(Column{Place: at, Survey: &probe.Survey{}}).Unjudged, func(a requirements.Area) bool { return a.Name == area })
		if unjudged != want {
			t.Errorf("%s is unjudged: %t, want %t", area, unjudged, want)
		}
	}
}
