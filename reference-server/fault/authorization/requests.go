package authorization

import (
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func requests() []fault.Fault {
	return []fault.Fault{
		{
			Name: "authorization-query-token", Title: "a token in the query string is taken",
			Breaks: "authorization-query-token-refused", Kills: []string{"authorization/query-token"}, In: newest(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckTokenPlace},
		},
		{Breaks: "authorization-every-request", May: []string{"http/session-of-another-principal"}, Each: []fault.Fault{{
			Name: "authorization-first-request-only", Title: "only the opening has to show a token",
			Kills: []string{"authorization/every-request"}, In: fault.OverHTTP(requirements.R20260728, requirements.R20250618),
			Auth: authMode(), Skip: []fault.Check{fault.CheckTokenEach, fault.CheckSessionOwner},
		}, {
			Name: "authorization-any-token-in-session", Title: "any text is taken for a token beside the id of a session",
			Kills: []string{"authorization/every-request"}, In: middle(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckTokenInSession, fault.CheckSessionOwner},
		}, {
			Name: "authorization-open-stream", Title: "the stream of a session needs no token",
			Kills: []string{"authorization/every-stream"}, In: middle(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckStreamToken, fault.CheckSessionOwner},
		}, {
			Name: "authorization-open-end", Title: "a session is ended by whoever knows its id",
			Kills: []string{"authorization/every-end"}, In: middle(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckDeleteToken, fault.CheckSessionOwner},
		}}},
		{
			Name: "authorization-effect-first", Title: "a tool is called before its token is looked at",
			Breaks: "authorization-token-validated", In: newest(), Auth: authMode(), Skip: []fault.Check{fault.CheckEarly},
		}, {
			Name: "authorization-login-over-stdio", Title: "over stdio the tools are listed to whoever has a bearer token",
			Breaks: "authorization-not-on-stdio", May: []string{"pagination/invalid-cursor-code-prompts"},
			In: fault.OverStdio(requirements.R20251125),
			Inbound: func(x fault.Exchange) fault.Verdict {
				if x.Method != "prompts/list" {
					return fault.Verdict{}
				}
				const code = -32001
				return fault.Refuse(x, code, "a bearer token is missing: complete the OAuth flow first")
			},
		},
	}
}
