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

// A task whose tool fails may end with an error that is made up for it. Where the call without a
// task ends with an error of JSON-RPC as well, that is the outcome of the tool.
func TestInventedErrors(t *testing.T) {
	t.Parallel()
	const id = "tasks/ext-tool-error-completed"
	const text = "roles: {task-tool: {tool: weigh_crane, failing: {tool: weigh_crane}}}"
	failed := fault.OnResult("tasks/get", func(result fault.Message) {
		if result["status"] == "completed" {
			delete(result, "result")
			result["status"], result["error"] = "failed", map[string]any{"code": -32603, "message": "the crane is away"}
		}
	})
	for _, row := range []struct {
		name  string
		plain fault.Change
		want  reports.Status
		says  string
	}{
		{"a result marked as an error", func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && x.Tool() == "weigh_crane" && result["taskId"] == nil {
				result["isError"] = true
			}
		}, reports.Warn, `$.result.status is "failed" with an error`},
		{"an error of JSON-RPC", func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && x.Tool() == "weigh_crane" && result["taskId"] == nil {
				m.Become(x.Refusal(-32603, "the crane is away"))
			}
		}, reports.Skip, "ends with a JSON-RPC error"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Parse("mcp-conform.yaml", []byte(text), func(string) (string, bool) { return "", false }, config.Known{})
			if err != nil {
				t.Fatal(err)
			}
			local := inprocess.Server(&fault.Fault{Name: "invented", Reply: fault.Changes(failed, row.plain)})
			local.Handler = nil
			cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
			f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, id)
			why := f.Problem
			if f.Reason != nil {
				why = f.Reason.Text
			}
			if f.Status != row.want || !strings.Contains(why, row.says) {
				t.Errorf("%s %q, want %s and in it %q", f.Status, why, row.want, row.says)
			}
		})
	}
}
