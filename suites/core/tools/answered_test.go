package tools_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// A tool that stays silent beside one that answers may just be slow.
func TestCallAnswered(t *testing.T) {
	t.Parallel()
	both := []string{"tool_0", "tool_1"}
	for _, row := range []struct {
		name    string
		silent  []string
		reports bool // progress, where the client gives a token
		want    string
	}{
		{"all tools answer", nil, false, "pass"},
		{"the first tool is slow", both[:1], false, "undecided"},
		{"no tool answers", both, false, "fail"},
		{"no tool answers, and they report progress", both, true, "undecided"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{
				Capabilities: map[string]any{"tools": map[string]any{}},
				Tools:        []map[string]any{fakeserver.Tool("tool_0", true), fakeserver.Tool("tool_1", true)},
				Stdio: fakeserver.Stdio{Line: func(line []byte, out io.Writer) bool {
					var r fakeserver.Request
					name := ""
					if json.Unmarshal(line, &r) == nil {
						name, _ = r.Params["name"].(string)
					}
					meta, _ := r.Params["_meta"].(map[string]any)
					if token, given := meta["progressToken"].(string); given && row.reports {
						_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%q,"progress":1}}`+"\n", token)
					}
					return slices.Contains(row.silent, name)
				}},
			}
			f := judged(t, server, "tools/call-answered")
			got := string(f.Status)
			if f.Reason != nil {
				got = string(f.Reason.Kind)
			}
			if got != row.want {
				t.Errorf("got %s, want %s: %s %v", got, row.want, f.Problem, f.Reason)
			}
		})
	}
}
