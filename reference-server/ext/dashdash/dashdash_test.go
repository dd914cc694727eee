package dashdash_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/dashdash"
	"github.com/mcp-conform/mcp-conform/reference-server/front"
	"github.com/mcp-conform/mcp-conform/schemas"
)

const asked = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"resources/list"}
{"jsonrpc":"2.0","id":3,"method":"ai_help"}
{"jsonrpc":"2.0","id":4,"method":"ai_help","params":{"format":"json"}}
{"jsonrpc":"2.0","id":5,"method":"ai_help","params":{"section":"when-to-use"}}
{"jsonrpc":"2.0","id":6,"method":"ai_help","params":{"section":"?"}}
`

// What the server says has the canonical form, with or without other extensions.
func TestCanonical(t *testing.T) {
	t.Parallel()
	registry := mcpserver.NewMCPServer("quay", "1.2.3", mcpserver.WithToolCapabilities(true), mcpserver.WithResourceCapabilities(false, false),
		mcpserver.WithHooks(core.Hooks()))
	registry.AddTool(mcp.NewTool("moor", mcp.WithString("berth", mcp.Required()), mcp.WithReadOnlyHintAnnotation(false), mcp.WithDestructiveHintAnnotation(true)), nil)
	registry.AddResource(mcp.NewResource("harbour://a", "A"), nil)
	c := core.New(core.Config{
		MCP: func() *mcpserver.MCPServer { return registry }, Identity: mcp.Implementation{Name: "quay", Version: "1.2.3"}, PageSize: 5,
		Extensions: []core.Extension{dashdash.New(dashdash.Options{})},
	})
	var out bytes.Buffer
	front.Stdio{Core: c, Grace: time.Minute}.Serve(t.Context(), nil, strings.NewReader(asked), &out, io.Discard)
	results := map[int]map[string]any{}
	for line := range strings.Lines(out.String()) {
		var answer struct {
			ID     int            `json:"id"`
			Result map[string]any `json:"result"`
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		results[answer.ID] = answer.Result
	}
	first := func(id int, list string) any {
		items, _ := results[id][list].([]any)
		if len(items) != 1 {
			t.Fatalf("%s has %d items", list, len(items))
		}
		return items[0].(map[string]any)["dashdash"]
	}
	set, err := schemas.Load().Extension("dashdash")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		definition string
		value      any
	}{
		{"StrictBlock", results[0]["dashdash"]}, {"StrictTool", first(1, "tools")}, {"StrictResource", first(2, "resources")},
		{"StrictHelp", any(results[3])}, {"StrictHelp", any(results[4])},
	} {
		if faults := set.Validate(row.definition, row.value); len(faults) > 0 {
			t.Errorf("%s: %+v", row.definition, faults)
		}
	}
	if text, _ := results[5]["content"].(string); !strings.HasPrefix(text, "## When to Use\n") || strings.Count(text, "## ") != 1 {
		t.Errorf("the section is %q", text)
	}
	if results[6] != nil {
		t.Errorf("an unknown section gives %v", results[6])
	}
}
