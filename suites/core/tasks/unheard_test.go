package tasks_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A server that acknowledges no task of a subscription will not tell of it: the case does not
// wait for the end of the task.
func TestTasksOfWhichNobodyIsTold(t *testing.T) {
	t.Parallel()
	const id = "tasks/ext-notification"
	cfg, local := proof.Config(t), inprocess.Server(&fault.Fault{
		Notify: fault.Drop("notifications/subscriptions/acknowledged", "/params/notifications/taskIds"),
	})
	local.Handler = nil
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
	f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, id)
	if f.Status != reports.Skip || !strings.Contains(f.Reason.Text, "does not acknowledge") {
		t.Errorf("%s %+v %q, want it to be skipped for want of an acknowledgement", f.Status, f.Reason, f.Problem)
	}
}
