package completion_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

const chart = "roles: {completion: {ref: {type: ref/prompt, name: chart}, argument: harbour, value: B}}"

func TestLawful(t *testing.T) {
	prompt := map[string]any{"name": "chart", "arguments": []any{map[string]any{"name": "harbour", "required": true}}}
	lawful.Servers(t, "completion", []lawful.Row{
		{Name: "a hundred values of many", Config: chart, Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("completions", "prompts"), Prompts: []map[string]any{prompt}, Answer: fakeserver.Answers{
				"completion/complete": func(r fakeserver.Request) any {
					if r.Params["ref"] == nil || r.Params["argument"] == nil {
						return &fakeserver.Error{Code: -32602, Message: "ref and argument are required"}
					}
					return map[string]any{"completion": hundred()}
				},
			},
		}},
	})
}

// The servers above know no revision without a handshake.
func TestLawfulWithoutHandshake(t *testing.T) {
	t.Parallel()
	full := fault.Set("completion/complete", "/result/completion", hundred())
	lawful.Stateless(t, "a hundred values of many", lawful.Contents, &fault.Fault{Without: server.Extensions(), Reply: full})
}

// hundred is as many values as fit, of more.
func hundred() map[string]any {
	return map[string]any{"values": slices.Repeat([]any{"B1"}, 100), "total": 5000, "hasMore": true}
}
