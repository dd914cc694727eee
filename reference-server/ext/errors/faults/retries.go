package faults

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/errors"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func retries() []fault.Fault {
	all := wrongProperties(transient, instead, []wrongProperty{
		{"retry-text", "retry_after_seconds is a string", "ext-error-retry-type", "retry-time-type", "retry_after_seconds", "42"},
		{"retry-fraction", "retry_after_seconds has a fraction", "ext-error-retry-type", "retry-time-type", "retry_after_seconds", 1.5},
		{"retry-negative", "retry_after_seconds is negative", "ext-error-retry-type", "retry-time-type", "retry_after_seconds", -1},
	})
	silent := func(record map[string]any) { delete(record, "retry_after_seconds") }
	return append(all,
		fault.Fault{
			Name: "errors-limit-without-time", Title: "a record of the category rate_limited states no time",
			Breaks: "ext-error-retry-required", Kills: []string{suite + "retry-time-stated"},
			May: []string{suite + "retry-time-true"}, // the case reaches the limit
			Ext: on(limited, silent),
		},
		fault.Fault{
			Name: "errors-transient-without-time", Title: "a record of the category transient states no time",
			Breaks: "ext-error-retry-required", Ext: on(transient, silent),
		},
		fault.Fault{
			Name: "errors-transient-permanent", Title: "a failure that passes is told as permanent",
			Breaks: "ext-error-passing-transient",
			Ext: on(transient, func(record map[string]any) {
				record["code"], record["category"] = "SERVER_ERROR", "permanent"
				silent(record)
			}),
		},
		fault.Fault{
			Name: "errors-limit-never-lifts", Title: "a limit never ends, although a second is stated",
			Breaks: "ext-error-retry-true", In: fault.OverStdio(requirements.R20260728), Reply: refused(1),
		},
		fault.Fault{
			Name: "errors-limit-longer", Title: "a limit lasts for a minute, although a second is stated first",
			Breaks: "ext-error-retry-true", In: fault.OverStdio(requirements.R20251125), Reply: refused(60),
		},
	)
}

// refused makes all calls with the same arguments after the third fail: the fourth
// states a second, later calls another time.
func refused(later int) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		calls := 0
		for _, past := range x.Past {
			if past.Method == "tools/call" && arguments(past.Params) == arguments(x.Params) {
				calls++
			}
		}
		if x.Tool() != limited || calls < 3 {
			return
		}
		seconds := 1
		if calls > 3 {
			seconds = later
		}
		m.Become(x.Answer(map[string]any{
			"content": fault.Text("The station was asked too often."), "isError": true, "resultType": "complete",
			"_meta": map[string]any{"error": map[string]any{
				"code": "RATE_LIMIT_EXCEEDED", "message": "The station was asked too often.",
				"category": "rate_limited", "retry_after_seconds": seconds,
			}},
		}))
	}
}

func arguments(params json.RawMessage) string {
	var call struct{ Arguments json.RawMessage }
	_ = json.Unmarshal(params, &call) // unreadable params have no arguments
	return string(call.Arguments)
}

func failures() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-error-invalid-arguments", Each: []fault.Fault{{
			Name: "errors-invalid-permanent", Title: "invalid arguments are told as permanent",
			Kills: []string{suite + "invalid-arguments-category"},
			Ext:   on(fitting, func(record map[string]any) { record["code"], record["category"] = "SERVER_ERROR", "permanent" }),
		}, {
			Name: "errors-invalid-protocol-error", Title: "invalid arguments are answered with a JSON-RPC error",
			Kills: []string{suite + "invalid-arguments-readable"},
			Reply: onInvalid(func(x fault.Exchange, m fault.Message) fault.Message {
				result, _ := m.Result()
				refusal := x.Refusal(-32602, "the arguments are invalid")
				refusal.Object("error")["data"] = result.Object("_meta")["error"]
				return refusal
			}),
		}}},
		{
			Name: "errors-unknown-tool-scope", Title: "an unknown tool is told as a missing scope",
			Breaks: "ext-error-unknown-tool", Kills: []string{suite + "unknown-tool-category"},
			Ext: on(unknown, func(record map[string]any) {
				record["code"], record["category"] = "SCOPE_INSUFFICIENT", "auth_required"
			}),
		}, {
			Name: "errors-unknown-tool-success", Title: "an unknown tool gives a result with an error property",
			Breaks: "ext-error-unknown-tool", Kills: []string{suite + "unknown-tool-fails"},
			May: []string{"tools/unknown-name"},
			Reply: onUnknown(func(x fault.Exchange, m fault.Message) fault.Message {
				return x.Answer(map[string]any{"content": []any{}, "error": m.Object("error")["data"], "resultType": "complete"})
			}),
		}, {
			Name: "errors-not-found-transient", Title: "a booking that does not exist is told as transient",
			Breaks: "ext-error-not-found-permanent",
			Ext: on(missing, func(record map[string]any) {
				record["code"], record["category"], record["retry_after_seconds"] = "BOOKING_PENDING", "transient", 1
			}),
		},
	}
}

// onInvalid changes the answers to calls with invalid arguments.
func onInvalid(change func(x fault.Exchange, m fault.Message) fault.Message) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if result, ok := m.Result(); ok && x.Tool() == fitting {
			record := result.Object("_meta").Object("error")
			if record["category"] == "invalid_input" {
				m.Become(change(x, m))
			}
		}
	}
}

// undeclared selects clients that do not declare the extension.
func undeclared(x fault.Exchange) bool {
	extensions, told := x.Declared()
	return told && extensions[errors.Prefix+"structured_errors"] == nil
}
