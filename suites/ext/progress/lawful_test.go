package progress_test

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-progress", []lawful.Row{
		{Name: "claims progress, with no tool to show it", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:progress_notifications"), Tools: fakeserver.Tools(2),
		}},
		{Name: "the whole is unknown", Config: "roles: {progress-tool: {tool: tool_0, arguments: {text: kit}}}",
			Over: requirements.Stdio, Server: &fakeserver.Server{
				Capabilities: fakeserver.Offers("tools", "ext:progress_notifications"), Tools: fakeserver.Tools(2),
				Stdio: fakeserver.Stdio{Line: counting(0, 0, 0)},
			}},
		{Name: "finds more work on the way", Config: "roles: {progress-tool: {tool: tool_0, arguments: {text: kit}}}",
			Over: requirements.Stdio, Server: &fakeserver.Server{
				Capabilities: fakeserver.Offers("tools", "ext:progress_notifications"), Tools: fakeserver.Tools(2),
				Stdio: fakeserver.Stdio{Line: counting(2, 8, 20)},
			}},
	})
}

// A server without sessions cannot know what a client declared in its handshake, and so
// may leave out what an extension sends only to those that declare it.
func TestExtensionsWithoutSessions(t *testing.T) {
	t.Parallel()
	cfg := proof.Config(t)
	cfg.Revisions = config.Revisions{Dates: []string{"2025-11-25"}}
	cfg.Transport = config.HTTP
	plain := fault.Fault{
		HTTP: fault.HTTP{Sessionless: true},
		Notify: func(_ fault.Exchange, m fault.Message) {
			if m["method"] == "notifications/progress" {
				delete(m.Object("params"), "_meta")
			}
		},
	}
	report := proof.Judge(t, plan.Plan{Config: cfg, Local: inprocess.Server(&plain), Seed: 1, Timeout: 20 * time.Second})
	lawful.NothingSaid(t, report)
}

// counting reports a record for each total to each call that asks for progress: one thing
// more is done, of so many; 0: nobody knows of how many. It leaves out what is optional.
func counting(totals ...int) func(line []byte, out io.Writer) bool {
	return func(line []byte, out io.Writer) bool {
		var call struct {
			Method string
			Params struct {
				Meta struct {
					ProgressToken json.RawMessage
					Operation     string `json:"operation_id"`
				} `json:"_meta"`
			}
		}
		token := &call.Params.Meta.ProgressToken
		if json.Unmarshal(line, &call) != nil || call.Method != "tools/call" || *token == nil {
			return false
		}
		operation := cmp.Or(call.Params.Meta.Operation, rand.Text())
		for i, total := range totals {
			record := map[string]any{"type": "progress", "operation_id": operation, "message": "further"}
			params := map[string]any{"progressToken": *token, "progress": i + 1, "_meta": record}
			if total > 0 {
				params["total"], record["progress"] = total, float64(i+1)/float64(total)
			}
			text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
			_, _ = fmt.Fprintf(out, "%s\n", text)
		}
		return false
	}
}
