package progress_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// limits.progress-rate says what a flood of progress is. Within the test all progress of
// one call comes at once.
func TestRateOfAFlood(t *testing.T) {
	t.Parallel()
	const id = "progress/no-flood"
	for rate, want := range map[int]reports.Status{config.Default().Limits.ProgressRate: reports.Pass, 2: reports.Warn} {
		cfg, local := proof.Config(t), inprocess.Server(nil)
		local.Handler = nil
		cfg.Revisions.Dates, cfg.Limits.ProgressRate = []string{"2025-11-25"}, rate
		report := proof.Judged(t, plan.Plan{Config: cfg, Local: local, Selected: func(_ suite.Suite, c suite.Case) bool {
			return slices.Contains([]string{id, "progress/token-string"}, c.ID)
		}})
		at := slices.IndexFunc(report.Findings, func(f reports.Finding) bool { return f.Case == id })
		if at < 0 || report.Findings[at].Status != want {
			t.Errorf("%d a second: %v, want %s", rate, report.Findings[max(0, at)], want)
		}
	}
}
