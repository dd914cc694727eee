package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

const watched = "test://watched-resource"

// triggerTools change the offers of the office for every client.
func (o *office) triggerTools(registry *mcpserver.MCPServer, c *core.Core) []tool {
	toggles := func(name, about, list string, put, take func()) tool {
		return tool{name: name, title: about, about: about, hint: changes, input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				if o.toggle(list) {
					put()
				} else {
					take()
				}
				c.Changed(list)
				return plain("The list of " + list + " was changed.")
			}}
	}
	winter := tool{name: "winter_storage", title: "Winter storage", about: "Says where vessels stay in winter.", hint: reads, input: nothing,
		run: func(context.Context, arguments) (*mcp.CallToolResult, error) { return plain("In hall 2.") }}
	return []tool{
		toggles("test_trigger_tool_change", "Changes the list of tools", "tools",
			func() { registry.AddTools(winter.entry()) },
			func() { registry.DeleteTools(winter.name) }),
		toggles("test_trigger_prompt_change", "Changes the list of prompts", "prompts",
			func() { domain{registry}.AddPrompt("winter_notice", "Write a notice about winter storage.") },
			func() { registry.DeletePrompts("winter_notice") }),
		toggles("test_trigger_resource_change", "Changes the list of resources", "resources",
			func() { domain{registry}.AddResource("harbour://notices/winter", "Winter notice", "The crane rests.") },
			func() { registry.DeleteResources("harbour://notices/winter") }),
		{
			name: "test_trigger_resource_update", title: "Changes the watched resource", about: "Changes the watched resource", hint: changes,
			input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				text := o.notice(true)
				c.Updated(watched)
				return plain(text)
			},
		},
	}
}
