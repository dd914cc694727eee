package idempotency_test

import (
	"testing"

	reference "github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestKeyDemanded: a server that refuses every call without a key has one finding, and what
// it does with keys is judged as that of any other server.
func TestKeyDemanded(t *testing.T) {
	t.Parallel()
	judged := func(demanded bool) map[string]reports.Status {
		cfg := proof.Config(t)
		cfg.Revisions.Dates, cfg.Transport = []string{string(requirements.R20251125)}, config.Stdio
		report := proof.Judged(t, plan.Plan{
			Config: cfg, Suites: []suite.Suite{idempotency.Suite()},
			Local: inprocess.Server(&fault.Fault{Ext: reference.Switches{KeyDemanded: demanded}}),
		})
		all := map[string]reports.Status{}
		for _, f := range report.Findings {
			all[f.Case] = f.Status
		}
		return all
	}
	usual, demanding := judged(false), judged(true)
	for id, want := range usual {
		if id == "ext-idempotency/optional" {
			want = reports.Fail
		}
		if got := demanding[id]; got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}
