package faults

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/permissions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// sessions breaks the description of the session in a negotiation.
func sessions() []fault.Fault {
	shape := []string{"ext-permissions/session-shape"}
	return []fault.Fault{
		{Breaks: "ext-session-token-shape", Each: []fault.Fault{{
			Name: "permissions-endless-session", Title: "the session does not say when it ends", Kills: shape,
			Reply: onSession(func(s fault.Message) { delete(s, "expires_at") }),
		}, {
			Name: "permissions-end-in-seconds", Title: "expires_at is a number of seconds", Kills: shape,
			Reply: onSession(func(s fault.Message) { s["expires_at"] = 60 }),
		}, {
			Name: "permissions-empty-token", Title: "the token of the session is empty", Kills: shape,
			Reply: onSession(func(s fault.Message) { s["token"] = "" }),
		}, {
			Name: "permissions-wider-session", Title: "the session has more scopes than were granted",
			Kills: []string{"ext-permissions/session-scopes"},
			Reply: onSession(func(s fault.Message) {
				scopes, _ := s["scopes"].([]string)
				s["scopes"] = append(append([]string{}, scopes...), "admin:harbour")
			}),
		}}},
		{Breaks: "ext-session-ttl-bounded", Each: []fault.Fault{
			{Name: "permissions-session-over", Title: "expires_at of a new session lies an hour in the past", Reply: endingIn(-time.Hour)},
			{Name: "permissions-day-long-session", Title: "a session for a minute ends after a day", Reply: onlyFor(hasTTL, endingIn(24*time.Hour))},
		}},
		{
			Name:   "permissions-names-sessions",
			Title:  "the refusal of an unknown token names the tokens of the sessions that there are",
			Breaks: "ext-error-no-internals", Kills: []string{"ext-structured-errors/details-no-secrets"},
			Silent: []string{"ext-permissions/session-token-altered"}, Ext: permissions.Switches{NamesSessions: true},
		},
		{
			Name:   "permissions-ttl-undeclared",
			Title:  "the manifest says that unused sessions end after 15 minutes, and they live for a day",
			Breaks: "ext-session-ttl-as-declared",
			Reply:  onlyFor(func(x fault.Exchange) bool { return !hasTTL(x) }, endingIn(24*time.Hour)),
		},
	}
}

func onSession(change func(session fault.Message)) fault.Change {
	return fault.OnResult(negotiate, func(result fault.Message) { change(result.Object("session")) })
}

// endingIn gives a session a wrong end, and says that it may stay unused until then.
func endingIn(d time.Duration) fault.Change {
	return onSession(func(s fault.Message) {
		s["expires_at"] = time.Now().Add(d).UTC().Format(time.RFC3339)
		delete(s, "inactivity_timeout_seconds")
	})
}

// hasTTL says whether a negotiation asks for a ttl.
func hasTTL(x fault.Exchange) bool { return x.Param("ttl_seconds") != nil }

type reply = fault.Change

// onlyFor limits a change to the answers to some requests.
func onlyFor(which func(fault.Exchange) bool, change reply) reply {
	return func(x fault.Exchange, m fault.Message) {
		if !which(x) {
			return
		}
		change(x, m)
	}
}

// tokens breaks what a token allows, and for how long.
func tokens() []fault.Fault {
	return []fault.Fault{
		{
			Name: "permissions-token-unread", Title: "session tokens are ignored", Breaks: "ext-session-token-works",
			Kills: []string{"ext-permissions/session-token-works"}, In: identified(),
			May: []string{"ext-permissions/session-token-narrows", "ext-permissions/session-token-random-own-rights",
				"ext-permissions/session-token-expires-own-rights"},
			Ext: permissions.Switches{IgnoreToken: true},
		}, {
			Name: "permissions-token-opens-all", Title: "a session token opens every tool", Breaks: "ext-session-token-works",
			Kills: []string{"ext-permissions/session-token-bounds"},
			May:   []string{"ext-permissions/session-token-narrows"}, Ext: permissions.Switches{TokenOpensAll: true},
		}, {
			Name: "permissions-token-opens-denied", Title: "a session token opens each requested scope, also a denied one",
			Breaks: "ext-session-token-works", Kills: []string{"ext-permissions/session-token-bounds"}, Ext: permissions.Switches{DeniedKept: true},
		},
		{Breaks: "ext-session-token-forged", Each: []fault.Fault{
			{Name: "permissions-any-token", Title: "every session token is accepted, whoever made it up", Ext: permissions.Switches{AnyToken: true}},
			{
				Name: "permissions-token-tail", Title: "only the beginning of a session token is compared",
				Kills: []string{"ext-permissions/session-token-altered"}, Ext: permissions.Switches{TokenTail: true},
			}, {
				Name:  "permissions-forged-permanent",
				Title: "the record of a call with a made-up token says that it can never succeed",
				Reply: fault.OnTool("book_berth", func(result fault.Message) {
					meta := result.Object("_meta")
					for _, key := range []string{"error", permissions.Prefix + "error"} {
						record, _ := meta[key].(map[string]any)
						if record["code"] == "AUTHENTICATION_REQUIRED" {
							record["code"], record["category"] = "PERMISSION_DENIED", "permanent"
						}
					}
				}),
			},
		}},
		{
			Name: "permissions-never-expires", Title: "a session outlives its end", Breaks: "ext-session-token-expires",
			Kills: []string{"ext-permissions/session-token-expires"},
			May:   []string{"ext-permissions/session-token-expires-own-rights"}, Ext: permissions.Switches{NeverExpires: true},
		}, {
			Name: "permissions-never-inactive", Title: "a session may be unused for longer than it says",
			Breaks: "ext-session-token-expires", Kills: []string{"ext-permissions/session-token-inactive"},
			Ext: permissions.Switches{NeverIdle: true},
		},
	}
}

// bounds breaks that a session opens what was granted to it, with its token, and nothing
// else.
func bounds() []fault.Fault {
	return []fault.Fault{
		{
			Name: "permissions-token-widens", Title: "a token adds to the rights of its caller", Breaks: "ext-session-token-narrows",
			Ext: permissions.Switches{TokenWidens: true},
		}, {
			Name: "permissions-forged-dropped", Title: "a call with an unknown token is judged by the rights of its caller",
			Breaks: "ext-session-token-forged", Kills: []string{"ext-permissions/session-token-random-own-rights"},
			May: []string{"ext-permissions/session-token-expires-own-rights"}, In: identified(),
			Ext: permissions.Switches{ForgedDropped: true},
		}, {
			Name: "permissions-expired-dropped", Title: "a call with a token that has expired is judged by the rights of its caller",
			Breaks: "ext-session-token-expires", Kills: []string{"ext-permissions/session-token-expires-own-rights"}, In: identified(),
			May: []string{"ext-permissions/session-token-random-own-rights"},
			Ext: permissions.Switches{ForgedDropped: true},
		}, {
			Name: "permissions-grant-kept", Title: "a caller keeps the scopes of its session without the token", Breaks: "ext-session-grant-bound",
			In: fault.OverHTTP(requirements.R20260728), Ext: permissions.Switches{GrantKept: true},
		}, {
			Name: "permissions-counted-tokens", Title: "the tokens of sessions are counted", Breaks: "ext-session-token-unguessable",
			Ext: permissions.Switches{CountedTokens: true},
		},
	}
}
