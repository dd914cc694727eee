package tasks_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	role "github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// An observation may see the effects of all tasks: that of a second task is not taken for one of the
// task that was cancelled.
func TestObservationSeesAllTasks(t *testing.T) {
	t.Parallel()
	const id = "tasks/cancel-stops-work"
	all := inprocess.Subjects()
	servers := map[reports.Status]*plan.Local{reports.Pass: inprocess.Server(nil)}
	for _, s := range all {
		if s.Name == "tasks-cancel-in-name" {
			servers[reports.Warn] = s.Local
		}
	}
	for want, server := range servers {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			cfg, label := proof.Config(t), map[string]any{"label": "all"}
			cfg.Roles = role.NewSet(role.Known(), role.Filled{Name: role.TaskTool, Source: role.Config, Fields: role.Fields{
				"tool":    "weigh_crane",
				"slow":    role.Fields{"tool": "slow_compute", "arguments": map[string]any{"label": "all", "seconds": 1}},
				"observe": role.Fields{"tool": "count_computed", "arguments": label, "mode": "count"},
			}})
			cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{string(requirements.R20251125)}}, config.Stdio
			report := proof.Judge(t, plan.Plan{
				Config: cfg, Local: server, Seed: 1, Timeout: 20 * time.Second,
				Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == id },
			})
			if len(report.Findings) != 1 || report.Findings[0].Status != want {
				t.Errorf("got %+v, want %s", report.Findings, want)
			}
		})
	}
}
