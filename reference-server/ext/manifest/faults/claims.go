package faults

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const tokens = "supported_extensions"

// claims breaks the list of extensions.
func claims() []fault.Fault {
	agree := []string{"ext-manifest/claims-agree"}
	return []fault.Fault{
		{Breaks: "ext-manifest-extensions-enum", Each: []fault.Fault{
			{
				Name: "manifest-extension-misspelt", Title: "supported_extensions holds idempotence",
				Reply: fault.Set(method, "/result/"+tokens+"/-", "idempotence"),
			},
			{Name: "manifest-extension-unknown", Title: "supported_extensions holds push", Reply: fault.Set(method, "/result/"+tokens+"/-", "push")},
			{
				Name: "manifest-extension-capital", Title: "supported_extensions holds Streaming",
				Reply: fault.Set(method, "/result/"+tokens+"/-", "Streaming"),
			}, {
				Name: "manifest-extensions-string", Title: "supported_extensions is a string",
				Reply: fault.Set(method, "/result/"+tokens, "idempotency"),
			}, {
				Name: "manifest-extension-twice", Title: "supported_extensions holds a name twice",
				Reply: document(func(manifest fault.Message) {
					manifest[tokens] = append(slices.Clone(list(manifest, tokens)), "idempotency")
				}),
			},
		}},
		{Breaks: "ext-manifest-claims-agree", Each: []fault.Fault{{
			Name: "manifest-claims-less", Title: "the capabilities declare an extension that the manifest does not name",
			Kills: agree, Reply: declares("conformance"),
		}, {
			Name: "manifest-claims-more", Title: "the manifest names an extension that the capabilities do not declare",
			Kills: agree, Reply: fault.Set(method, "/result/"+tokens+"/-", "conformance"),
		}, {
			Name: "manifest-claims-grow", Title: "supported_extensions grows once a call has failed",
			Kills: []string{"ext-manifest/claims-agree-later"}, May: agree, In: fault.OverStdio(requirements.R20251125),
			Reply: func(x fault.Exchange, m fault.Message) {
				manifest, _ := m.Result()
				for _, asked := range x.Past {
					exists := func(tool map[string]any) bool { return tool["name"] == toolOf(asked.Params) }
					if asked.Method == "tools/call" && !slices.ContainsFunc(entries(manifest), exists) {
						fault.Set(method, "/result/"+tokens+"/-", "conformance")(x, m)
						return
					}
				}
			},
		}}},
	}
}

// backing breaks the features behind the listed names. Each fault also removes the
// feature from a server that has it.
func backing() []fault.Fault {
	at := fault.OverStdio(requirements.R20251125)
	return []fault.Fault{
		{Breaks: "ext-manifest-claims-truthful", In: at, Each: []fault.Fault{{
			Name:    "manifest-promises-transactions",
			Title:   "the manifest names transactions, and transaction/begin is an unknown method",
			Kills:   []string{"ext-manifest/claims-truthful-transactions"},
			May:     []string{"ext-transactions/begin", "ext-degradation/notification-transaction-begin"},
			Inbound: unknown("transaction/", "begin_transaction"), Reply: promises("transactions"),
		}, {
			Name:  "manifest-promises-recommendations",
			Title: "the manifest names server_recommendations, and recommend_servers is an unknown method",
			Kills: []string{"ext-manifest/claims-truthful-recommendations"}, May: []string{"ext-server-discovery/method"},
			Inbound: unknown("recommend_servers", "recommend_servers"), Reply: promises("server_recommendations"),
		}, {
			Name:  "manifest-promises-confirmation",
			Title: "the manifest names human_in_the_loop, and no tool needs confirmation",
			Kills: []string{"ext-manifest/claims-truthful-confirmation"},
			Reply: fault.Changes(promises("human_in_the_loop"), unmarked()),
		}, {
			Name: "manifest-promises-records", Title: "the manifest names structured_errors, and failures carry no record",
			Kills: []string{"ext-manifest/claims-truthful-errors"},
			May: []string{
				"ext-structured-errors/record-of-failure", "ext-structured-errors/record-of-invalid-arguments",
				"ext-structured-errors/record-of-unknown-tool",
				"elicitation/required-error-list",
			},
			Reply: fault.Changes(promises("structured_errors"), unrecorded),
		}, {
			Name: "manifest-promises-events", Title: "the manifest names subscribe_notify, and all subscriptions are denied",
			Kills: []string{"ext-manifest/claims-truthful-events"}, Reply: promises("subscribe_notify"),
			Inbound: func(x fault.Exchange) fault.Verdict {
				if x.Method != "events/subscribe" {
					return fault.Verdict{}
				}
				return fault.Answer(x, map[string]any{
					"subscription_id": x.Param("subscription_id"), "status": "denied", "reason": "no such event",
					"supported_events": []any{"vessel_arrived", "vessel_left"},
				})
			},
		}}},
	}
}

// promises adds an extension to the manifest and to the capabilities.
func promises(token string) fault.Change {
	return fault.Changes(declares(token), document(func(manifest fault.Message) {
		if !slices.Contains(list(manifest, tokens), any(token)) {
			manifest[tokens] = append(slices.Clone(list(manifest, tokens)), token)
		}
	}))
}

// unknown removes the methods with a common prefix, and the tool in their place.
func unknown(methods, tool string) func(fault.Exchange) fault.Verdict {
	return func(x fault.Exchange) fault.Verdict {
		switch {
		case strings.HasPrefix(x.Method, methods):
			return fault.Refuse(x, -32601, "unknown method")
		case x.Tool() == tool:
			return fault.Refuse(x, -32602, "there is no such tool: "+tool)
		}
		return fault.Verdict{}
	}
}

// unmarked removes the marks of confirmation from all tools.
func unmarked() fault.Change {
	marks := []string{"requires_confirmation", "confirmation_message", "risk_level"}
	return fault.Changes(
		document(func(manifest fault.Message) {
			for _, tool := range entries(manifest) {
				for _, mark := range marks {
					delete(tool, mark)
				}
			}
		}),
		fault.OnResult("tools/list", func(result fault.Message) {
			items, _ := result["tools"].([]fault.Message)
			for _, tool := range items {
				for _, mark := range marks {
					delete(tool, mark)
				}
			}
		}),
	)
}

// unrecorded removes the record from a failure.
func unrecorded(_ fault.Exchange, m fault.Message) {
	if _, failed := m["error"]; failed {
		delete(m.Object("error"), "data")
	}
	if result, ok := m.Result(); ok && result["isError"] == true {
		meta := result.Object("_meta")
		delete(meta, "error")
		delete(meta, prefix+"error")
	}
}
