// Package faults holds the ways to break the permissions extension.
package faults

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/permissions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the extension.
func Faults() []fault.Fault {
	return slices.Concat(
		checks(), shapes(), denials(), questions(), agreements(), refusals(), negotiations(), partitions(), sessions(), tokens(), bounds())
}

const (
	check     = "permissions/check"
	negotiate = "scopes/negotiate"
	signal    = "hoist_signal" // the denied tool
)

// checks breaks the existence of the check, and its answer yes.
func checks() []fault.Fault {
	return []fault.Fault{
		{
			Name: "permissions-no-check", Title: "the extension is claimed, and permissions/check is an unknown method",
			Breaks: "ext-permissions-check-available", Ext: permissions.Switches{NoCheck: true},
		}, {
			Name: "permissions-check-is-call", Title: "a check is answered with the result of the tool",
			Breaks: "ext-permissions-check-available",
			Reply: fault.OnResult(check, func(result fault.Message) {
				for _, name := range []string{"allowed", "missing_scopes", "reason", "elevation_url"} {
					delete(result, name)
				}
				result["content"] = fault.Text("Done.")
			}),
		}, {
			Name: "permissions-allowed-with-missing", Title: "a check says yes and names missing scopes",
			Breaks: "ext-permissions-check-allowed",
			Reply:  onAnswer(true, func(result fault.Message) { result["missing_scopes"] = []any{"read:berths"} }),
		}, {
			Name: "permissions-check-denies-all", Title: "a check says no whatever the caller may do",
			Breaks: "ext-permissions-check-allowed",
			Reply: onAnswer(true, func(result fault.Message) {
				result["allowed"], result["missing_scopes"], result["reason"] = false, []any{"read:berths"}, "Needs a scope."
			}),
		},
		{Breaks: "ext-permissions-check-unknown-tool", Each: []fault.Fault{{
			Name: "permissions-unknown-tool-allowed", Title: "a check says yes for a tool that does not exist",
			Reply: onUnknown(func(_ fault.Exchange, m fault.Message) fault.Message {
				return m.With("result", map[string]any{"allowed": true})
			}),
			In: fault.OverStdio(requirements.R20251125),
		}, {
			Name: "permissions-unknown-tool-internal", Title: "a check for a tool that does not exist gets an internal error",
			Reply: onUnknown(func(x fault.Exchange, _ fault.Message) fault.Message { return x.Refusal(-32603, "the lookup failed") }),
		}, {
			Name: "permissions-unknown-tool-unexplained", Title: "a check says no for a tool that does not exist, and not why",
			Reply: onUnknown(func(_ fault.Exchange, m fault.Message) fault.Message { return without(m, "reason") }),
		}}},
	}
}

// onAnswer changes the answers yes of the check, or the answers no.
func onAnswer(yes bool, change func(result fault.Message)) fault.Change {
	return fault.OnResult(check, func(result fault.Message) {
		if result["allowed"] == yes {
			change(result)
		}
	})
}

// onUnknown changes the answers of the check for unknown tools.
func onUnknown(change func(fault.Exchange, fault.Message) fault.Message) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		result, ok := m.Result()
		if ok && x.Method == check && result["allowed"] == false && result["missing_scopes"] == nil {
			m.Become(change(x, m))
		}
	}
}

// without is a copy of an answer whose result lacks a property.
func without(m fault.Message, name string) fault.Message {
	if result, ok := m.Result(); ok {
		delete(result, name)
	}
	return m
}

// shapes breaks the form of the answer.
func shapes() []fault.Fault {
	denied, each := []string{"ext-permissions/check-shape-denied"}, []string{"ext-permissions/check-shape"}
	return []fault.Fault{
		{Breaks: "ext-permissions-check-shape", Each: []fault.Fault{{
			Name: "permissions-allowed-string", Title: "allowed is a string", Kills: each,
			Reply: fault.OnResult(check, func(result fault.Message) {
				said, err := json.Marshal(result["allowed"])
				if err == nil {
					result["allowed"] = string(said)
				}
			}),
		}, {
			Name: "permissions-allowed-missing", Title: "the answer to a check has a reason and no allowed", Kills: each,
			Reply: fault.Drop(check, "/result/allowed"),
		}, {
			Name: "permissions-missing-scopes-string", Title: "missing_scopes is one string", Kills: denied,
			Reply: onAnswer(false, func(result fault.Message) { result["missing_scopes"] = "admin:harbour" }),
		}, {
			Name: "permissions-elevation-relative", Title: "elevation_url is a path", Kills: denied,
			Reply: onAnswer(false, func(result fault.Message) { result["elevation_url"] = "/elevate" }),
		}}},
	}
}

// questions breaks which questions a check accepts.
func questions() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-permissions-check-params", Each: []fault.Fault{{
			Name: "permissions-check-of-nothing", Title: "a check that names no tool is answered with yes",
			Kills:   []string{"ext-permissions/check-params-empty", "ext-permissions/check-params-no-tool"},
			Inbound: onNoTool(func(x fault.Exchange) fault.Verdict { return fault.Answer(x, map[string]any{"allowed": true}) }),
			In:      fault.OverStdio(requirements.R20251125),
		}, {
			Name: "permissions-no-tool-internal", Title: "a check that names no tool gets an internal error",
			Kills:   []string{"ext-permissions/check-params-empty", "ext-permissions/check-params-no-tool"},
			Inbound: onNoTool(func(x fault.Exchange) fault.Verdict { return fault.Refuse(x, -32603, "nil tool") }),
		}, {
			Name: "permissions-parameters-refused", Title: "a check with the arguments of the call is rejected",
			Kills: []string{"ext-permissions/check-params-parameters"},
			Inbound: fault.When(func(x fault.Exchange) bool {
				return x.Method == check && x.Param("parameters") != nil
			}).Refuse(-32602, "parameters is unknown"),
		}}},
	}
}

func onNoTool(answer func(fault.Exchange) fault.Verdict) func(fault.Exchange) fault.Verdict {
	return func(x fault.Exchange) fault.Verdict {
		if x.Method == check && x.Param("tool") == nil {
			return answer(x)
		}
		return fault.Verdict{}
	}
}
