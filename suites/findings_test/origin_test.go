package findings_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// The status 403 is asked for from 2025-11-25 on, by a rule of its own: that a foreign origin
// is served is said without it.
func TestForeignOriginNamesNoStatus(t *testing.T) {
	t.Parallel()
	for _, at := range []requirements.Revision{requirements.R20250326, requirements.R20250618, requirements.R20251125, requirements.R20260728} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			local := inprocess.Server(&fault.Fault{Skip: []fault.Check{fault.CheckOrigin}})
			cfg := config.Default()
			cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{string(at)}}, config.HTTP
			report := proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Selected: func(_ suite.Suite, c suite.Case) bool {
				return c.ID == "http/origin-foreign"
			}})
			for _, f := range report.Findings {
				if f.Status != reports.Warn || strings.Contains(f.Problem, "403") || !strings.Contains(f.Problem, "is served, want it rejected") {
					t.Errorf("%s: %s", f.Status, f.Problem)
				}
			}
			if len(report.Findings) != 1 {
				t.Errorf("%d findings, want 1", len(report.Findings))
			}
		})
	}
}
