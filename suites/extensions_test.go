package suites_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Each extension of the reference server keeps its rules by itself, and none of
// them is judged where the server does not offer it. With -times every revision is
// judged, the first three times by every suite.
func TestExtensionsAlone(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"none"}, server.Extensions()...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := range *times {
				judgeAlone(t, name, n)
			}
		})
	}
}

func judgeAlone(t *testing.T, name string, n int) {
	local := inprocess.Offering()
	if name != "none" {
		local = inprocess.Offering(name)
	}
	plan := suites.Plan{Config: reference(t), Local: local, Seed: uint64(n)}
	plan.Config.Revisions.All = *times > 1
	if *times == 1 {
		plan.Config.Transport = config.HTTP // extensions have cases about its headers, and none about stdio
	}
	plan.Selected = func(s suite.Suite, c suite.Case) bool {
		if c.ID == "tools/access-control" && name != "permissions" {
			return false // roles.denied is about what that extension holds back
		}
		return (*times > 1 && n < 3 || strings.HasPrefix(s.Name, "ext-")) && c.Lane != suite.Waits
	}
	report := proof.Judge(t, plan)
	all := suites.All()
	passed, plain := 0, 0
	for _, f := range report.Findings {
		i := slices.IndexFunc(all, func(s suite.Suite) bool { return s.Name == f.Suite })
		extension := all[i].Extension
		own := extension.Name == name || slices.ContainsFunc(extension.ImpliedBy, func(by suite.Extension) bool { return by.Name == name })
		always := extension.Name == "" // it holds with extensions and without
		switch {
		case f.Status == reports.Pass && own:
			passed++
		case always && f.Status == reports.Pass:
			plain++
		case f.Status == reports.Skip && f.Reason.Kind != reports.Undecided &&
			(own || f.Reason.Kind == reports.NotClaimed || always && f.Reason.Kind != reports.Blocked):
		default:
			t.Errorf("%s at %s over %s: %s %s %+v", f.Case, f.Revision, f.Transport, f.Status, f.Problem, f.Reason)
		}
	}
	if plain == 0 {
		t.Error("nothing was found out about extensions that the server lacks")
	}
	if (passed > 0) != (name != "none") {
		t.Errorf("%d cases passed: %s", passed, strings.TrimSpace(report.Verdict.Text))
	}
}
