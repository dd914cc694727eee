package core

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

type silence struct{}

func (silence) Notify(fault.Exchange, fault.Message) {}
func (silence) Open()                                {}

// stateless is the metadata of a request at 2026-07-28.
func stateless(capabilities string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
}

// asker is a server whose prompts and resource ask the client. Except for the strict
// prompt, they accept any answer.
func asker() *Core {
	ask := func(ctx context.Context) string {
		answer, err := From(ctx).Ask("roots/list", nil)
		if err != nil {
			return "none: " + err.Error()
		}
		return string(answer)
	}
	registry := mcpserver.NewMCPServer("it", "1", mcpserver.WithHooks(Hooks()), mcpserver.WithPromptCapabilities(true),
		mcpserver.WithResourceCapabilities(true, true))
	registry.AddPrompt(mcp.NewPrompt("it"), func(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(ask(ctx)))}), nil
	})
	registry.AddResource(mcp.NewResource("test://it", "it"),
		func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://it", Text: ask(ctx)}}, nil
		})
	registry.AddPrompt(mcp.NewPrompt("strict"), func(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		_, err := From(ctx).Ask("roots/list", nil)
		return nil, err
	})
	return New(Config{MCP: func() *mcpserver.MCPServer { return registry }, PageSize: 5})
}

// Prompts and resources ask by their results too. At the handshake revisions they are
// served before the next message is read, so they cannot wait for an answer.
func TestPromptsAndResourcesAsk(t *testing.T) {
	t.Parallel()
	c := asker()
	serve := func(conv *Conversation, method, params string) string {
		raw := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
		turn := c.Begin(t.Context(), conv, Inbound{Message: envelope.Read([]byte(raw), nil), Transport: requirements.Stdio})
		return string(Encode(turn.Run(silence{}).Messages[0]))
	}
	meta := func(capabilities string) string { return "," + stateless(capabilities) }
	for _, row := range []struct{ method, params string }{
		{"prompts/get", `"name":"it"`}, {"resources/read", `"uri":"test://it"`}, {"prompts/get", `"name":"strict"`},
	} {
		conv := &Conversation{}
		first := serve(conv, row.method, row.params+meta(`{"roots":{}}`))
		var asks struct {
			Result struct {
				ResultType    string
				InputRequests map[string]struct{ Method string }
				RequestState  string
				Messages      any
			}
		}
		if err := json.Unmarshal([]byte(first), &asks); err != nil || asks.Result.ResultType != "input_required" ||
			asks.Result.InputRequests["question-1"].Method != "roots/list" || asks.Result.Messages != nil {
			t.Errorf("%s leads to %s", row.method, first)
		}
		none := serve(conv, row.method, row.params+meta(`{}`))
		if strict := strings.Contains(row.params, "strict"); strict != strings.Contains(none, `"error":{"code":-32021`) {
			t.Errorf("%s of a client without roots leads to %s", row.method, none)
		}
		if strings.Contains(row.params, "strict") {
			continue
		}
		again := row.params + `,"inputResponses":{"question-1":{"roots":[]}},"requestState":"` + asks.Result.RequestState + `"`
		if got := serve(conv, row.method, again+meta(`{"roots":{}}`)); !strings.Contains(got, `{\"roots\":[]}`) {
			t.Errorf("the repeated %s leads to %s", row.method, got)
		}
		// The handler ignores that the state was altered, but the core refuses it.
		altered := strings.Replace(again, `"requestState":"`, `"requestState":"A`, 1)
		if got := serve(conv, row.method, altered+meta(`{"roots":{}}`)); !strings.Contains(got, `"error":{"code":-32602`) {
			t.Errorf("the altered %s leads to %s", row.method, got)
		}
		old := &Conversation{}
		old.Assume(requirements.R20251125)
		old.ready()
		old.declare(json.RawMessage(`{"roots":{}}`))
		if got := serve(old, row.method, row.params); !strings.Contains(got, "cannot be awaited while "+row.method) {
			t.Errorf("before 2026-07-28 %s leads to %s", row.method, got)
		}
	}
}

// An answer belongs to the question that was asked. If the handler asks another
// question the next time, the client is asked again.
func TestOtherQuestionDropsTheAnswer(t *testing.T) {
	t.Parallel()
	prompt := "a"
	registry := mcpserver.NewMCPServer("it", "1")
	tool := mcp.NewToolWithRawSchema("it", "", json.RawMessage(`{"type":"object"}`))
	registry.AddTool(tool, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		message := map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": prompt}}
		answer, err := From(ctx).Ask("sampling/createMessage", map[string]any{"messages": []any{message}, "maxTokens": 1})
		return mcp.NewToolResultText(string(answer)), err
	})
	c := New(Config{MCP: func() *mcpserver.MCPServer { return registry }})
	call := func(more string) fault.Message {
		raw := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"it",` + stateless(`{"sampling":{}}`) + more + `}}`
		turn := c.Begin(t.Context(), &Conversation{}, Inbound{Message: envelope.Read([]byte(raw), nil), Transport: requirements.Stdio})
		result, _ := turn.Run(silence{}).Messages[0].Result()
		return result
	}
	for _, later := range []string{"a", "b"} {
		prompt = "a"
		state, _ := call("")["requestState"].(string)
		prompt = later
		const said = `{"role":"assistant","model":"m","content":{"type":"text","text":"t"}}`
		again := call(`,"inputResponses":{"question-1":` + said + `},"requestState":"` + state + `"`)
		if asks := again["resultType"] == "input_required"; asks != (later != "a") {
			t.Errorf("after %q comes %q: %v", "a", later, again)
		}
	}
}

func TestLacking(t *testing.T) {
	t.Parallel()
	const sampling, elicitation = "sampling/createMessage", "elicitation/create"
	tools, url := map[string]any{"tools": []any{}}, map[string]any{"mode": "url"}
	for _, row := range []struct {
		declared string
		revision requirements.Revision
		method   string
		params   map[string]any
		want     string
	}{
		{``, requirements.R20241105, "roots/list", nil, `{"roots":{}}`},
		{`{"roots":true}`, requirements.R20241105, "roots/list", nil, `{"roots":{}}`},
		{`{"roots":{}}`, requirements.R20241105, "roots/list", nil, `null`},
		{`{"sampling":{}}`, requirements.R20250618, sampling, tools, `null`},
		{`{"sampling":{}}`, requirements.R20251125, sampling, tools, `{"sampling":{"tools":{}}}`},
		{`{"sampling":{"tools":{}}}`, requirements.R20251125, sampling, tools, `null`},
		{`{"sampling":{}}`, requirements.R20251125, sampling, map[string]any{"includeContext": "none"}, `null`},
		{`{"sampling":{}}`, requirements.R20251125, sampling, map[string]any{"includeContext": "allServers"}, `{"sampling":{"context":{}}}`},
		{`{"elicitation":{}}`, requirements.R20260728, elicitation, nil, `null`},
		{`{"elicitation":{}}`, requirements.R20260728, elicitation, url, `{"elicitation":{"url":{}}}`},
		{`{"elicitation":{"form":{}}}`, requirements.R20260728, elicitation, url, `{"elicitation":{"url":{}}}`},
		{`{"elicitation":{"url":{}}}`, requirements.R20260728, elicitation, url, `null`},
		{`{"elicitation":{"url":{}}}`, requirements.R20260728, elicitation, nil, `{"elicitation":{"form":{}}}`},
		{`{}`, requirements.R20251125, "ping", nil, `null`},
	} {
		got, err := json.Marshal(lacking(json.RawMessage(row.declared), row.revision, row.method, row.params))
		if err != nil || string(got) != row.want {
			t.Errorf("%s for %s with %v at %s: got %s, want %s", row.declared, row.method, row.params, row.revision, got, row.want)
		}
	}
}
