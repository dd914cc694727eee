package stdio_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestSignalDuringTheStart: a process can ignore SIGTERM only after it has started, which
// takes some time.
func TestSignalDuringTheStart(t *testing.T) {
	t.Parallel()
	local := inprocess.Server(&fault.Fault{Stdio: fault.Stdio{IgnoreEOF: true, IgnoreTerm: true}})
	serve := local.Serve
	local.Handler = nil
	local.Serve = func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
		select {
		case <-term:
			return 143
		case <-time.After(3 * time.Second):
		}
		return serve(ctx, term, in, out, errw)
	}
	cfg := config.Default()
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
	report := proof.Judged(t, plan.Plan{
		Config: cfg, Local: local,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "stdio/exit-on-sigterm" },
	})
	for _, f := range report.Findings {
		if f.Status != reports.Warn {
			t.Errorf("got %s %v, want warn", f.Status, f.Reason)
		}
	}
}
