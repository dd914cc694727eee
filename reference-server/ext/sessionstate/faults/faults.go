// Package faults holds the ways to break the session-state extension.
package faults

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/sessionstate"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const (
	suite = "ext-session-state/"

	writing, reading = "draft_notice", "read_draft"
	lifecycle        = "notifications/session/lifecycle"
)

// Faults lists the faults of the extension.
func Faults() []fault.Fault { return slices.Concat(tokens(), carriage(), refusals(), sessions()) }

// meta changes what the results of the tools with state say of it, in both places.
func meta(name string, value func(before any) any) fault.Change {
	return fault.Tool(writing, reading).Result(func(result fault.Message) {
		m := result.Object("_meta")
		for _, key := range []string{name, sessionstate.Prefix + name} {
			if before, there := m[key]; there {
				if m[key] = value(before); m[key] == nil {
					delete(m, key)
				}
			}
		}
	})
}

func becomes(value any) func(any) any { return func(any) any { return value } }

// session changes the session object.
func session(change func(session fault.Message)) fault.Change {
	return meta("session", func(before any) any {
		object, _ := before.(map[string]any)
		changed := fault.Message(object).Without("")
		change(changed)
		return map[string]any(changed)
	})
}

// brings selects calls of the tools with state by the token that they bring; nil for none.
func brings(fits func(token any) bool) fault.When {
	return fault.Tool(writing, reading).And(func(x fault.Exchange) bool {
		meta, _ := x.Param("_meta").(map[string]any)
		return fits(meta["session_state"])
	})
}

func tokens() []fault.Fault {
	const returned, base64, updated = "ext-state-token-returned", "ext-state-token-base64", "ext-state-updated"
	return []fault.Fault{
		{Breaks: returned, Each: []fault.Fault{{
			Name: "state-token-object", Title: "session_state is an object that clients are to read", Reply: fault.Changes(
				meta("session_state", becomes(map[string]any{"lines": 1})), meta("session", becomes(nil))),
		}, {
			Name: "state-token-never", Title: "session state is declared, and no token is ever given out", Reply: fault.Changes(
				meta("session_state", becomes(nil)), meta("session", becomes(nil)), meta("state_changed", becomes(nil))),
		}}},
		{Breaks: base64, Each: []fault.Fault{{
			Name: "state-token-json", Title: "session_state is JSON text", Ext: sessionstate.Switches{Before: `{"draft":"`, Behind: `"}`},
		}, {
			Name: "state-token-control", Title: "session_state has control characters", Ext: sessionstate.Switches{Before: "\x01\x02"},
		}}},
		{
			Name: "state-token-grows", Title: "session_state grows with every call, beyond the limit", Breaks: "ext-state-token-size",
			Ext: sessionstate.Switches{Grows: true},
		},
		{Breaks: updated, Each: []fault.Fault{{
			Name: "state-changed-denied", Title: "state_changed is false beside a token with another state",
			Kills: []string{suite + "state-changed-true"}, Reply: meta("state_changed", becomes(false)),
		}, {
			Name: "state-changed-asserted", Title: "state_changed is true beside the token that the client sent",
			Kills: []string{suite + "state-changed-true"}, Reply: fault.Tool(writing).Change(keepsToken),
		}, {
			Name: "state-changed-always", Title: "state_changed is true beside the token that a call only reads",
			Kills: []string{suite + "state-changed-true"}, Reply: fault.Tool(reading).Change(func(x fault.Exchange, m fault.Message) {
				keepsToken(x, m)
				meta("state_changed", becomes(true))(x, m)
			}),
		}, {
			Name: "state-changed-two-ways", Title: "state_changed differs between its two names",
			Kills: []string{suite + "state-changed-type"}, In: fault.OverStdio(requirements.R20260728),
			Reply: fault.Tool(writing).Result(func(result fault.Message) {
				if changed, given := result.Object("_meta")["state_changed"].(bool); given {
					result.Object("_meta")["state_changed"] = !changed
				}
			}),
		}, {
			Name: "state-changed-string", Title: `state_changed is "yes"`, Kills: []string{suite + "state-changed-type"},
			Reply: meta("state_changed", becomes("yes")),
		}}},
	}
}

// keepsToken answers with the token of the request.
func keepsToken(x fault.Exchange, m fault.Message) {
	asked, _ := x.Param("_meta").(map[string]any)
	if token, ok := asked["session_state"]; ok {
		meta("session_state", becomes(token))(x, m)
	}
}

func carriage() []fault.Fault {
	const carried = "ext-state-carried"
	return []fault.Fault{
		{Breaks: carried, Each: []fault.Fault{{
			Name: "state-ignored", Title: "session_state is ignored", Kills: []string{suite + "continues"},
			Ext: sessionstate.Switches{Ignores: true},
		}, {
			Name: "state-remembered", Title: "the server keeps the state too, and a call without a token continues",
			Kills: []string{suite + "fresh-without-token"}, Ext: sessionstate.Switches{Remembers: reading},
		}, {
			Name: "state-gathered-property", Title: "a call without a token has the lines of all callers in a property",
			Kills: []string{suite + "fresh-without-token"}, May: []string{"ext-manifest/output-typed", "ext-content/output-schema-declared"},
			Reply: fault.Changes(
				fault.Tool(reading).And(brings(func(token any) bool { return token == nil })).
					Set("/result/structuredContent", map[string]any{"draft": "wind from west\ncalm sea"}),
				fault.Tool(reading).And(brings(func(token any) bool { return token == nil })).
					Set("/result/content/0/text", `{"draft":"wind from west\ncalm sea"}`)),
		}, {
			Name: "state-gathered", Title: "a call without a token answers with the lines of all callers",
			Kills: []string{suite + "fresh-without-token"},
			Reply: fault.Tool(reading).And(brings(func(token any) bool { return token == nil })).
				Set("/result/content/0/text", "wind from west\ncalm sea"),
		}, {
			Name: "state-of-another", Title: "a call continues with the state of another token", Kills: []string{suite + "continues"},
			Ext: sessionstate.Switches{Latest: true},
		}}},
		{Breaks: "ext-state-optional", Each: []fault.Fault{{
			Name: "state-token-demanded", Title: "a call without session_state is rejected", Kills: []string{suite + "token-optional"},
			Inbound: brings(func(token any) bool { return token == nil }).Refuse(-32602, "session_state is missing"),
		}, {
			Name: "state-token-demanded-anywhere", Title: "a tool without state rejects calls without session_state",
			Kills: []string{suite + "plain-call"}, Inbound: fault.Tool("tide_table").Refuse(-32602, "session_state is missing"),
		}}},
	}
}

func refusals() []fault.Fault {
	const garbage, tamper, oversize, stale = "ext-state-garbage-refused", "ext-state-tamper-refused", "ext-state-oversize-refused",
		"ext-state-stale-recoverable"
	is := func(want any) fault.When { return brings(func(token any) bool { return token == want }) }
	long := brings(func(token any) bool { text, _ := token.(string); return len(text) > 64<<10 })
	number := is(float64(42))
	return []fault.Fault{
		{Breaks: garbage, Each: []fault.Fault{{
			Name: "state-garbage-internal", Title: "a token that cannot be read is answered with -32603",
			Kills: []string{suite + "undecodable-rejected"}, Inbound: is("@@@").Refuse(-32603, "illegal base64 data"),
		}, {
			Name: "state-garbage-fresh", Title: "a token that cannot be read counts as none", Kills: []string{suite + "undecodable-rejected"},
			Ext: sessionstate.Switches{GarbageFresh: true},
		}, {
			Name: "state-garbage-ends", Title: "the server ends at a token that cannot be read", Kills: []string{suite + "undecodable-rejected"},
			Inbound: is("@@@").Exit(1),
		}, {
			Name: "state-number-internal", Title: "a number in place of a token is answered with -32603",
			Kills: []string{suite + "number-rejected"}, Inbound: number.Refuse(-32603, "interface conversion"),
		}, {
			Name: "state-empty-internal", Title: "an empty token is answered with -32603", Kills: []string{suite + "empty-handled"},
			Inbound: is("").Refuse(-32603, "unexpected end of data"),
		}, {
			Name: "state-garbage-lasting", Title: "the record of a token that cannot be read is transient",
			Kills: []string{suite + "undecodable-rejected"}, Reply: is("@@@").Result(transient),
		}}},
		{Breaks: tamper, Each: []fault.Fault{{
			Name: "state-unsealed", Title: "session_state is plain base64 of JSON, and is taken after a change",
			Kills: []string{suite + "rewritten-rejected"}, May: []string{suite + "altered-rejected", suite + "other-caller-rejected"},
			Ext: sessionstate.Switches{Unsealed: true},
		}, {
			Name: "state-owner-compared", Title: "session_state is plain base64 of JSON, of which only the owner is compared",
			Kills: []string{suite + "rewritten-rejected"}, May: []string{suite + "altered-rejected"},
			Ext: sessionstate.Switches{Unsealed: true, OwnerCompared: true},
		}, {
			Name: "state-length-checked", Title: "of a token only the length is checked", Kills: []string{suite + "altered-rejected"},
			Ext: sessionstate.Switches{LengthOnly: true},
		}}},
		{Breaks: oversize, Each: []fault.Fault{{
			Name: "state-oversize-hangs", Title: "a call with a token beyond 64 KiB is never answered", Hangs: true, Inbound: long.Hang(),
		}, {
			Name: "state-oversize-internal", Title: "a token beyond 64 KiB is answered with -32603", Inbound: long.Refuse(-32603, "token too long"),
		}}},
		{Breaks: stale, Each: []fault.Fault{{
			Name: "state-never-stale", Title: "a token works beyond its end", Ext: sessionstate.Switches{NeverStale: true},
		}, {
			Name: "state-stuck-when-stale", Title: "after a stale token a call without one fails", Ext: sessionstate.Switches{StuckWhenStale: true},
		}}},
		{
			Name: "state-any-caller", Title: "a token opens the state of one caller to another", Breaks: "ext-state-not-cross-user",
			In:  fault.OverHTTP(requirements.R20250618, requirements.R20260728),
			Ext: sessionstate.Switches{AnyPrincipal: true},
		},
	}
}

// transient makes a record one of a failure that passes.
func transient(result fault.Message) {
	m := result.Object("_meta")
	for _, key := range []string{"error", sessionstate.Prefix + "error"} {
		if record, ok := m[key].(map[string]any); ok {
			record["code"], record["category"], record["retry_after_seconds"] = "SERVER_UNAVAILABLE", "transient", json.Number("1")
		}
	}
}

func sessions() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-state-object", Each: []fault.Fault{{
			Name: "state-session-stateless", Title: "a session object has no state",
			Kills: []string{suite + "session-shape"},
			Reply: session(func(s fault.Message) { delete(s, "state") }),
		}, {
			Name: "state-session-string", Title: "the session under the name of the extension is a string",
			Kills: []string{suite + "session-shape"}, In: fault.OverStdio(requirements.R20260728),
			Reply: meta("session", becomes("s-17")),
		}, {
			Name: "state-session-ends-early", Title: "expires_at of a session lies before created_at",
			Kills: []string{suite + "session-shape"},
			May:   []string{"ext-session-state/stale-recoverable"},
			Reply: session(func(s fault.Message) { s["expires_at"] = "1999-12-01T00:00:00Z" }),
		}, {
			Name: "state-session-one-name", Title: "all sessions have one session_id", Kills: []string{suite + "session-began"},
			Reply: session(func(s fault.Message) { s["session_id"] = "s-1" }),
		}, {
			Name: "state-session-began-before", Title: "a call that continues a session says that it began at another time",
			Kills: []string{suite + "session-began"},
			Reply: brings(func(token any) bool { return token != nil }).
				Change(session(func(s fault.Message) { s["created_at"] = "1999-12-01T00:00:00Z" })),
		}, {
			Name: "state-session-seconds", Title: "created_at of a session is a number",
			Kills: []string{suite + "session-shape"},
			Reply: session(func(s fault.Message) { s["created_at"] = 1785499200 }),
		}}},
		{Breaks: "ext-state-lifecycle-events", Each: []fault.Fault{{
			Name: "state-event-created", Title: `the type of a lifecycle event is "created"`,
			Notify: fault.Set(lifecycle, "/params/type", "created"),
		}, {
			Name: "state-event-timeless", Title: "a lifecycle event has no timestamp", Notify: fault.Drop(lifecycle, "/params/timestamp"),
		}, {
			Name: "state-event-nameless", Title: "a lifecycle event has no session_id", Notify: fault.Drop(lifecycle, "/params/session_id"),
		}}},
	}
}
