package tasks_test

import (
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// TestForeignTaskOnLaterPage: a list that shows everybody's tasks is long, and the task of another
// client need not be on its first page.
func TestForeignTaskOnLaterPage(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse(config.FileName, []byte("roles: {task-tool: {tool: haul}}"), func(string) (string, bool) { return "", false },
		config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	made := []any{}
	server := hauling{}.server()
	server.HTTP.Sessions = true
	server.Capabilities["tasks"].(map[string]any)["list"] = map[string]any{}
	call := server.Answer["tools/call"]
	server.Answer["tools/call"] = func(r fakeserver.Request) any {
		answer := call(r)
		if result, ok := answer.(map[string]any); ok && result["task"] != nil {
			mu.Lock()
			defer mu.Unlock()
			made = append(made, result["task"])
		}
		return answer
	}
	server.Answer["tasks/list"] = func(r fakeserver.Request) any {
		if r.Params["cursor"] == nil {
			return map[string]any{"tasks": []any{}, "nextCursor": "second"}
		}
		mu.Lock()
		defer mu.Unlock()
		return map[string]any{"tasks": append([]any{}, made...)}
	}
	f := proof.Found(t, plan.Plan{Config: cfg, Local: &plan.Local{Handler: server.Handler()}}, "tasks/no-list-without-identity")
	if f.Status != reports.Warn {
		t.Errorf("%s %q %v, want a warning", f.Status, f.Problem, f.Reason)
	}
}
