package proof

import (
	"slices"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/judge"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Config is the configuration of the reference server.
func Config(t testing.TB) config.Config {
	t.Helper()
	cfg, err := inprocess.Config(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// Judged carries out a plan for a page. It ends the test where the server could
// not be judged.
func Judged(t *testing.T, p plan.Plan) reports.Report {
	t.Helper()
	p.Seed, p.Timeout = 1, 20*time.Second
	report := Judge(t, p)
	if report.Verdict.Status == reports.Unjudged {
		t.Fatal(report.Verdict.Text)
	}
	return report
}

// Found carries out a plan with one case, and returns the first finding of the case. It ends
// the test where there is none.
func Found(t *testing.T, p plan.Plan, id string) reports.Finding {
	t.Helper()
	p.Selected = func(_ suite.Suite, c suite.Case) bool { return c.ID == id }
	report := Judged(t, p)
	at := slices.IndexFunc(report.Findings, func(f reports.Finding) bool { return f.Case == id })
	if at < 0 {
		t.Fatalf("%s was not judged", id)
	}
	return report.Findings[at]
}

// Judge carries out a plan, in a bubble where the server is within the test. An
// error ends the test.
func Judge(t *testing.T, p plan.Plan) (report reports.Report) {
	t.Helper()
	carry := func(t *testing.T) {
		t.Helper()
		var err error
		if report, err = judge.Judge(t.Context(), p, nil); err != nil {
			t.Fatal(err)
		}
	}
	rig := plan.RigOf(p.Local)
	if p.Local == nil || rig.Everywhere {
		carry(t)
		return report
	}
	rig.Within = true
	p.Local = plan.Rigged(*p.Local, rig)
	bubble.Run(t, carry)
	return report
}
