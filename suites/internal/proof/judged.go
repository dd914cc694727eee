package proof

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

// Config is what the reference server comes with.
func Config(t *testing.T) config.Config {
	t.Helper()
	cfg, err := inprocess.Config(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// Judged carries a plan out. A server that could not be judged ends the test.
func Judged(t *testing.T, p suites.Plan) reports.Report {
	t.Helper()
	p.Seed, p.Timeout = 1, 20*time.Second
	report, err := suites.Judge(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if report.Verdict.Status == reports.Unjudged {
		t.Fatal(report.Verdict.Text)
	}
	return report
}
