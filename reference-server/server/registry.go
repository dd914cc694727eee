package server

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A hint tells clients how a tool behaves.
type hint int

const (
	reads    hint = iota // changes nothing
	changes              // adds something
	settles              // changes something; repeats change nothing more
	destroys             // removes something
)

// A tool is one tool of the office, its schemas as JSON texts.
type tool struct {
	name, title, about string
	hint               hint
	input, output      string                // output is empty when the tool declares no output schema
	since              requirements.Revision // the first revision that has the tool; empty for all revisions
	run                func(context.Context, arguments) (*mcp.CallToolResult, error)
}

// arguments are the arguments of a call. A getter returns the zero value for a missing
// argument or one of another type; only a fault lets such calls through.
type arguments map[string]any

func (a arguments) text(name string) string    { s, _ := a[name].(string); return s }
func (a arguments) number(name string) float64 { n, _ := a[name].(float64); return n }
func (a arguments) flag(name string) bool      { b, _ := a[name].(bool); return b }

// since lists the first revision of each tool that is not in all revisions.
func since(groups ...[]tool) map[string]requirements.Revision {
	all := map[string]requirements.Revision{}
	for _, t := range slices.Concat(groups...) {
		all[t.name] = t.since
	}
	return all
}

const nothing = `{"type":"object","additionalProperties":false}`

func (t tool) entry() *mcpserver.ServerTool {
	yes, no := true, false
	annotations := mcp.ToolAnnotation{Title: t.title, ReadOnlyHint: &no, DestructiveHint: &no, IdempotentHint: &no, OpenWorldHint: &no}
	switch t.hint {
	case reads:
		annotations.ReadOnlyHint, annotations.IdempotentHint = &yes, &yes
	case settles:
		annotations.IdempotentHint = &yes
	case destroys:
		annotations.DestructiveHint = &yes
	case changes:
	}
	definition := mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, Annotations: annotations,
		RawInputSchema: json.RawMessage(t.input),
	}
	if t.output != "" {
		definition.RawOutputSchema = json.RawMessage(t.output)
	}
	return &mcpserver.ServerTool{Tool: definition, Handler: func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return t.run(ctx, r.GetArguments())
	}}
}

// structured answers with a value, and with the value's JSON as text for clients
// without structured content.
func structured(value any, more ...mcp.Content) (*mcp.CallToolResult, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content:           append([]mcp.Content{mcp.NewTextContent(string(text))}, more...),
		StructuredContent: value,
	}, nil
}

func plain(text string) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText(text), nil
}

func failed(text string) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultError(text), nil
}

// refused is failed with a cause for clients.
func refused(ctx context.Context, text string, why core.Refusal) (*mcp.CallToolResult, error) {
	core.From(ctx).Refuse(why)
	return failed(text)
}

// domain gives a fault access to the registry.
type domain struct{ registry *mcpserver.MCPServer }

func (d domain) AddTool(definition fault.Message, answer func(map[string]any) string) {
	raw, err := json.Marshal(definition)
	if err != nil {
		return
	}
	var t struct {
		mcp.Tool
		Input  json.RawMessage `json:"inputSchema"`
		Output json.RawMessage `json:"outputSchema"`
	}
	_ = json.Unmarshal(raw, &t) // a fault may define an invalid tool
	t.Tool.InputSchema, t.Tool.OutputSchema = mcp.ToolInputSchema{}, mcp.ToolOutputSchema{}
	t.Tool.RawInputSchema, t.Tool.RawOutputSchema = t.Input, t.Output
	d.registry.AddTool(t.Tool, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return plain(answer(r.GetArguments()))
	})
}

func (d domain) RemoveTool(name string) { d.registry.DeleteTools(name) }

func (d domain) AddResource(uri, name, text string) {
	d.registry.AddResource(mcp.NewResource(uri, name, mcp.WithMIMEType("text/plain")), textReader(func() string { return text }))
}

func (d domain) AddPrompt(name, text string) {
	d.registry.AddPrompt(mcp.NewPrompt(name, mcp.WithPromptDescription(text)), userPrompt(func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewTextContent(text)}
	}))
}
