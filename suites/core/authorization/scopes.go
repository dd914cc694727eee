package authorization

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func scopeCases() []suite.Case {
	limited := []suite.Need{principal("limited"), suite.Role(roles.Denied)}
	return []suite.Case{
		{
			ID:     "authorization/status-without-scope",
			Title:  "a call beyond the scopes of the token is refused with HTTP status 403",
			Checks: []requirements.ID{"authorization-403-insufficient-scope", "authorization-403-insufficient-scope-runtime"},
			Needs:  limited,
			Fix:    "answer status 403 when the token is valid and lacks a scope",
			Run:    statusWithoutScope,
		},
		{
			ID:     "authorization/challenge-without-scope",
			Title:  "the 403 says insufficient_scope, the scopes that are needed, and where the metadata is",
			Checks: []requirements.ID{"authorization-403-challenge"},
			Needs:  limited,
			Fix:    `send WWW-Authenticate: Bearer error="insufficient_scope", scope="...", resource_metadata="..." with the 403`,
			Run:    challengeWithoutScope,
		},
		{
			ID:     "authorization/all-scopes-at-once",
			Title:  "a token with the scopes of the challenge is enough for the call",
			Checks: []requirements.ID{"authorization-403-all-scopes-at-once"},
			Needs:  append(limited, principal("token-command")),
			Fix:    "name all scopes that the call needs in one challenge",
			Run:    allScopesAtOnce,
		},
		{
			ID:       "authorization/scope-before-effect",
			Title:    "a call beyond the scopes of the token changes nothing",
			Checks:   []requirements.ID{"authorization-403-insufficient-scope-runtime"},
			Needs:    []suite.Need{principal("limited"), suite.Role(roles.Denied, "observe")},
			Fix:      "look at the scopes of the token before the tool runs",
			Observes: roles.Denied,
			Run:      scopeBeforeEffect,
		},
		{
			ID:        "authorization/scope-in-batch",
			Title:     "a call beyond the scopes of the token is refused in a batch as well",
			Checks:    []requirements.ID{"authorization-403-insufficient-scope"},
			Needs:     limited,
			Revisions: []requirements.Revision{requirements.R20250326},
			Fix:       "look at the scopes of the token for each message of a batch",
			Run: func(c *probe.Client) error {
				return otherwiseRefused(c, func(limited *probe.Client, params probe.Object) (probe.Evident, bool) {
					const id = "930403"
					x := probe.Exchange(limited, "["+probe.RequestText(id, "tools/call", params)+"]", id)
					return x, slices.ContainsFunc(x.Answers[id], func(m frame.Message) bool {
						failed, _ := m.At("/result/isError")
						return m.Class == frame.Result && failed != true
					})
				}, "in a batch")
			},
		},
		{
			ID:        "authorization/scope-of-encoded-name",
			Title:     "a call beyond the scopes of the token is refused where the header Mcp-Name is in base64 form as well",
			Checks:    []requirements.ID{"authorization-403-insufficient-scope-runtime"},
			Needs:     limited,
			Revisions: []requirements.Revision{requirements.R20260728},
			Fix:       "take the name of the tool from the body, or decode the header Mcp-Name, before the scopes of the token are looked at",
			Run: func(c *probe.Client) error {
				return otherwiseRefused(c, func(limited *probe.Client, params probe.Object) (probe.Evident, bool) {
					name := http.Header{protocol.HeaderName: {probe.HeaderBase64(probe.TextOf(params["name"]))}}
					reply := limited.Ask(limited.Compose("tools/call", params), probe.WithHeader(name))
					return reply, reply.Served() && !reply.ErrorFlag()
				}, "with the header Mcp-Name in base64 form")
			},
		},
		{
			ID:     "authorization/broader-scope",
			Title:  "a token with a broader scope is accepted where a narrower one is enough",
			Checks: []requirements.ID{"authorization-scope-hierarchy"},
			Needs:  []suite.Need{principal("token-command"), suite.Role(roles.Scopes, "hierarchy"), suite.Role(roles.Denied)},
			Fix:    "count a scope that includes another one for it",
			Run:    broaderScope,
		},
	}
}

// beyond is the answer to the denied call of the principal with fewer scopes.
func beyond(c *probe.Client) *probe.Reply {
	return probe.Once(c, "authorization/beyond", func() (*probe.Reply, bool) {
		limited := c.As("limited")
		reply := limited.CallTool(limited.Role(roles.Denied).Call(), nil)
		return reply, reply.Status() != 0
	})
}

// statusWithoutScope warns of a refusal by other means than HTTP, because the tool itself
// may decide who may do what.
func statusWithoutScope(c *probe.Client) error {
	reply := beyond(c)
	switch {
	case reply.Silent() || reply.Died():
		c.Undecide("the call got " + reply.Outcome())
	case reply.Status() == http.StatusForbidden:
		return nil
	case reply.Status() >= http.StatusBadRequest:
		return reply.Violation("the HTTP status for a call beyond the scopes of the token is %d, want 403", reply.Status())
	case reply.Failed() || reply.ErrorFlag():
		return reply.Violation("a call beyond the scopes of the token is refused with HTTP status %d, want 403", reply.Status()).AtMostWarn()
	}
	return reply.Violation("a call beyond the scopes of the token is served, want HTTP status 403")
}

func challengeWithoutScope(c *probe.Client) error {
	reply := refusedForScope(c)
	ch, ok := challenge(reply)
	if !ok {
		return reply.Violation("WWW-Authenticate of the 403 is %s, want a Bearer challenge", header(reply))
	}
	if code := ch.Params["error"]; code != "insufficient_scope" {
		return spelt(reply, reply.Violation("the challenge of the 403 has error=%s, want insufficient_scope", probe.Show(code)))
	}
	for _, name := range []string{"scope", "resource_metadata"} {
		if ch.Params[name] == "" {
			return spelt(reply, reply.Violation("the challenge of the 403 has no %s", name))
		}
	}
	return nil
}

func scopeBeforeEffect(c *probe.Client) error {
	call := c.Role(roles.Denied).Call()
	limited := c.As("limited")
	seen := c.Around(call, func() *probe.Reply { return limited.CallTool(call, nil) })
	c.NotSeenIf(!seen.Refused(), "the call is not refused, which authorization/status-without-scope judges")
	if !seen.Unchanged() {
		c.Undo(call, seen.Reply)
		return probe.Shown(seen).Violation("a call that is refused with HTTP status %d has its effect, want none", seen.Status())
	}
	return nil
}

// otherwiseRefused makes the denied call in another form. The plain call has to be refused.
func otherwiseRefused(c *probe.Client, call func(limited *probe.Client, params probe.Object) (probe.Evident, bool), form string) error {
	plain := beyond(c)
	c.NotSeenIf(!plain.Refused(), "the call is not refused, which authorization/status-without-scope judges")
	limited := c.As("limited")
	if shown, served := call(limited, limited.Role(roles.Denied).Call().Params(nil)); served {
		return probe.Shown(plain, shown).Violation("a call beyond the scopes of the token is served %s, want HTTP status 403", form)
	}
	return nil
}

func refusedForScope(c *probe.Client) *probe.Reply {
	reply := beyond(c)
	c.NotSeenIf(reply.Status() != http.StatusForbidden,
		"a call beyond the scopes of the token does not get status 403, which authorization/status-without-scope judges")
	return reply
}

// tokenCall makes the denied call with a token for the given scopes.
func tokenCall(c *probe.Client, scope string) *probe.Reply {
	token := c.Mint(scope, resource(c))
	call := c.Role(roles.Denied).Call()
	return c.Ask(c.Compose("tools/call", call.Params(nil)), probe.ShowingToken(token), probe.Patient())
}

func allScopesAtOnce(c *probe.Client) error {
	first := refusedForScope(c)
	ch, _ := challenge(first)
	c.NotSeenIf(len(scopesOf(ch)) == 0, "the challenge of the 403 names no scope, which authorization/challenge-without-scope judges")
	again := tokenCall(c, strings.Join(scopesOf(ch), " "))
	switch {
	case again.Status() == http.StatusUnauthorized:
		c.Undecide("a token of principals.token-command is not accepted: " + again.Outcome())
	case again.Status() == http.StatusForbidden:
		return probe.Shown(first, again).Violation("a token with the scopes of the challenge, %s, is refused with 403 again, want it accepted",
			probe.Show(ch.Params["scope"]))
	}
	return nil
}

func broaderScope(c *probe.Client) error {
	hierarchy := c.Role(roles.Scopes).Fields().At("hierarchy")
	narrow := tokenCall(c, hierarchy.Text("narrow"))
	c.UndecideIf(narrow.Refused() || !narrow.Answered(), "a token with the narrower scope is not accepted: "+narrow.Outcome())
	broad := tokenCall(c, hierarchy.Text("broad"))
	if broad.Refused() {
		return probe.Shown(narrow, broad).Violation("a token with the scope %s is refused (%s), want it accepted as one with %s is",
			probe.Show(hierarchy.Text("broad")), broad.Outcome(), probe.Show(hierarchy.Text("narrow")))
	}
	return nil
}
