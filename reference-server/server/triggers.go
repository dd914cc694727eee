package server

import (
	"context"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

const watched = "test://watched-resource"

// A noticeBoard holds what a client can change so that other clients are told.
type noticeBoard struct {
	mu      sync.Mutex
	winter  map[string]bool // by list: whether the winter entry is on it
	changes int             // number of changes of the watched notice
}

// toggle adds the winter entry to a list or removes it, and says whether the entry is
// on the list now.
func (n *noticeBoard) toggle(list string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.winter[list] = !n.winter[list]
	return n.winter[list]
}

// text is the text of the watched notice.
func (n *noticeBoard) text(change bool) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if change {
		n.changes++
	}
	return fmt.Sprintf("The notice board has been changed %d times.", n.changes)
}

// tools are those that change the offers of the office for every client.
func (n *noticeBoard) tools(offered *offer) []tool {
	toggles := func(name, about, list string, put, take func()) tool {
		return tool{name: name, title: about, about: about, hint: changes, input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				offered.core.Change(list, func() {
					if n.toggle(list) {
						put()
					} else {
						take()
					}
				})
				return plain("The list of " + list + " was changed.")
			}}
	}
	winter := tool{name: "winter_storage", title: "Winter storage", about: "Says where vessels stay in winter.", hint: reads, input: nothing,
		run: func(context.Context, arguments) (*mcp.CallToolResult, error) { return plain("In hall 2.") }}
	return []tool{
		toggles("test_trigger_tool_change", "Changes the list of tools", "tools",
			func() { offered.registry().AddTools(*winter.entry()) },
			func() { offered.registry().DeleteTools(winter.name) }),
		toggles("test_trigger_prompt_change", "Changes the list of prompts", "prompts",
			func() { domain{offered.registry()}.AddPrompt("winter_notice", "Write a notice about winter storage.") },
			func() { offered.registry().DeletePrompts("winter_notice") }),
		toggles("test_trigger_resource_change", "Changes the list of resources", "resources",
			func() {
				domain{offered.registry()}.AddResource("harbour://notices/winter", "Winter notice", "The crane rests.")
			},
			func() { offered.registry().DeleteResources("harbour://notices/winter") }),
		{
			name: "test_trigger_resource_update", title: "Changes the watched resource", about: "Changes the watched resource", hint: changes,
			input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				text := n.text(true)
				offered.core.Updated(watched)
				return plain(text)
			},
		},
		{
			name: "test_trigger_shutdown", title: "Ends all subscriptions", about: "Ends the subscriptions of all clients, as before a restart",
			hint: changes, input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				offered.core.EndSubscriptions()
				return plain("All subscriptions have ended.")
			},
		},
	}
}
