package faults

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/permissions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// identified returns the columns in which the kit is a principal with few scopes.
func identified() []fault.Column {
	return fault.OverHTTP(requirements.R20250618, requirements.R20260728)
}

// denials breaks the answer no of a check.
func denials() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-permissions-check-denied", Each: []fault.Fault{{
			Name: "permissions-check-allows", Title: "a check says yes for a call that is refused",
			Kills: []string{"ext-permissions/check-denied"}, In: identified(), Ext: permissions.Switches{CheckAllows: signal},
		}, {
			Name: "permissions-nothing-missing", Title: "a check says no and names no scope",
			Kills: []string{"ext-permissions/check-denied-missing-scopes"},
			Reply: onAnswer(false, func(result fault.Message) { result["missing_scopes"] = []any{} }),
		}, {
			Name: "permissions-foreign-scope", Title: "a check names a scope as missing that the tool does not require",
			Kills: []string{"ext-permissions/check-denied-required-scopes"},
			Reply: onAnswer(false, func(result fault.Message) { result["missing_scopes"] = []any{"read:tides"} }),
		}}},
		{
			Name: "permissions-no-reason", Title: "a check says no and not why", Breaks: "ext-permissions-denied-explained",
			Kills: []string{"ext-permissions/denied-reason"},
			Reply: onAnswer(false, func(result fault.Message) { delete(result, "reason") }),
		}, {
			Name: "permissions-elevation-http", Title: "elevation_url is a plain http URL of another host",
			Breaks: "ext-permissions-denied-explained", Kills: []string{"ext-permissions/denied-elevation-url"},
			Reply: onAnswer(false, func(result fault.Message) { result["elevation_url"] = "http://harbour.example/grant" }),
		},
	}
}

// agreements breaks the agreement between the check and the call.
func agreements() []fault.Fault {
	return []fault.Fault{
		{
			Name: "permissions-check-runs", Title: "a check runs the tool", Breaks: "ext-permissions-check-pure",
			Kills: []string{"ext-permissions/check-pure"}, May: []string{"ext-permissions/check-keeps-quota"},
			Ext: permissions.Switches{CheckRuns: true},
		}, {
			Name: "permissions-check-runs-late", Title: "a check runs the tool some time after its answer", Breaks: "ext-permissions-check-pure",
			Kills: []string{"ext-permissions/check-pure"},
			May: []string{
				"ext-permissions/check-keeps-quota", "ext-permissions/held-not-trusted", "ext-permissions/deny-holds-no-effect",
			},
			Ext: permissions.Switches{CheckLate: true},
		}, {
			Name: "permissions-check-counts", Title: "a check uses up the quota of the tool",
			Breaks: "ext-permissions-check-pure", Kills: []string{"ext-permissions/check-keeps-quota"},
			Ext: permissions.Switches{CheckCounts: "weather_report"},
		}, {
			Name: "permissions-allowed-call-refused", Title: "a call is refused for lack of a scope after a check allowed it",
			Breaks: "ext-permissions-allow-holds", In: fault.OverStdio(requirements.R20250326, requirements.R20251125),
			Reply: refusedAfterCheck,
		},
		{Breaks: "ext-permissions-deny-holds", May: []string{"ext-permissions/held-not-trusted"}, Each: []fault.Fault{{
			Name: "permissions-denied-call-runs", Title: "a call is allowed that the check denies",
			Kills: []string{"ext-permissions/deny-holds"}, Ext: permissions.Switches{GateOpen: signal},
		}, {
			Name: "permissions-keyed-call-runs", Title: "a call with an idempotency key is allowed that the check denies",
			Kills: []string{"ext-permissions/deny-holds"}, Ext: permissions.Switches{OpenBy: "idempotency_key"},
		}, {
			Name: "permissions-refused-after-effect", Title: "a call that lacks a scope runs, and is refused afterwards",
			Kills: []string{"ext-permissions/deny-holds-no-effect"},
			May:   []string{"ext-permissions/session-token-narrows", "ext-permissions/held-not-trusted"},
			Ext:   permissions.Switches{ActsThenRefuses: true},
		}, {
			Name: "permissions-refused-before-effect", Title: "a call that lacks a scope is refused, and runs some time later",
			Kills: []string{"ext-permissions/deny-holds-no-effect"},
			May:   []string{"ext-permissions/session-token-narrows", "ext-permissions/held-not-trusted", "ext-intent/grants-no-permission"},
			Ext:   permissions.Switches{RefusesThenActs: true},
		}}},
		{
			Name:   "permissions-held-trusted",
			Title:  "the scopes that a check is told of are those of the connection from then on",
			Breaks: "ext-permissions-held-not-trusted", In: fault.OverHTTP(requirements.R20251125),
			Ext: permissions.Switches{AssertedHeld: true},
		}, {
			Name:   "permissions-held-kept",
			Title:  "the scopes that a check is told of are those of the caller for ever",
			Breaks: "ext-permissions-held-not-trusted", In: fault.OverHTTP(requirements.R20251125),
			May: []string{"ext-permissions/session-grant-bound"}, // where it is judged at the same time
			Ext: permissions.Switches{AssertedKept: true},
		}, {
			Name: "permissions-scopes-untold", Title: "the server has scopes, and no tool says which it requires",
			Breaks: "ext-permissions-scopes-per-tool", Ext: permissions.Switches{NoRequired: true},
		},
	}
}

// refusedAfterCheck refuses calls of tide_table after a check of the tool.
func refusedAfterCheck(x fault.Exchange, m fault.Message) {
	for _, before := range x.Past {
		var asked struct{ Tool string }
		if before.Method == check && json.Unmarshal(before.Params, &asked) == nil && asked.Tool == "tide_table" && x.Tool() == asked.Tool {
			m.Become(x.Answer(map[string]any{
				"content": fault.Text("SCOPE_INSUFFICIENT: the tide table needs read:tides."), "isError": true,
			}))
			return
		}
	}
}

// refusals breaks the record of a refused call.
func refusals() []fault.Fault {
	record := func(change func(record fault.Message)) fault.Change {
		return fault.OnTool(signal, func(result fault.Message) {
			meta := result.Object("_meta")
			for _, key := range []string{"error", permissions.Prefix + "error"} {
				if _, ok := meta[key]; ok {
					change(meta.Object(key))
				}
			}
		})
	}
	kind := []string{"ext-permissions/deny-holds-record"}
	return []fault.Fault{
		{Breaks: "ext-permissions-deny-holds", Kills: kind, Each: []fault.Fault{{
			Name:  "permissions-refusal-transient",
			Title: "the record of a call that lacks a scope says that it may succeed later", Kills: kind,
			Reply: record(func(r fault.Message) {
				r["code"], r["category"], r["retry_after_seconds"] = "SERVER_UNAVAILABLE", "transient", 1
			}),
		}, {
			Name: "permissions-refusal-input", Title: "the record of a call that lacks a scope blames the arguments",
			Kills: kind, Reply: record(func(r fault.Message) { r["code"], r["category"] = "INVALID_INPUT", "invalid_input" }),
		}, {
			Name:  "permissions-refusal-code",
			Title: "the record of a call that lacks a scope has the code of one without credentials", Kills: kind,
			Reply: record(func(r fault.Message) { r["code"] = "AUTHENTICATION_REQUIRED" }),
		}}},
		{
			Name: "permissions-refusal-no-details", Title: "the record of a call that lacks a scope does not say which",
			Breaks: "ext-permissions-denial-details", Kills: []string{"ext-permissions/denial-details"},
			Reply: record(func(r fault.Message) { delete(r, "details") }),
		}, {
			Name: "permissions-refusal-other-scopes", Title: "the record of a call that lacks a scope names another scope",
			Breaks: "ext-permissions-denial-details", Kills: []string{"ext-permissions/denial-details"},
			Reply: record(func(r fault.Message) { r["details"] = map[string]any{"missing_scopes": []any{"read:berths"}} }),
		}, {
			Name: "permissions-refusal-no-suggestion", Title: "the record of a call that lacks a scope suggests nothing",
			Breaks: "ext-permissions-denial-details", Kills: []string{"ext-permissions/denial-suggestion"},
			Reply: record(func(r fault.Message) { delete(r, "suggestion") }),
		},
	}
}
