// Package prompts holds the ways to break the rules on prompts: on their list, on what is
// got, and on what becomes of arguments.
package prompts

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/lists"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault {
	return slices.Concat(list(), announced(), arguments(), got(), media(), asked(), validated(), guarded())
}

// list are faults of the list.
func list() []fault.Fault {
	const name, text = "a_crane", "Plan what the crane lifts."
	return lists.Faults(
		lists.List{
			Area: "prompts", Method: "prompts/list", Noun: "prompt", Key: "name", Word: "name", Taken: "arrival_notice",
			Spare: fault.Message{"name": name, "description": text},
			Add:   func(r fault.Registry, mark string) { r.AddPrompt(name+"_"+mark, text) },
		},
		lists.Rules{
			Declared:      "prompts-capability-declared",
			Unknown:       "prompts-list-answered-legacy",
			Null:          "prompts-list-answered",
			Schema:        "prompts-list-schema",
			Unique:        "prompts-name-unique",
			PerConnection: "prompts-list-not-per-connection",
			NoSideEffects: "prompts-list-no-side-effects",
			ChangedSent:   "prompts-list-changed-sent",
		},
	)
}

// announced are notifications of changes that the server does not declare.
func announced() []fault.Fault {
	const acknowledged, changed = "notifications/subscriptions/acknowledged", "notifications/prompts/list_changed"
	return []fault.Fault{{
		Name:   "prompts-list-changed-undeclared",
		Title:  changed + " is sent to a subscription although listChanged is not declared",
		Breaks: "prompts-respect-capabilities", Silent: []string{"meta/subscription-acknowledged"}, May: []string{"resources/listen-ack-filter"},
		Reply: fault.Drop("server/discover", "/result/capabilities/prompts/listChanged"),
		Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
			if m["method"] != acknowledged {
				return []fault.Message{m}
			}
			return []fault.Message{m, {"jsonrpc": "2.0", "method": changed, "params": map[string]any{"_meta": m.Object("params")["_meta"]}}}
		},
	}}
}
