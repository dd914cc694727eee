package authorization

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func scopes() []fault.Fault {
	beyond := func(change func(string) string) *fault.Auth { return challenge(http.StatusForbidden, change) }
	return []fault.Fault{
		{
			Name: "authorization-401-without-scope", Title: "a call beyond the scopes of the token is refused with status 401",
			Breaks: "authorization-403-insufficient-scope", In: middle(),
			Auth: status(http.StatusForbidden, http.StatusUnauthorized),
		}, {
			Name: "authorization-404-without-scope", Title: "a call beyond the scopes of the token is refused with status 404",
			Breaks: "authorization-403-insufficient-scope-runtime", Kills: []string{"authorization/status-without-scope"}, In: newest(),
			Auth: status(http.StatusForbidden, http.StatusNotFound),
		}, {
			Name: "authorization-scopes-ignored", Title: "a call beyond the scopes of the token is left to the tool to refuse",
			Breaks: "authorization-403-insufficient-scope-runtime", Kills: []string{"authorization/status-without-scope"},
			In: handshake(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckScope},
		}, {
			Name: "authorization-scopes-looked-at-late", Title: "a call beyond the scopes of the token is refused when it has its effect",
			Breaks: "authorization-403-insufficient-scope-runtime", Kills: []string{"authorization/scope-before-effect"},
			In: newest(), Auth: authMode(), Skip: []fault.Check{fault.CheckScopeEarly},
		}, {
			Name: "authorization-scopes-by-plain-name", Title: "a header Mcp-Name in base64 form names no tool that needs a scope",
			Breaks: "authorization-403-insufficient-scope-runtime", Kills: []string{"authorization/scope-of-encoded-name"},
			In: newest(), Auth: authMode(), Skip: []fault.Check{fault.CheckScopeEncoded},
		}, {
			Name: "authorization-scopes-outside-batches", Title: "the calls of a batch need no scopes",
			Breaks: "authorization-403-insufficient-scope", Kills: []string{"authorization/scope-in-batch"},
			May: []string{"http/session-of-another-principal"}, In: fault.OverHTTP(requirements.R20250326), Auth: authMode(),
			Skip: []fault.Check{fault.CheckScopeBatch, fault.CheckSessionOwner},
		},
		{Breaks: "authorization-403-challenge", Each: []fault.Fault{
			{Name: "authorization-403-without-challenge", Title: "the 403 has no challenge", In: newest(), Auth: beyond(noChallenge)},
			{
				Name: "authorization-403-without-error", Title: "the challenge of the 403 gives no error", In: handshake(),
				Auth: beyond(without("error")),
			}, {
				Name: "authorization-403-without-scope", Title: "the challenge of the 403 names no scope", In: newest(),
				Auth: beyond(without("scope")),
			}, {
				Name: "authorization-403-without-metadata", Title: "the challenge of the 403 does not name the metadata",
				In: handshake(), Auth: beyond(without("resource_metadata")),
			},
		}},
		{
			Name: "authorization-scopes-one-by-one", Title: "the challenge of the 403 names one of the scopes that are missing",
			Breaks: "authorization-403-all-scopes-at-once", In: newest(),
			Auth: beyond(with("scope", "read:berths write:signals")),
		}, {
			Name: "authorization-flat-scopes", Title: "a scope that includes another does not count for it",
			Breaks: "authorization-scope-hierarchy", In: newest(), Auth: authMode(), Skip: []fault.Check{fault.CheckScopeBroad},
		},
	}
}
