package transactions_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	reference "github.com/mcp-conform/mcp-conform/reference-server/ext/transactions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// What takes five minutes is no fault of selftest: here a clock of our own runs.
func TestDefaultTimeout(t *testing.T) {
	t.Parallel()
	const id = "ext-transactions/timeout-default"
	for name, row := range map[string]struct {
		faults reference.Switches
		wait   config.Wait
		want   reports.Status
		told   string
	}{
		"ends after 300 s":             {wait: config.Wait{Max: 305 * time.Second}, want: reports.Pass},
		"ends after 300 s, a long TTL": {wait: config.Wait{Max: time.Hour, DefaultTTL: 20 * time.Minute}, want: reports.Pass},
		"nobody waits so long": {
			reference.Switches{LongDefault: true}, config.Wait{Max: 304 * time.Second}, reports.Pass, "where wait.max is 305s at least",
		},
		"open after 305 s": {
			reference.Switches{LongDefault: true}, config.Wait{Max: 305 * time.Second}, reports.Fail, "after 305s without a step",
		},
		"ends, and what it did stays": {
			reference.Switches{HandleDropped: true}, config.Wait{Max: 305 * time.Second}, reports.Fail, "after 305s without a step",
		},
		"open for less than a second": {
			reference.Switches{BriefDefault: true}, config.Wait{Max: 305 * time.Second}, reports.Fail, "since no timeout was asked for",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := proof.Config(t)
			cfg.Revisions.Dates, cfg.Transport = []string{string(requirements.R20251125)}, config.Stdio
			cfg.Wait.Max = row.wait.Max
			cfg.Wait.DefaultTTL = max(cfg.Wait.DefaultTTL, row.wait.DefaultTTL)
			report := proof.Judged(t, plan.Plan{
				Config: cfg, Local: inprocess.Server(&fault.Fault{Ext: row.faults}), Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == id },
			})
			at := slices.IndexFunc(report.Findings, func(f reports.Finding) bool { return f.Case == id })
			if at < 0 {
				t.Fatal("nothing was judged")
			}
			f := report.Findings[at]
			if told := f.Problem + strings.Join(f.Notes, " "); f.Status != row.want || !strings.Contains(told, row.told) {
				t.Errorf("%s %s %+v, want %s with %q", f.Status, told, f.Reason, row.want, row.told)
			}
		})
	}
}
