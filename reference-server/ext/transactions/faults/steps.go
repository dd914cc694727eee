package faults

import (
	"encoding/json"
	"maps"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/permissions"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/transactions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// compensation changes the compensation in the answers to steps.
func compensation(change func(compensation any) any) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		result, ok := m.Result()
		if !ok {
			return
		}
		if x.Method == "transaction/step" {
			put(result, "compensation", change)
		}
		if meta, ok := result["_meta"].(map[string]any); ok && x.Method == "tools/call" {
			put(meta, "compensation", change)
			put(meta, transactions.Prefix+"compensation", change)
		}
	}
}

// put replaces an existing property; a nil result removes it.
func put(object map[string]any, name string, change func(any) any) {
	was, ok := object[name]
	if !ok {
		return
	}
	if object[name] = change(was); object[name] == nil {
		delete(object, name)
	}
}

// copied is a compensation without some properties.
func copied(compensation any, without ...string) map[string]any {
	all := map[string]any{}
	was, _ := compensation.(map[string]any)
	maps.Copy(all, was)
	for _, name := range without {
		delete(all, name)
	}
	return all
}

// steps breaks the answers to steps, and the checks of steps.
func steps() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-transaction-step-compensation", Each: []fault.Fault{{
			Name: "transactions-no-compensation", Title: "the answer to a step has no compensation",
			Reply: compensation(func(any) any { return nil }),
		}, {
			Name: "transactions-compensation-words", Title: "the compensation of a step is a string",
			Reply: compensation(func(any) any { return "release the berth" }),
		}, {
			Name: "transactions-compensation-no-tool", Title: "the compensation of a step names no tool",
			Reply: compensation(func(c any) any { return copied(c, "tool") }),
		}, {
			Name: "transactions-compensation-no-arguments", Title: "the compensation of a step has no arguments",
			Reply: compensation(func(c any) any { return copied(c, "arguments", "parameters") }),
		}, {
			Name: "transactions-compensation-once", Title: "only the first step of a transaction says which call undoes it",
			Ext: transactions.Switches{OneCompensation: true},
		}, {
			Name: "transactions-compensation-stale", Title: "each step of a transaction tells the call that undoes the first one",
			Ext: transactions.Switches{StaleCompensation: true},
		}, {
			Name: "transactions-compensation-refused", Title: "the compensation has arguments that its tool refuses",
			Reply: compensation(func(c any) any {
				call := copied(c)
				for _, name := range []string{"arguments", "parameters"} {
					put(call, name, func(any) any { return map[string]any{"id": "BK-1"} })
				}
				return call
			}),
		}}},
		{Breaks: "ext-transaction-step-ids", Each: []fault.Fault{{
			Name: "transactions-one-step-id", Title: "all steps have the same id", Kills: on("step-ids-distinct"),
			Reply: func(x fault.Exchange, m fault.Message) {
				// A step with an id from the client keeps the id.
				if result, ok := m.Result(); ok && x.Tool() != "" && !names(x.Params, "step_id") {
					meta, _ := result["_meta"].(map[string]any)
					put(meta, "step_id", func(any) any { return "step" })
					put(meta, transactions.Prefix+"step_id", func(any) any { return "step" })
				}
			},
			May: on("rollback-shape", "parallel-independent"),
		}, {
			Name: "transactions-step-id-replaced", Title: "transaction/step answers with a step_id of the server",
			Kills: on("step-id-kept"), May: on("rollback-shape", "compensation-failure"),
			Reply: fault.OnResult("transaction/step", func(result fault.Message) { put(result, "step_id", func(any) any { return "step-1" }) }),
		}, {
			Name: "transactions-step-id-reused", Title: "a step_id that is used already registers another step",
			Kills: on("step-id-used"), May: []string{"ext-transactions/step-id-parallel"}, Ext: transactions.Switches{StepIDReused: true},
		}}},
		{Breaks: "ext-permissions-deny-holds", Kills: on("step-denied"), In: fault.OverHTTP(requirements.R20251125), Each: []fault.Fault{{
			Name: "transactions-step-unpermitted", Title: "a transaction/step runs a call that its caller has not the scopes for",
			Ext: permissions.Switches{StepOpen: true},
		}, {
			Name: "transactions-step-call-unpermitted", Title: "a tools/call in a transaction needs no scopes",
			Ext: permissions.Switches{OpenBy: "transaction_id"},
		}}},
		{Breaks: "ext-transaction-step-status", Each: []fault.Fault{{
			Name: "transactions-step-unknown-ok", Title: "a transaction/step of a tool that does not exist is answered with ok",
			Kills: on("step-refused"), Ext: transactions.Switches{UnknownToolOK: true},
		}, {
			Name: "transactions-step-invalid-ok", Title: "a step whose tool refuses the arguments is answered as a success",
			Kills: on("step-refused"), In: fault.OverStdio(requirements.R20260728), Ext: transactions.Switches{InvalidOK: true},
		}, {
			Name: "transactions-step-status-error", Title: "the status of a step that failed is error",
			Kills: on("step-failed"), May: on("commit-counts", "rollback-leaves-out-failed"),
			Reply: onFailed(func(result fault.Message) { result["status"] = "error" }),
		}, {
			Name: "transactions-step-status-done", Title: "the status of a step that succeeded is done", Kills: on("step-ok"),
			Reply: fault.OnResult("transaction/step", func(result fault.Message) {
				if result["status"] == "ok" {
					result["status"] = "done"
				}
			}),
		}, {
			Name: "transactions-step-result-list", Title: "the result of a step is an array", Kills: on("step-ok"),
			Reply: fault.OnResult("transaction/step", func(result fault.Message) { put(result, "result", func(was any) any { return []any{was} }) }),
		}, {
			Name: "transactions-step-failed-compensation", Title: "a step that failed has a compensation",
			Kills: on("step-failed", "step-failed-call"),
			Reply: func(x fault.Exchange, m fault.Message) {
				undo := map[string]any{"tool": "cancel_pilot", "arguments": map[string]any{"pilot": "PL-0"}}
				result, ok := m.Result()
				switch {
				case !ok:
				case x.Method == "transaction/step" && result["status"] == "failed":
					result["compensation"] = undo
				case x.Method == "tools/call" && result["isError"] == true && names(x.Params, "transaction_id"):
					result.Object("_meta")["compensation"] = undo
				}
			},
		}, {
			Name: "transactions-step-failed-bare", Title: "a step that failed has no error", Kills: on("step-failed"),
			Reply: onFailed(func(result fault.Message) { delete(result, "error") }),
		}, {
			Name: "transactions-step-failed-ok", Title: "a step that failed is answered with ok and an empty result",
			Kills: on("step-failed", "step-failed-call"), May: on("step-refused"),
			Reply: func(x fault.Exchange, m fault.Message) {
				result, ok := m.Result()
				switch {
				case !ok:
				case x.Method == "transaction/step" && result["status"] == "failed":
					delete(result, "error")
					result["status"], result["result"] = "ok", map[string]any{}
				case x.Tool() == "order_pilot" && result["isError"] == true && names(x.Params, "transaction_id"):
					delete(result, "isError")
					result["content"] = fault.Text(`{"pilot":""}`)
				}
			},
		}}},
		{
			Name: "transactions-step-anything", Title: "a transaction/step that lacks a property is answered with ok",
			Breaks: "ext-transaction-step-required", Ext: transactions.Switches{StepAnything: true},
		}, {
			Name:   "transactions-step-incomplete-runs",
			Title:  "a transaction/step that lacks a property runs, and is rejected afterwards",
			Breaks: "ext-transaction-step-required", Kills: on("step-without-transaction", "step-without-id"),
			Ext: transactions.Switches{IncompleteRuns: true},
		}, {
			Name: "transactions-compensation-planted", Title: "the compensation that the client sends is run",
			Breaks: "ext-transaction-compensation-not-injected", Ext: transactions.Switches{Injected: true},
		}, {
			Name: "transactions-gate-skipped", Title: "a tool that needs confirmation runs in a transaction without it",
			Breaks: "ext-transaction-confirm-inside", Ext: transactions.Switches{GateSkipped: true},
		}, {
			Name: "transactions-replay-twice", Title: "a step that is repeated under its key is registered again",
			Breaks: "ext-transaction-replay-once", Ext: transactions.Switches{ReplayTwice: true},
		},
	}
}

func onFailed(change func(result fault.Message)) fault.Change {
	return fault.OnResult("transaction/step", func(result fault.Message) {
		if result["status"] == "failed" {
			change(result)
		}
	})
}

// names reports whether a call has a property in its _meta.
func names(params json.RawMessage, property string) bool {
	var call struct {
		Meta map[string]any `json:"_meta"`
	}
	_ = json.Unmarshal(params, &call) // unreadable params have no properties
	return call.Meta[property] != nil
}
