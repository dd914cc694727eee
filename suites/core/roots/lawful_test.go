package roots_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	asks := []map[string]any{fakeserver.Tool("test_list_roots", true)}
	lawful.Servers(t, "roots", []lawful.Row{
		{
			Name:   "no tool asks at all",
			Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: asks},
			Config: "roles: {client-request: {roots: {tool: test_list_roots, arguments: {text: a}, " +
				"file: {tool: test_list_roots, argument: text}}}}",
		},
	})
}

// TestUnusualHabits: roots/list may have params, a tool may show no roots, and a file that is
// missing may be an answer without an error.
func TestUnusualHabits(t *testing.T) {
	meta := func(_ fault.Exchange, m fault.Message) {
		if m["method"] == "roots/list" {
			m["params"] = map[string]any{"_meta": map[string]any{}, "harbour": true}
		}
	}
	lawful.Handshake(t, "roots/list has further params", lawful.Contents, &fault.Fault{Notify: meta})
	quiet := fault.Tool("test_list_roots", "open_chart").Result(func(result fault.Message) {
		if result["content"] != nil {
			result["content"], result["isError"] = fault.Text("Done."), false
		}
	})
	lawful.Handshake(t, "tools do not show what they read, after a request", lawful.Contents, &fault.Fault{Reply: quiet})
	lawful.Stateless(t, "tools do not show what they read, after a result", lawful.Contents, &fault.Fault{Reply: quiet})
}
