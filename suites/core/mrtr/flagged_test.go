package mrtr_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// A server that asks again and sets isError as well is told of that flag, not that it should
// ask.
func TestAsksWithErrorFlag(t *testing.T) {
	t.Parallel()
	const id, says = "mrtr/answers-missing", "asks again and has isError true as well, want the question alone"
	slip := &fault.Fault{Name: "flagged", Reply: func(x fault.Exchange, m fault.Message) {
		empty := strings.Contains(string(x.Params), `"inputResponses":{}`)
		if result, ok := m.Result(); ok && empty && result["resultType"] == "input_required" {
			result["isError"] = true
		}
	}}
	cfg, local := proof.Config(t), inprocess.Server(slip)
	local.Handler = nil
	cfg.Revisions = config.Revisions{Dates: []string{"2026-07-28"}}
	f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, id)
	if f.Status != reports.Fail && f.Status != reports.Warn || !strings.Contains(f.Problem, says) {
		t.Errorf("%s %q %v, want in it %q", f.Status, f.Problem, f.Reason, says)
	}
}
