package tools_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestHintsOfAnotherRevision: 2024-11-05 has no annotations. A tool that says at a later
// revision that it is read-only is called there too.
func TestHintsOfAnotherRevision(t *testing.T) {
	t.Parallel()
	for dates, want := range map[string]reports.Status{"": reports.Pass, "2024-11-05": reports.Skip} {
		cfg := config.Default()
		cfg.Transport, cfg.Revisions = config.Stdio, config.Revisions{All: true}
		if dates != "" {
			cfg.Revisions = config.Revisions{Dates: []string{dates}}
		}
		report := proof.Judged(t, plan.Plan{Config: cfg, Local: inprocess.Server(nil), Selected: func(_ suite.Suite, c suite.Case) bool {
			return c.ID == "tools/read-only-tools-answer"
		}})
		seen := false
		for _, f := range report.Findings {
			if f.Revision == "2024-11-05" {
				seen = true
				if f.Status != want {
					t.Errorf("of %q: %s %v, want %s", dates, f.Status, f.Reason, want)
				}
			}
		}
		if !seen {
			t.Errorf("of %q: 2024-11-05 was not judged", dates)
		}
	}
}
