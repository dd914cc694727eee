package faults

import (
	"encoding/json"
	"maps"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/permissions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// negotiations breaks the answer of a negotiation.
func negotiations() []fault.Fault {
	shape := []string{"ext-permissions/negotiate-shape"}
	return []fault.Fault{
		{Breaks: "ext-scopes-negotiate-shape", Each: []fault.Fault{{
			Name: "permissions-no-session", Title: "a negotiation gives out no session", Kills: shape,
			Reply: fault.Drop(negotiate, "/result/session"),
		}, {
			Name: "permissions-no-granted-scopes", Title: "a negotiation does not say what is granted", Kills: shape,
			Reply: fault.Drop(negotiate, "/result/granted_scopes"),
		}, {
			Name: "permissions-denied-strings", Title: "denied_scopes is a list of strings", Kills: shape,
			Reply: onDenied(func(entry map[string]any) any { return entry["scope"] }),
		}, {
			Name: "permissions-no-negotiation", Title: "scopes/negotiate is an unknown method", Kills: shape,
			Reply: fault.On(negotiate).Instead(func(x fault.Exchange) fault.Message { return x.Refusal(-32601, "unknown method") }),
		}, {
			Name: "permissions-denied-unexplained", Title: "a scope is denied without a reason",
			Kills: []string{"ext-permissions/negotiate-denied-reason"},
			Reply: onDenied(func(entry map[string]any) any { return map[string]any{"scope": entry["scope"]} }),
		}}},
		{
			Name: "permissions-any-scope", Title: "every scope that is requested is granted, whether it exists or not",
			Breaks: "ext-scopes-unknown-denied",
			Reply: onRequested(func(requested []string, result fault.Message) {
				result["granted_scopes"], result["denied_scopes"] = requested, []any{}
				result.Object("session")["scopes"] = requested
			}),
		}, {
			Name: "permissions-requested-coaxed", Title: "a negotiation that does not say for which scopes grants all",
			Breaks: "ext-scopes-negotiate-required", Ext: permissions.Switches{Coaxes: true},
		}, {
			Name:   "permissions-requested-internal",
			Title:  "a negotiation that does not say for which scopes gets an internal error",
			Breaks: "ext-scopes-negotiate-required",
			Reply: func(x fault.Exchange, m fault.Message) {
				if _, failed := m["error"]; failed && x.Method == negotiate {
					m.Become(x.Refusal(-32603, "the scopes could not be read"))
				}
			},
		},
	}
}

func onDenied(change func(entry map[string]any) any) fault.Change {
	return fault.OnResult(negotiate, func(result fault.Message) {
		entries, _ := result["denied_scopes"].([]any)
		changed := make([]any, len(entries))
		for i, entry := range entries {
			one, _ := entry.(map[string]any)
			changed[i] = change(maps.Clone(one))
		}
		result["denied_scopes"] = changed
	})
}

func onRequested(change func(requested []string, result fault.Message)) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		var asked struct {
			Requested []string `json:"requested_scopes"`
		}
		if result, ok := m.Result(); ok && x.Method == negotiate && json.Unmarshal(x.Params, &asked) == nil {
			change(asked.Requested, result)
		}
	}
}

// partitions breaks that each scope is either granted or denied.
func partitions() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-scopes-granted-subset", Each: []fault.Fault{{
			Name: "permissions-extra-scope", Title: "a negotiation grants a scope that was not requested",
			Kills: []string{"ext-permissions/granted-requested", "ext-permissions/granted-none"}, Reply: granting("admin:fleet"),
		}, {
			Name: "permissions-none-is-all", Title: "a negotiation for no scopes grants those that there are",
			Kills: []string{"ext-permissions/granted-none"},
			Reply: onRequested(func(requested []string, result fault.Message) {
				if len(requested) == 0 {
					granted := []string{"read:berths", "write:berths"}
					result["granted_scopes"], result.Object("session")["scopes"] = granted, granted
				}
			}),
		}, {
			Name: "permissions-granted-and-denied", Title: "a scope is both granted and denied",
			Kills: []string{"ext-permissions/granted-not-denied"}, May: []string{"ext-permissions/granted-none"},
			Reply: granting("admin:harbour"),
		}, {
			Name: "permissions-scope-vanishes", Title: "a scope that is not granted is not mentioned",
			Kills: []string{"ext-permissions/granted-or-denied"}, Reply: fault.Drop(negotiate, "/result/denied_scopes"),
		}, {
			Name: "permissions-grant-untold", Title: "a session has scopes that the negotiation does not list as granted",
			Kills: []string{"ext-permissions/granted-or-denied"}, Silent: []string{"ext-permissions/session-scopes"},
			Reply: fault.Set(negotiate, "/result/granted_scopes", []string{}),
		}}},
	}
}

// granting adds a scope to the granted ones.
func granting(scope string) fault.Change {
	return fault.OnResult(negotiate, func(result fault.Message) {
		granted, _ := result["granted_scopes"].([]string)
		granted = append(append([]string{}, granted...), scope)
		result["granted_scopes"] = granted
		result.Object("session")["scopes"] = granted
	})
}
