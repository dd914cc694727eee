package faults

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// auth breaks the manifest's statements about authentication and scopes.
func auth() []fault.Fault {
	seconds := func(value any) fault.Change { return fault.Set(method, "/result/auth/session_ttl_seconds", value) }
	return []fault.Fault{
		{Breaks: "ext-manifest-auth-methods-enum", Each: []fault.Fault{
			{Name: "manifest-method-short", Title: "auth.methods holds oauth2", Reply: fault.Set(method, "/result/auth/methods/-", "oauth2")},
			{
				Name: "manifest-method-long", Title: "auth.methods holds oauth2_authorization_code",
				Reply: fault.Set(method, "/result/auth/methods/-", "oauth2_authorization_code"),
			},
			{Name: "manifest-methods-string", Title: "auth.methods is a string", Reply: fault.Set(method, "/result/auth/methods", "bearer_token")},
		}},
		{Breaks: "ext-manifest-session-ttl", Each: []fault.Fault{
			{Name: "manifest-session-ttl-string", Title: "auth.session_ttl_seconds is a string", Reply: seconds("1800")},
			{Name: "manifest-session-ttl-fraction", Title: "auth.session_ttl_seconds has a fraction", Reply: seconds(30.5)},
			{Name: "manifest-session-ttl-negative", Title: "auth.session_ttl_seconds is below zero", Reply: seconds(-1)},
		}},
		{Breaks: "ext-manifest-scopes-shape", Each: []fault.Fault{
			{Name: "manifest-scope-string", Title: "a scope is a string", Reply: fault.Set(method, "/result/auth/scopes/-", "admin:harbour")},
			{
				Name: "manifest-scope-undescribed", Title: "a scope has no description",
				Reply: fault.Set(method, "/result/auth/scopes/-", map[string]any{"name": "admin:harbour"}),
			}, {
				Name: "manifest-grants-string", Title: "grants of a scope is a string",
				Reply: fault.Set(method, "/result/auth/scopes/-", map[string]any{
					"name": "admin:harbour", "description": "Run the harbour.", "grants": booking,
				}),
			},
		}},
		{Breaks: "ext-manifest-scopes-resolve", Each: []fault.Fault{{
			Name: "manifest-scope-undeclared", Title: "a tool requires a scope that auth.scopes does not have",
			Reply: entry(booking, func(tool map[string]any) {
				tool["required_scopes"] = append(slices.Clone(list(tool, "required_scopes")), "admin:fleet")
			}),
		}, {
			Name: "manifest-grants-unknown-tool", Title: "a scope grants a tool that does not exist",
			Reply: scoped(func(grants []any) []any { return append(slices.Clone(grants), "get_ticket") }),
		}, {
			Name: "manifest-grants-leave-out", Title: "a scope does not grant a tool that requires it",
			Reply: scoped(func(grants []any) []any { return grants[min(1, len(grants)):] }),
		}}},
	}
}

// scoped changes the tools that the first scope grants.
func scoped(change func(grants []any) []any) fault.Change {
	return document(func(manifest fault.Message) {
		for i, one := range list(manifest.Object("auth"), "scopes") {
			if scope, ok := one.(map[string]any); ok && i == 0 {
				scope["grants"] = change(list(scope, "grants"))
			}
		}
	})
}
