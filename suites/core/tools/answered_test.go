package tools_test

import (
	"encoding/json"
	"io"
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// A tool that stays silent beside one that answers may just be slow.
func TestCallAnswered(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		silent []string
		want   string
	}{
		{"all tools answer", nil, "pass"},
		{"the first tool is slow", []string{"tool_0"}, "undecided"},
		{"no tool answers", []string{"tool_0", "tool_1"}, "fail"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{
				Capabilities: map[string]any{"tools": map[string]any{}},
				Tools:        []map[string]any{fakeserver.Tool("tool_0", true), fakeserver.Tool("tool_1", true)},
				Stdio: fakeserver.Stdio{Line: func(line []byte, _ io.Writer) bool {
					var r fakeserver.Request
					name := ""
					if json.Unmarshal(line, &r) == nil {
						name, _ = r.Params["name"].(string)
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
