package protocol

import (
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Notification is a notification of the protocol.
type Notification struct {
	Name       string
	By         []Side
	Since      requirements.Revision // the first revision that has it
	Until      requirements.Revision // the last one; empty: no revision removed it
	Capability string                // that its sender declares, flags joined by a dot; empty: none
	Definition string                // of the whole message in the schema
	Listens    bool                  // from 2026-07-28 on only subscriptions get it
}

// In reports whether a revision has the notification.
func (n Notification) In(r requirements.Revision) bool { return within(r, n.Since, n.Until) }

// Notifications returns every notification of the protocol.
func Notifications() []Notification { return slices.Clone(notifications()) }

//nolint:gochecknoglobals // the table never changes, and watchers ask it about every message
var notifications = sync.OnceValue(func() []Notification {
	server, client, both := []Side{Server}, []Side{Client}, []Side{Client, Server}
	return []Notification{
		{Name: "notifications/initialized", By: client, Since: first, Until: last, Definition: "InitializedNotification"},
		{Name: "notifications/cancelled", By: both, Since: first, Definition: "CancelledNotification"},
		{Name: "notifications/progress", By: both, Since: first, Definition: "ProgressNotification"},
		{Name: "notifications/message", By: server, Since: first, Capability: "logging", Definition: "LoggingMessageNotification"},
		{Name: ToolsChanged, By: server, Since: first, Capability: "tools.listChanged", Definition: "ToolListChangedNotification", Listens: true},
		{
			Name: ResourcesChanged, By: server, Since: first, Capability: "resources.listChanged",
			Definition: "ResourceListChangedNotification", Listens: true,
		},
		{
			Name: ResourceUpdated, By: server, Since: first, Capability: "resources.subscribe",
			Definition: "ResourceUpdatedNotification", Listens: true,
		},
		{
			Name: PromptsChanged, By: server, Since: first, Capability: "prompts.listChanged",
			Definition: "PromptListChangedNotification", Listens: true,
		},
		{
			Name: "notifications/roots/list_changed", By: client, Since: first, Until: last, Capability: "roots.listChanged",
			Definition: "RootsListChangedNotification",
		},
		{Name: "notifications/elicitation/complete", By: server, Since: november, Until: last, Definition: "ElicitationCompleteNotification"},
		{Name: "notifications/tasks/status", By: both, Since: november, Until: last, Definition: "TaskStatusNotification"},
		{
			Name: "notifications/subscriptions/acknowledged", By: server, Since: modern,
			Definition: "SubscriptionsAcknowledgedNotification", Listens: true,
		},
	}
})

// The announcements of a server.
const (
	ToolsChanged     = "notifications/tools/list_changed"
	ResourcesChanged = "notifications/resources/list_changed"
	PromptsChanged   = "notifications/prompts/list_changed"
	ResourceUpdated  = "notifications/resources/updated"
)

// NotificationOf finds a notification by name.
func NotificationOf(name string) (Notification, bool) {
	for _, n := range notifications() {
		if n.Name == name {
			return n, true
		}
	}
	return Notification{}, false
}
