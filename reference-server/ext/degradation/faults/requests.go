package faults

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// meta breaks calls with an unknown property in _meta.
func meta() []fault.Fault {
	const rule = "ext-degrade-unknown-meta"
	return []fault.Fault{
		{Breaks: rule, Each: []fault.Fault{{
			Name: "degradation-meta-rejected", Title: "a call with an unknown _meta property is rejected with -32602",
			Kills: []string{suite + "unknown-meta-call"}, Inbound: refusing(unknownKey, -32602, "unknown property in _meta"),
		}, {
			Name: "degradation-meta-internal", Title: "tools/list with an unknown _meta property is answered with -32603",
			Kills: []string{suite + "unknown-meta-list"},
			Inbound: fault.When(func(x fault.Exchange) bool {
				return x.Method == "tools/list" && metaValue(x, unknownKey) != nil
			}).Refuse(-32603, "internal error"),
		}, {
			Name: "degradation-meta-list-ends", Title: "the server ends at tools/list with an unknown _meta property",
			Kills:   []string{suite + "unknown-meta-list"},
			Inbound: fault.When(func(x fault.Exchange) bool { return x.Method == "tools/list" && metaValue(x, unknownKey) != nil }).Exit(1),
		}, {
			Name: "degradation-meta-ends", Title: "a server without progress ends at a call with operation_id in _meta",
			Kills: []string{suite + "unclaimed-meta-progress"}, Without: []string{"streaming", "progress"},
			Inbound: fault.When(func(x fault.Exchange) bool { return x.Tool() == readingTool && metaValue(x, "operation_id") != nil }).Exit(1),
		}, {
			Name: "degradation-meta-echoed", Title: "what a client puts into _meta turns up in the content",
			Kills: []string{suite + "unknown-meta-call"},
			Reply: func(x fault.Exchange, m fault.Message) {
				if result, ok := m.Result(); ok && callHas(x, unknownKey) {
					text, _ := json.Marshal(metaValue(x, unknownKey))
					content, _ := result["content"].([]any)
					result["content"] = append(fault.Text(string(text)), content...)
				}
			},
		}}},
	}
}

// features breaks calls with the metadata of an extension that the server lacks.
func features() []fault.Fault {
	var all []fault.Fault
	for _, f := range []struct {
		extension, property string
		without             []string
	}{
		{"intent", "intent", nil},
		{"permissions", "session_token", nil},
		{"idempotency", "idempotency_key", []string{"transactions"}},
		{"transactions", "transaction_id", nil},
		{"confirmation", "user_confirmed", nil},
		{"progress", "operation_id", []string{"streaming"}},
		{"streaming", "stream", nil},
		{"multimodal", "content_type", nil},
		{"session-state", "session_state", nil},
	} {
		all = append(all, fault.Fault{
			Name:   "degradation-meta-" + f.extension,
			Title:  "a server without " + f.extension + " answers a call with " + f.property + " in _meta with -32603",
			Breaks: "ext-degrade-unknown-meta", Kills: []string{suite + "unclaimed-meta-" + f.extension},
			May:     []string{"ext-cost-latency/approval-gated"}, // without confirmation, nothing is held back
			Without: append(f.without, f.extension),
			Inbound: fault.When(func(x fault.Exchange) bool {
				return x.Tool() == readingTool && metaValue(x, f.property) != nil
			}).Refuse(-32603, "internal error"),
		})
	}
	return all
}

// beside breaks calls with a property beside the arguments.
func beside() []fault.Fault {
	const rule = "ext-degrade-unclaimed-inline"
	internal := func(property string) func(fault.Exchange) fault.Verdict {
		named := func(x fault.Exchange) bool { return x.Tool() == readingTool && x.Param(property) != nil }
		return fault.When(named).Refuse(-32603, "internal error")
	}
	return []fault.Fault{
		{Breaks: rule, Each: []fault.Fault{{
			Name: "degradation-params-internal", Title: "a call with intent beside its arguments is answered with -32603",
			Kills: []string{suite + "unclaimed-params-intent"}, Without: []string{"intent"}, Inbound: internal("intent"),
		}, {
			Name: "degradation-params-missed", Title: "with session_state beside them, arguments are said to be missing",
			Kills: []string{suite + "unclaimed-params-session-state"}, Without: []string{"session-state"},
			Inbound: fault.When(func(x fault.Exchange) bool {
				return x.Tool() == readingTool && x.Param("session_state") != nil
			}).Refuse(-32602, "day is missing"),
		}, {
			Name: "degradation-params-lost", Title: "with idempotency_key beside them, arguments are lost",
			Kills: []string{suite + "unclaimed-params-idempotency"}, Without: []string{"idempotency", "transactions"},
			Reply: func(x fault.Exchange, m fault.Message) {
				result, ok := m.Result()
				if !ok || x.Tool() != readingTool || x.Param("idempotency_key") == nil {
					return
				}
				table := map[string]any{"day": 1, "tides": []any{}} // the result without arguments
				text, _ := json.Marshal(table)
				if _, structured := result["structuredContent"]; structured {
					result["structuredContent"] = table
				}
				result["content"] = fault.Text(string(text))
			},
		}}},
		{
			Name: "degradation-params-refusal-vague", Title: "a property beside the arguments is rejected without being named",
			Breaks: "ext-degrade-rejection-clear", Kills: []string{suite + "params-refusal-clear"},
			Without: []string{"intent", "session-state"},
			Inbound: func(x fault.Exchange) fault.Verdict {
				var params map[string]json.RawMessage
				_ = json.Unmarshal(x.Params, &params) // others refuse unreadable params
				for _, known := range []string{"name", "arguments", "_meta", "task"} {
					delete(params, known)
				}
				if x.Tool() == readingTool && len(params) > 0 {
					return fault.Refuse(x, -32602, "Error 500")
				}
				return fault.Verdict{}
			},
		},
	}
}
