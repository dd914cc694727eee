package core

import (
	"context"
	"errors"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The client gets the result of the handler; the server goes on whatever the handler
// does.
func TestHandlersAreCalled(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		handle mcpserver.ToolHandlerFunc
		want   string
	}{
		{"text", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, _ := r.GetArguments()["a"].(string)
			return mcp.NewToolResultText(text + " and <more>"), nil
		}, `"result":{"content":[{"text":"b and <more>","type":"text"}]}`},
		{"numbers", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructured(map[string]any{"n": r.GetArguments()["n"]}, "one"), nil
		}, `"result":{"content":[{"text":"one","type":"text"}],"structuredContent":{"n":1.5}}`},
		{"picture", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewImageContent("AA==", "image/png")}, IsError: true}, nil
		}, `"result":{"content":[{"data":"AA==","mimeType":"image/png","type":"image"}],"isError":true}`},
		{"own error", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, &Error{Code: 7, Message: "no", Data: map[string]any{"why": "so"}}
		}, `"error":{"code":7,"data":{"why":"so"},"message":"no"}`},
		{"any error", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("broken")
		}, `"error":{"code":-32603,"message":"broken"}`},
		{"nothing", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil },
			`"error":{"code":-32603,"message":"tool 'it' handler returned no result"}`},
		{"panic", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("at the disco") },
			`"error":{"code":-32603,"message":"panic recovered in it tool handler: at the disco"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			registry := mcpserver.NewMCPServer("s", "1")
			registry.AddTool(mcp.NewToolWithRawSchema("it", "", []byte(`{"type":"object"}`)), row.handle)
			conv := &Conversation{}
			conv.Assume(requirements.R20251125)
			call := envelope.Read([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"it","arguments":{"a":"b","n":1.5}}}`), nil)
			answers := New(Config{MCP: func() *mcpserver.MCPServer { return registry }}).Begin(t.Context(), conv, Inbound{Message: call, Transport: requirements.Stdio}).Run(nil).Messages
			if len(answers) != 1 {
				t.Fatalf("%d answers, want one", len(answers))
			}
			if got, want := string(Encode(answers[0])), `{"jsonrpc":"2.0","id":1,`+row.want+"}"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
