package progress_test

import (
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// The tool that reports progress takes its time. The cases about tokens call it once with each
// token, however many workers there are.
func TestTokensAreTriedOnce(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	local := inprocess.Server(&fault.Fault{Inbound: fault.On("tools/call").Verdict(func(x fault.Exchange) fault.Verdict {
		if meta, _ := x.Param("_meta").(map[string]any); meta["progressToken"] == "" {
			calls.Add(1)
		}
		return fault.Verdict{}
	})})
	local.Handler = nil
	cfg := proof.Config(t)
	cfg.Revisions.Dates = []string{"2025-11-25"}
	proof.Judged(t, plan.Plan{Config: cfg, Local: local, Jobs: 8, Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "progress" }})
	if n := calls.Load(); n != 1 {
		t.Errorf("the empty token is tried %d times, want once", n)
	}
}
