package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/push"
)

// trafficTools report what happens in the harbour. Who has subscribed to it with the push
// extension is told.
func trafficTools(desk *push.Desk) []tool {
	return []tool{
		{
			name: "report_vessel", title: "Report a vessel", about: "Reports that a vessel has arrived at a berth, or has left it.", hint: changes,
			input: `{"type":"object","properties":{
				"vessel":{"type":"string","minLength":1,"maxLength":200},
				"berth":{"type":"string","minLength":2,"maxLength":2},
				"left":{"type":"boolean","default":false}},
				"required":["vessel","berth"],"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				event := push.Types()[0]
				if a.flag("left") {
					event = push.Types()[1]
				}
				desk.Publish(core.From(ctx), event, map[string]any{"vessel": a.text("vessel"), "berth": a.text("berth")})
				return plain("It was written down.")
			},
		},
		{
			name: "end_watch", title: "End the watch", about: "Ends the watch of the office: all subscriptions to events end.", hint: changes,
			input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				desk.EndAll("The watch has ended.")
				return plain("The watch has ended.")
			},
		},
	}
}
