package meta

import (
	"encoding/json"
	"net/http"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const asking = "hire_crane"

// undeclared are wrong errors for a client that lacks a capability.
func undeclared() []fault.Fault {
	onMissing := func(change func(failure fault.Message)) fault.Change {
		return func(x fault.Exchange, m fault.Message) {
			if _, failed := m["error"]; failed && x.Tool() == asking && m.Object("error")["code"] == -32021 {
				change(m.Object("error"))
			}
		}
	}
	data := func(value any) fault.Change {
		return onMissing(func(failure fault.Message) { failure["data"] = value })
	}
	const rule, kills = "meta-undeclared-capability-data", "meta/undeclared-capability-data"
	return []fault.Fault{
		{
			Name: "meta-undeclared-invalid", Title: "a call that needs an undeclared capability gets error -32602",
			Breaks: "meta-undeclared-capability-error",
			Reply:  onMissing(func(failure fault.Message) { failure["code"] = -32602 }),
		},
		{Breaks: rule, Each: []fault.Fault{{
			Name: "meta-undeclared-no-data", Title: "error -32021 does not say what is missing",
			Reply: onMissing(func(failure fault.Message) { delete(failure, "data") }),
		}, {
			Name: "meta-undeclared-list", Title: "error -32021 names what is missing in an array",
			Reply: data(map[string]any{"requiredCapabilities": []any{"elicitation"}}),
		}, {
			Name: "meta-undeclared-empty", Title: "error -32021 says that nothing is missing",
			Reply: data(map[string]any{"requiredCapabilities": map[string]any{}}),
		}}},
		{
			Name: "meta-undeclared-200", Title: "error -32021 has HTTP status 200",
			Breaks: "meta-undeclared-capability-http-400", In: fault.OverHTTP(requirements.R20260728),
			HTTP: fault.Status(http.StatusBadRequest, http.StatusOK, func(x fault.Exchange) bool { return x.Tool() == asking }),
		},
	}
}

// questions are requests to clients that declare no capability.
func questions() []fault.Fault {
	ask := func(fits func(fault.Exchange) bool) func(fault.Exchange) fault.Verdict {
		return fault.When(func(x fault.Exchange) bool {
			able, declared := fault.Meta(x.Params, "clientCapabilities").(map[string]any)
			return declared && len(able) <= 0 && fits(x)
		}).Answer(map[string]any{
			"resultType": "input_required",
			"inputRequests": map[string]any{"vessel": map[string]any{"method": "elicitation/create", "params": map[string]any{
				"mode": "form", "message": "Which vessel?",
				"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{"vessel": map[string]any{"type": "string"}}},
			}}},
		})
	}
	of := func(method string) func(fault.Exchange) bool {
		return func(x fault.Exchange) bool { return x.Method == method }
	}
	row := func(slug, title, kills string, fits func(fault.Exchange) bool) fault.Fault {
		return fault.Fault{
			Name: "meta-asks-" + slug, Title: title, Breaks: "meta-no-reliance-on-undeclared", Kills: []string{kills},
			May: []string{"ext-degradation/plain-client"}, Inbound: ask(fits),
		}
	}
	return []fault.Fault{
		row("asking-tool", "a tool that asks its user asks a client that declares nothing", "meta/undeclared-capability",
			func(x fault.Exchange) bool { return x.Tool() == asking }),
		row("tool", "a tool asks a client that declares nothing", "meta/undeclared-unused-tool",
			func(x fault.Exchange) bool { return x.Tool() == "tide_table" }),
		row("prompt", "a prompt asks a client that declares nothing", "meta/undeclared-unused-prompt", of("prompts/get")),
		row("resource", "a resource asks a client that declares nothing", "meta/undeclared-unused-resource", of("resources/read")),
	}
}

// listens are notifications of a subscription without its id.
func listens() []fault.Fault {
	const ack = "notifications/subscriptions/acknowledged"
	changed := func(params map[string]any) func(fault.Exchange, fault.Message) []fault.Message {
		return func(_ fault.Exchange, m fault.Message) []fault.Message {
			if m["method"] != ack {
				return []fault.Message{m}
			}
			return []fault.Message{m, {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": params}}
		}
	}
	row := func(name, title, kills string, notify fault.Change) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: "meta-subscription-id-on-notifications", Kills: []string{kills},
			Silent: []string{"resources/listen-ack-id", "meta/subscription-id"}, Notify: notify,
		}
	}
	told := func(name, title string, params map[string]any) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: "meta-subscription-id-on-notifications", Kills: []string{"meta/subscription-id"},
			Send: changed(params),
		}
	}
	tagged := func(id any) map[string]any {
		return map[string]any{"_meta": map[string]any{prefix + "subscriptionId": id}}
	}
	return []fault.Fault{
		row("meta-acknowledgement-untagged", "the acknowledgement of a subscription does not name it", "meta/subscription-acknowledged",
			fault.Drop(ack, "/params/_meta")),
		row("meta-acknowledgement-own-id", "the acknowledgement of a subscription names it by an id of the server's own",
			"meta/subscription-acknowledged", fault.Set(ack, "/params/_meta", tagged("subscription-1")["_meta"])),
		row("meta-subscription-ids-text", "all notifications of a subscription name it by a string where its id is a number",
			"meta/subscription-acknowledged", func(_ fault.Exchange, m fault.Message) {
				if m["params"] == nil {
					return
				}
				meta, _ := m.Object("params")["_meta"].(map[string]any)
				if id, _ := json.Marshal(meta[prefix+"subscriptionId"]); meta != nil && id[0] != '"' && string(id) != "null" {
					meta[prefix+"subscriptionId"] = string(id)
				}
			}),
		told("meta-change-untagged", "a change is told on a subscription without naming it", map[string]any{}),
		told("meta-change-other-id", "a change is told under the id of another subscription", tagged("other")),
	}
}
