package specs

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A case that was asked for by name, and does not exist in the column, is yielded with the
// reason. The book itself stays as it was, since other runs use it.
func TestBook(t *testing.T) {
	t.Parallel()
	rules, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	checks := []requirements.ID{"ping-empty-result"}
	b := NewBook([]suite.Suite{{Name: "ping", Cases: []suite.Case{
		{ID: "ping/here", Checks: checks},
		{ID: "ping/later", Checks: checks, Revisions: []requirements.Revision{requirements.R20251125}},
	}}}, rules)
	col := requirements.Column{Revision: requirements.R20241105, Transport: requirements.Stdio}
	for _, row := range []struct {
		named []string
		want  map[string]bool // whether the case is missing
	}{
		{nil, map[string]bool{"ping/here": false}},
		{[]string{"ping/later"}, map[string]bool{"ping/here": false, "ping/later": true}},
		{nil, map[string]bool{"ping/here": false}},
	} {
		got := map[string]bool{}
		for s := range b.Of(plan.Plan{Named: row.named}, col) {
			if got[s.Case.ID] = s.Missing != nil; s.Column != col {
				t.Errorf("%s is in %v", s.Case.ID, s.Column)
			}
		}
		if len(got) != len(row.want) || b.Count(col, row.named) != len(row.want) {
			t.Errorf("named %v: got %v of %d", row.named, got, b.Count(col, row.named))
		}
		for id, missing := range row.want {
			if is, ok := got[id]; !ok || is != missing {
				t.Errorf("named %v: %s is missing: %t, want %t", row.named, id, is, missing)
			}
		}
	}
}
