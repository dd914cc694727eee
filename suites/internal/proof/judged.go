package proof

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

// Config is what the reference server comes with.
func Config(t testing.TB) config.Config {
	t.Helper()
	cfg, err := inprocess.Config(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// Judged carries out a plan for a page. A server that could not be judged ends the test.
func Judged(t *testing.T, p suites.Plan) reports.Report {
	t.Helper()
	p.Seed, p.Timeout = 1, 20*time.Second
	report := Judge(t, p)
	if report.Verdict.Status == reports.Unjudged {
		t.Fatal(report.Verdict.Text)
	}
	return report
}

// Judge is suites.Judge, in a bubble where the server is within the test. An error ends
// the test.
func Judge(t *testing.T, p suites.Plan) (report reports.Report) {
	t.Helper()
	judge := func(t *testing.T) {
		t.Helper()
		var err error
		if report, err = suites.Judge(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if p.Local == nil || p.Local.Everywhere {
		judge(t)
		return report
	}
	local := *p.Local
	local.Within, p.Local = true, &local
	bubble.Run(t, judge)
	return report
}
