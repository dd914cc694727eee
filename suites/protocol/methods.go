package protocol

import (
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Method is a request of the protocol.
type Method struct {
	Name       string
	By         Side
	Since      requirements.Revision // the first revision that has it
	Until      requirements.Revision // the last one; empty: no revision removed it
	Capability string                // that a peer with the method declares; empty: every peer has it
	Named      string                // JSON pointer in the request to the value that the header Mcp-Name repeats; empty: none
	Result     ByRevision[string]    // the definition of its result in the schema
	Holds      string                // the property of a finished result with its content; empty: none
}

// Side is the sender of a message.
type Side string

// The sides.
const (
	Client Side = "client"
	Server Side = "server"
)

// In reports whether a revision has the method.
func (m Method) In(r requirements.Revision) bool { return within(r, m.Since, m.Until) }

func within(r, since, until requirements.Revision) bool {
	return !r.Before(since) && (until == "" || !until.Before(r))
}

const (
	first    = requirements.R20241105
	last     = requirements.R20251125 // with a handshake
	june     = requirements.R20250618
	november = requirements.R20251125
	modern   = requirements.R20260728
)

// always is a value that no revision changes.
func always(definition string) ByRevision[string] {
	return ByRevision[string]{{Since: first, Value: definition}}
}

// outcome is a result that modern revisions may replace by a request for input.
func outcome(of string) ByRevision[string] {
	return ByRevision[string]{{Since: first, Value: of + "Result"}, {Since: modern, Value: of + "Outcome"}}
}

// Methods returns every request of the protocol. Since 2026-07-28 a server asks
// its client only within results, so the requests of servers end there.
func Methods() []Method { return slices.Clone(methods()) }

//nolint:gochecknoglobals // the table never changes, and watchers ask it about every message
var methods = sync.OnceValue(func() []Method {
	return []Method{
		{Name: "initialize", By: Client, Since: first, Until: last, Result: always("InitializeResult")},
		{Name: "ping", By: Client, Since: first, Until: last, Result: always("EmptyResult")},
		{Name: "server/discover", By: Client, Since: modern, Result: always("DiscoverResult"), Holds: "supportedVersions"},
		{Name: "tools/list", By: Client, Since: first, Capability: "tools", Result: always("ListToolsResult"), Holds: "tools"},
		{Name: "tools/call", By: Client, Since: first, Capability: "tools", Named: "/params/name", Result: outcome("CallTool"), Holds: "content"},
		{Name: "resources/list", By: Client, Since: first, Capability: "resources", Result: always("ListResourcesResult"), Holds: "resources"},
		{
			Name: "resources/templates/list", By: Client, Since: first, Capability: "resources",
			Result: always("ListResourceTemplatesResult"), Holds: "resourceTemplates",
		},
		{
			Name: "resources/read", By: Client, Since: first, Capability: "resources", Named: "/params/uri",
			Result: outcome("ReadResource"), Holds: "contents",
		},
		{Name: "resources/subscribe", By: Client, Since: first, Until: last, Capability: "resources.subscribe", Result: always("EmptyResult")},
		{Name: "resources/unsubscribe", By: Client, Since: first, Until: last, Capability: "resources.subscribe", Result: always("EmptyResult")},
		{Name: "prompts/list", By: Client, Since: first, Capability: "prompts", Result: always("ListPromptsResult"), Holds: "prompts"},
		{
			Name: "prompts/get", By: Client, Since: first, Capability: "prompts", Named: "/params/name",
			Result: outcome("GetPrompt"), Holds: "messages",
		},
		{Name: "completion/complete", By: Client, Since: first, Capability: "completions", Result: always("CompleteResult")},
		{Name: "logging/setLevel", By: Client, Since: first, Until: last, Capability: "logging", Result: always("EmptyResult")},
		{Name: "subscriptions/listen", By: Client, Since: modern, Result: always("SubscriptionsListenResult")},
		{Name: "tasks/get", By: Client, Since: november, Until: last, Capability: "tasks", Result: always("GetTaskResult")},
		{Name: "tasks/list", By: Client, Since: november, Until: last, Capability: "tasks.list", Result: always("ListTasksResult")},
		{Name: "tasks/result", By: Client, Since: november, Until: last, Capability: "tasks", Result: always("TaskPayloadResult")},
		{Name: "tasks/cancel", By: Client, Since: november, Until: last, Capability: "tasks.cancel", Result: always("CancelTaskResult")},

		{Name: "ping", By: Server, Since: first, Until: last, Result: always("EmptyResult")},
		{Name: "roots/list", By: Server, Since: first, Until: last, Capability: "roots", Result: always("ListRootsResult")},
		{Name: "sampling/createMessage", By: Server, Since: first, Until: last, Capability: "sampling", Result: always("CreateMessageResult")},
		{Name: "elicitation/create", By: Server, Since: june, Until: last, Capability: "elicitation", Result: always("ElicitResult")},
		{Name: "tasks/get", By: Server, Since: november, Until: last, Capability: "tasks", Result: always("GetTaskResult")},
		{Name: "tasks/list", By: Server, Since: november, Until: last, Capability: "tasks.list", Result: always("ListTasksResult")},
		{Name: "tasks/result", By: Server, Since: november, Until: last, Capability: "tasks", Result: always("TaskPayloadResult")},
		{Name: "tasks/cancel", By: Server, Since: november, Until: last, Capability: "tasks.cancel", Result: always("CancelTaskResult")},
	}
})

// MethodOf finds a request of one side.
func MethodOf(by Side, name string) (Method, bool) {
	for _, m := range methods() {
		if m.By == by && m.Name == name {
			return m, true
		}
	}
	return Method{}, false
}

// Opening is the request that begins a conversation.
func Opening() ByRevision[string] {
	return ByRevision[string]{{Since: first, Value: "initialize"}, {Since: modern, Value: "server/discover"}}
}

// Harmless is a request that every server answers and that changes nothing.
func Harmless() ByRevision[string] {
	return ByRevision[string]{{Since: first, Value: "ping"}, {Since: modern, Value: "server/discover"}}
}
