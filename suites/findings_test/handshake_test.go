package findings_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// One slip gives one finding in what is said with a handshake only: requests of the server,
// tasks in tools/call, and subscriptions by resources/subscribe.
func TestOneSlipIsOneFindingWithAHandshake(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name          string
		reply, notify fault.Change
		reach         lawful.Selection // nil: what lawful.Contents selects
		want          string
	}{
		{name: "a task that is null", reply: fault.On("tools/call").And(asksForTask).Result(func(result fault.Message) {
			result["task"] = nil
		}), want: "tasks/create-result"},
		{name: "arrays in place of results of calls", reply: fault.On("tools/call").Change(emptied), want: "jsonrpc/result-is-object"},
		{name: "results of calls without content", reply: fault.Drop("tools/call", "/result/content"), want: "tools/call-result"},
		{name: "an empty object in place of results of calls", reply: fault.OnResult("tools/call", func(result fault.Message) {
			if _, task := result["task"]; !task {
				clear(result)
			}
		}), want: "tools/call-result"},
		{name: "results of tasks without content", reply: fault.Drop("tasks/result", "/result/content"), want: "tasks/result-of-finished"},
		{name: "content of results of tasks without a type", reply: fault.Drop("tasks/result", "/result/content/*/type"),
			want: "tasks/result-of-finished"},
		{name: "metadata of results of tasks that is null", reply: fault.Set("tasks/result", "/result/_meta", nil), want: "meta/object"},
		{name: "errors of calls without a message", reply: fault.Drop("tools/call", "/error/message"), want: "jsonrpc/error-shape"},
		{name: "listed tasks without an id", reply: fault.Drop("tasks/list", "/result/tasks/*/taskId"), want: "tasks/id-string"},
		{name: "a cursor of tasks that is null", reply: fault.Set("tasks/list", "/result/nextCursor", nil),
			want: "pagination/next-cursor-string"},
		{name: "arrays in place of records of tasks", reply: fault.On("tasks/get").Change(emptied), want: "jsonrpc/result-is-object"},
		{name: "records of tasks without an id", reply: fault.Drop("tasks/get", "/result/taskId"), want: "tasks/id-string"},
		{name: "records of tasks with a message that is null", reply: fault.OnResult("tasks/get", func(result fault.Message) {
			if _, given := result["statusMessage"]; given {
				result["statusMessage"] = nil
			}
		}), want: "tasks/record-schema"},
		{name: "cancelled tasks without a status", reply: fault.Drop("tasks/cancel", "/result/status"), reach: lawful.WithoutLoad,
			want: "tasks/valid-transitions"},
		{name: "results of tasks that say with a word whether they are errors", reply: fault.Set("tasks/result", "/result/isError", "yes"),
			want: "tasks/result-of-finished"},
		{name: "progress under another token", notify: fault.Set("notifications/progress", "/params/progressToken", "none"), reach: lawful.WithoutLoad,
			want: "progress/known-token"},
		{name: "progress without a token", notify: fault.Drop("notifications/progress", "/params/progressToken"), reach: lawful.WithoutLoad,
			want: "progress/schema"},
		{name: "records of tasks as a property", reply: fault.OnResult("tasks/get", func(result fault.Message) {
			record := fault.Message{"task": maps.Clone(map[string]any(result))}
			result.Become(record)
		}), want: "tasks/record-schema"},
		{name: "records of tasks without a status", reply: fault.Drop("tasks/get", "/result/status"), want: "tasks/valid-transitions"},
		{name: "no capabilities", reply: fault.Drop("initialize", "/result/capabilities"), reach: lawful.Prompt,
			want: "lifecycle/init-response"},
		{name: "tasks that are an array", reply: fault.Set("initialize", "/result/capabilities/tasks", []any{}), reach: lawful.Prompt,
			want: "tasks/capability-shape"},
		{name: "requests as tasks that are null", reply: fault.Set("initialize", "/result/capabilities/tasks/requests", nil),
			reach: lawful.Prompt, want: "tasks/capability-shape"},
		{name: "a list of tasks that is declared as null", reply: fault.Set("initialize", "/result/capabilities/tasks/list", nil),
			reach: lawful.Prompt, want: "tasks/capability-shape"},
		{name: "tasks that are null", reply: fault.Set("initialize", "/result/capabilities/tasks", nil), reach: lawful.Prompt,
			want: "lifecycle/capability-shapes"},
		{name: "structured content that is null", reply: fault.OnResult("tools/call", func(result fault.Message) {
			if _, given := result["structuredContent"]; given {
				result["structuredContent"] = nil
			}
		}), want: "tools/structured-content-object"},
		{name: "the end of an elicitation without params", notify: fault.Drop("notifications/elicitation/complete", "/params"),
			want: "elicitation/completion-id"},
		{name: "failures of tools without isError", reply: fault.Drop("tools/call", "/result/isError"), want: "tools/failure-flagged"},
		{name: "tools that are empty objects", reply: fault.OnResult("tools/list", func(result fault.Message) {
			items, _ := result["tools"].([]fault.Message)
			result["tools"] = slices.Repeat([]any{map[string]any{}}, len(items))
		}), want: "tools/list-schema"},
		{name: "results of tools without the id of the call",
			notify: fault.Drop("sampling/createMessage", "/params/messages/*/content/*/toolUseId"), want: "schema/messages-valid"},
		{name: "tool calls without an id", notify: fault.Drop("sampling/createMessage", "/params/messages/*/content/*/id"),
			want: "schema/messages-valid"},
		{name: "content of sampling messages that is null", notify: fault.Told("sampling/createMessage", nullBlocks),
			want: "schema/messages-valid"},
		{name: "arrays in place of the contents of resources", reply: fault.On("resources/read").Change(emptied),
			want: "jsonrpc/result-is-object"},
		{name: "notifications without a method", notify: fault.Drop("notifications/progress", "/method"), want: "stdio/stdout-messages-only"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg := proof.Config(t)
			local := inprocess.Server(&fault.Fault{Without: server.Extensions(), Reply: row.reply, Notify: row.notify})
			local.Handler = nil
			cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
			cfg.Wait.Event = 300 * time.Millisecond
			reach := row.reach
			if reach == nil {
				reach = lawful.Contents
			}
			report := proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second, Selected: reach})
			if diff := cmp.Diff([]string{row.want}, blamed(report)); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}

func asksForTask(x fault.Exchange) bool { return x.Param("task") != nil }

// emptied writes an array in place of a result.
func emptied(_ fault.Exchange, m fault.Message) {
	if _, ok := m.Result(); ok {
		m["result"] = []any{}
	}
}

// nullBlocks writes null in place of each block where the content of a message is an array.
func nullBlocks(_ fault.Exchange, params fault.Message) {
	raw, _ := json.Marshal(params["messages"])
	var messages []map[string]any
	_ = json.Unmarshal(raw, &messages)
	for _, m := range messages {
		if blocks, array := m["content"].([]any); array {
			m["content"] = make([]any, len(blocks))
		}
	}
	params["messages"] = messages
}
