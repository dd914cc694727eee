package mrtr_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// An operation that asks more often than limits.rounds allows is not judged.
func TestRoundsAreLimited(t *testing.T) {
	t.Parallel()
	for rounds, want := range map[int]reports.Status{1: reports.Skip, 2: reports.Pass} {
		cfg, local := proof.Config(t), inprocess.Server(nil)
		local.Handler = nil
		cfg.Revisions.Dates, cfg.Limits.Rounds = []string{"2026-07-28"}, rounds
		f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, "mrtr/retry-completes-tool")
		if f.Status != want || want == reports.Skip && !strings.HasSuffix(f.Reason.Text, "as often as limits.rounds allows") {
			t.Errorf("%d rounds: %s %s %v, want %s", rounds, f.Status, f.Problem, f.Reason, want)
		}
	}
}
