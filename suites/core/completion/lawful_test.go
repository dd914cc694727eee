package completion_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
)

func TestLawful(t *testing.T) {
	prompt := map[string]any{"name": "chart", "arguments": []any{map[string]any{"name": "harbour", "required": true}}}
	lawful.Servers(t, "completion", []lawful.Row{
		{Name: "a hundred values of many", Server: &rigged.Server{
			Capabilities: rigged.Offers("completions", "prompts"), Prompts: []map[string]any{prompt}, Answer: rigged.Answers{
				"completion/complete": func(r rigged.Request) any {
					if r.Params["ref"] == nil || r.Params["argument"] == nil {
						return &rigged.Error{Code: -32602, Message: "ref and argument are required"}
					}
					return map[string]any{"completion": hundred()}
				},
			},
		}},
	})
}

// The servers above fill no role, so that the cases of this page pass them by. This one does.
func TestLawfulWithoutHandshake(t *testing.T) {
	t.Parallel()
	full := fault.Set("completion/complete", "/result/completion", hundred())
	lawful.Stateless(t, "a hundred values of many", lawful.Contents, &fault.Fault{Without: server.Extensions(), Reply: full})
}

// hundred is as many values as fit, of more.
func hundred() map[string]any {
	return map[string]any{"values": slices.Repeat([]any{"B1"}, 100), "total": 5000, "hasMore": true}
}
