package sampling_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	asks := []map[string]any{fakeserver.Tool("test_sampling", true)}
	lawful.Servers(t, "sampling", []lawful.Row{
		{
			Name:   "the tool does without a sample where the client has no model",
			Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: asks},
		},
		{
			Name:   "no tool asks at all",
			Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: asks},
			Config: "roles: {client-request: {sampling: {tool: test_sampling, arguments: {text: a}}, sampling-tools: {tool: test_sampling, arguments: {text: a}}}}",
		},
	})
}

// unusual are messages with all that the schema leaves open: texts before the results of tools
// in a message of their own, the context none, and a choice without a mode.
func unusual(_ fault.Exchange, params fault.Message) {
	list, _ := params["messages"].([]any)
	params["messages"] = append([]any{map[string]any{"role": "assistant", "content": []any{
		map[string]any{"type": "text", "text": "Moin."},
		map[string]any{"type": "image", "data": "AAAA", "mimeType": "image/png"},
	}}}, list...)
	params["includeContext"], params["temperature"], params["metadata"] = "none", 0.5, map[string]any{"harbour": true}
	params["modelPreferences"] = map[string]any{"costPriority": 0, "speedPriority": 1, "hints": []any{map[string]any{}}}
	if params["toolChoice"] != nil {
		params["toolChoice"] = map[string]any{}
	}
}

func TestUnusualMessages(t *testing.T) {
	habit := fault.Fault{}.Asking("sampling/createMessage", unusual)
	lawful.Stateless(t, "messages with all that the schema leaves open, by a result", lawful.Contents, &habit)
	lawful.Handshake(t, "messages with all that the schema leaves open, by a request", lawful.Contents, &habit)
}
