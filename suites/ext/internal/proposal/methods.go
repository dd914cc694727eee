package proposal

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Methods of proposals that others look for too: a manifest may promise them. The
// form of a method is learned once, so that each is written down once.

// BeginTransaction opens a transaction that the client names.
func BeginTransaction() Method {
	return Method{
		Extension: "transactions", Name: "transaction/begin", Aliases: []string{"BEGIN_TRANSACTION"}, Tools: []string{"begin_transaction"},
	}
}

// RollbackTransaction takes back what was done in a transaction, and ends it.
func RollbackTransaction() Method {
	return Method{
		Extension: "transactions", Name: "transaction/rollback", Aliases: []string{"ROLLBACK"}, Tools: []string{"rollback_transaction"},
	}
}

// SubscribeEvents asks for events to be sent.
func SubscribeEvents() Method {
	return Method{Extension: "push", Name: "events/subscribe", Aliases: []string{"subscribe"}, Tools: []string{"subscribe"}}
}

// UnsubscribeEvents ends a subscription.
func UnsubscribeEvents() Method {
	return Method{Extension: "push", Name: "events/unsubscribe", Aliases: []string{"unsubscribe"}, Tools: []string{"unsubscribe"}}
}

// RecommendServers asks which other servers can do something.
func RecommendServers() Method {
	return Method{Extension: "server-discovery", Name: "recommend_servers", Tools: []string{"recommend_servers"}, Harmless: true}
}

// CheckPermission is the method that says before a call whether it would be
// allowed. It changes nothing, so it is tried on suspicion too.
func CheckPermission() Method {
	return Method{
		Extension: "permissions", Name: "permissions/check", Aliases: []string{"can_execute", "check_permissions"},
		Tools: []string{"check_permissions", "can_execute"}, Harmless: true,
	}
}

// NegotiateScopes is the method that gives out sessions. As a tool its name is only
// tried where the extension is claimed by name.
func NegotiateScopes() Method {
	return Method{
		Extension: "permissions", Name: "scopes/negotiate", Aliases: []string{"negotiate_scopes"}, Tools: []string{"negotiate_scopes"},
	}
}

// permissionsAnswered asks servers that do not claim the extension whether they
// have the method: an answer that fits shows it. Nothing is learned for the column,
// since a claim in the configuration allows more forms than this.
func permissionsAnswered(c *probe.Client) (probe.Strength, string) {
	if Explicit(c, "permissions") {
		return "", ""
	}
	m := CheckPermission()
	params := probe.Object{"tool": SomeTool(c), "scopes_held": []string{}}
	for _, name := range append([]string{m.Name}, m.Aliases...) {
		reply := c.Call(name, params)
		if !reply.Answered() {
			return "", "" // one that stays silent would do so each time
		}
		if _, ok := probe.ObjectOf(payload(reply, "M:"))["allowed"].(bool); ok {
			return probe.Strong, "an answer to " + name
		}
	}
	for _, tool := range m.Tools {
		if !harmless(c, tool) {
			continue
		}
		reply := c.Call("tools/call", probe.Object{"name": tool, "arguments": params})
		if _, ok := probe.ObjectOf(payload(reply, "T:"))["allowed"].(bool); ok {
			return probe.Weak, "an answer of the tool " + tool
		}
	}
	return "", ""
}

// SomeTool is the name of a tool that the server lists, for questions about one.
// Where it lists none, it is a name that no tool has.
func SomeTool(c *probe.Client) string {
	for _, item := range c.Survey().Lists[protocol.Tools().Method] {
		if name, _ := probe.ObjectOf(item)["name"].(string); name != "" {
			return name
		}
	}
	return "no_such_tool_" + c.Nonce()
}
