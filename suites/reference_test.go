package suites_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

var times = flag.Int("times", 1, "judge the reference server so often; after the third time without the cases that wait")

// The reference server keeps every rule, in every column, with any cases side by
// side. One job at a time, and with -short, the test uses only the newest revision
// with a handshake and the one without.
//
// Otherwise every case judges every revision over one transport, and the cases about
// carriage also judge the others. TestGinkgo judges the newest revision over HTTP.
// With -times every case judges every column.
func TestReferenceServer(t *testing.T) {
	t.Parallel()
	const first, march, june, newest, stateless = requirements.R20241105, requirements.R20250326, requirements.R20250618, requirements.R20251125, requirements.R20260728
	type part struct {
		selected  lawful.Selection
		revisions []requirements.Revision
	}
	all := func(at ...requirements.Revision) part { return part{lawful.Everything, at} }
	rest := func(at ...requirements.Revision) part { return part{lawful.Carriage, at} }
	once := map[int]map[config.Transport][]part{
		1: {config.Stdio: {all(newest)}, config.HTTP: {all(stateless)}},
		16: {
			config.Stdio: {all(first, june, stateless), rest(march, newest)},
			config.HTTP:  {all(march, newest), rest(first, june)},
			config.SSE:   {all(first), rest(march, june, newest)},
		},
	}
	for _, jobs := range []int{1, 16} {
		t.Run(fmt.Sprintf("%d jobs", jobs), func(t *testing.T) {
			t.Parallel()
			for n := range *times {
				switch {
				case testing.Short():
					judgeReference(t, n, jobs, config.Auto, lawful.WithoutLoad, newest, stateless)
				case *times > 1 && jobs == 1:
					judgeReference(t, n, jobs, config.Auto, lawful.Everything, newest, stateless)
				case *times > 1:
					judgeReference(t, n, jobs, config.Auto, lawful.Everything, requirements.Revisions()...)
					judgeReference(t, n, jobs, config.SSE, lawful.Everything, protocol.Handshake()...)
				default:
					for over, parts := range once[jobs] {
						t.Run(string(over), func(t *testing.T) {
							t.Parallel()
							for _, p := range parts {
								judgeReference(t, n, jobs, over, p.selected, p.revisions...)
							}
						})
					}
				}
			}
		})
	}
}

// In its auth mode the reference server also keeps the rules of authorization,
// and lets every holder of a token use everything else.
func TestReferenceServerGuarded(t *testing.T) {
	t.Parallel()
	cfg := proof.Config(t)
	cfg.Revisions.All = true
	// Rules that do not depend on tokens are judged without them at every revision.
	plan := suites.Plan{
		Config: cfg, Local: inprocess.Guarded(nil), Seed: 1, Jobs: 8, Timeout: 20 * time.Second,
		Selected: func(s suite.Suite, c suite.Case) bool {
			return lawful.WithoutLoad(s, c) && (c.Access || s.Name == "authorization" || s.Name == "http" || s.Name == "lifecycle" || s.Name == "ext-permissions")
		},
	}
	newest := plan
	newest.Local = inprocess.Guarded(nil)
	newest.Config.Revisions, newest.Selected = config.Revisions{Dates: []string{string(requirements.R20251125)}}, lawful.WithoutLoad
	var report, whole reports.Report
	t.Run("judged", func(t *testing.T) {
		t.Run("access", func(t *testing.T) {
			t.Parallel()
			report = proof.Judge(t, plan)
		})
		t.Run("everything", func(t *testing.T) {
			t.Parallel()
			whole = proof.Judge(t, newest)
		})
	})
	if got := len(report.Verdict.Columns); got != 5 {
		t.Errorf("%d columns were judged, want 5 revisions over HTTP: %s", got, report.Verdict.Text)
	}
	report.Findings = append(report.Findings, whole.Findings...)
	passed := map[string]bool{}
	for _, f := range report.Findings {
		switch {
		case f.Status == reports.Pass:
			passed[f.Case] = true
		case f.Status != reports.Skip:
			t.Errorf("%s %s at %s: %s %v", f.Status, f.Case, f.Revision, f.Problem, f.Frames)
		case f.Reason.Kind == reports.Blocked || f.Reason.Kind == reports.Undecided:
			t.Errorf("%s at %s is %s: %s", f.Case, f.Revision, f.Reason.Kind, f.Reason.Text)
		}
	}
	for _, s := range suites.All() {
		for _, c := range s.Cases {
			if c.Access && !passed[c.ID] && c.ID != "authorization/own-default-endpoints" {
				t.Errorf("%s passed at no revision", c.ID) // its metadata names the endpoints
			}
		}
	}
}

func judgeReference(t *testing.T, n, jobs int, over config.Transport, selected lawful.Selection, at ...requirements.Revision) {
	cfg := proof.Config(t)
	columns := len(at)
	if cfg.Transport = over; over == config.Auto {
		columns *= 2
	}
	for _, r := range at {
		cfg.Revisions.Dates = append(cfg.Revisions.Dates, string(r))
	}
	plan := suites.Plan{Config: cfg, Local: inprocess.Server(nil), Seed: uint64(n*100 + jobs), Jobs: jobs, Timeout: 20 * time.Second, Selected: selected}
	if n >= 3 {
		plan.Selected = func(_ suite.Suite, c suite.Case) bool { return c.Lane != suite.Waits }
	}
	report := proof.Judge(t, plan)
	if got := len(report.Verdict.Columns); got != columns {
		t.Errorf("with %d jobs %d columns were judged, want %d: %s", jobs, got, columns, report.Verdict.Text)
	}
	for _, f := range report.Findings {
		switch f.Status {
		case reports.Fail, reports.Warn, reports.Error:
			t.Errorf("with %d jobs: %s %s at %s over %s: %s %v", jobs, f.Status, f.Case, f.Revision, f.Transport, f.Problem, f.Frames)
		case reports.Skip:
			if f.Reason.Kind == reports.Undecided || f.Reason.Kind == reports.Blocked {
				t.Errorf("with %d jobs: %s at %s over %s is %s: %s", jobs, f.Case, f.Revision, f.Transport, f.Reason.Kind, f.Reason.Text)
			}
		case reports.Pass:
		}
	}
}
