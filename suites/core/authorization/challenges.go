package authorization

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func frameworkCases() []suite.Case {
	return []suite.Case{{
		ID:     "authorization/framework-followed",
		Title:  "a server that refuses requests without credentials tells where to get them, as the authorization pages have it",
		Checks: []requirements.ID{"authorization-http-conformance"},
		Needs:  []suite.Need{suite.Over(requirements.HTTP), suite.Trait(probe.Guarded)},
		Fix: "answer status 401, publish protected resource metadata (RFC 9728), and name it as resource_metadata in the Bearer challenge " +
			"of the 401",
		Run: shown(frameworkFollowed),
	}}
}

func challengeCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "authorization/status-without-token",
			Title:  "a request without a token is refused with HTTP status 401",
			Checks: []requirements.ID{"authorization-401-without-token"},
			Fix:    "answer status 401 when the Authorization header is missing",
			Run:    shown(statusWithoutToken),
		},
		{
			ID:    "authorization/challenge-without-token",
			Title: "the 401 for a missing token has a Bearer challenge in WWW-Authenticate",
			Checks: []requirements.ID{
				"authorization-401-challenge-without-token", "authorization-401-challenge-without-token-later",
			},
			Fix: "send WWW-Authenticate: Bearer with the 401, also when no token was sent",
			Run: shown(challengeWithoutToken),
		},
		{
			ID:     syntaxCase,
			Title:  "the header WWW-Authenticate has the form that HTTP gives it",
			Checks: []requirements.ID{"authorization-challenge-syntax"},
			Fix:    `write Bearer name="value", name="value": a blank behind the scheme, double quotes around values, commas between parameters`,
			Run:    challengeSyntax,
		},
		{
			ID:     "authorization/no-error-without-token",
			Title:  "the challenge for a missing token gives no error code",
			Checks: []requirements.ID{"authorization-401-error-code"},
			Fix:    "leave error out of the challenge when no token was sent: nothing is wrong with it yet",
			Run:    shown(noErrorWithoutToken),
		},
		{
			ID:     "authorization/challenge-metadata-url",
			Title:  "the challenge names the URL of the protected resource metadata",
			Checks: []requirements.ID{"authorization-challenge-metadata-url"},
			Fix:    "add resource_metadata with the absolute URL of the document to the Bearer challenge",
			Run:    shown(challengeMetadataURL),
		},
		{
			ID:     "authorization/challenge-scope",
			Title:  "the challenge names the scopes that are needed",
			Checks: []requirements.ID{"authorization-challenge-scope"},
			Fix:    "add scope to the Bearer challenge, so that clients ask for no more than they need",
			Run:    shown(challengeScope),
		},
		{
			ID:     "authorization/scopes-consistent",
			Title:  "the same request is refused with the same set of scopes each time",
			Checks: []requirements.ID{"authorization-scope-consistency"},
			Fix:    "build the scope of a challenge from the request alone",
			Run:    scopesConsistent,
		},
		{
			ID:     "authorization/no-offline-access",
			Title:  "neither the challenge nor the metadata asks for offline_access",
			Checks: []requirements.ID{"authorization-no-offline-access"},
			Fix:    "leave offline_access out: whether a client wants to refresh its token is its own affair",
			Run:    shown(noOfflineAccess),
		},
	}
}

// frameworkFollowed only warns, because a fixed secret behind Bearer is lawful too. Where
// no Bearer challenge shows that the server means OAuth, its authentication is of its own,
// which every revision allows. The other cases say nothing of such servers.
func frameworkFollowed(c *probe.Client, a *probe.Access) error {
	if c.Survey().Traits[probe.AuthorizationFramework] {
		return nil
	}
	if to := a.Asked.Header("Location"); a.Asked.Status()/100 == 3 {
		const page = "a request without credentials gets HTTP status %d, which leads to %s; no client of MCP logs in there, want status 401"
		return a.Asked.Violation(page, a.Asked.Status(), probe.Show(to))
	}
	c.UndecideIf(!protocol.ResourceMetadata().At(c.Revision()),
		"at this revision a server may do without metadata, and have /authorize and /token at its origin; "+
			"nothing tells that from a fixed secret")
	if _, ok := probe.Bearer(a.Asked.Challenges()); !ok {
		c.NotSeen("a request without credentials is refused (" + outcome(a.Asked) +
			") without a Bearer challenge or metadata, and MCP allows an authentication of the server's own")
	}
	const nowhere = "a request without credentials is refused (%s), and neither WWW-Authenticate nor a well-known URL leads to metadata"
	return a.Asked.Violation(nowhere, outcome(a.Asked))
}

func outcome(r *probe.Reply) string {
	if _, ok := r.Code(); ok {
		return fmt.Sprintf("HTTP status %d with a JSON-RPC error", r.Status())
	}
	return r.Outcome()
}

func statusWithoutToken(c *probe.Client, a *probe.Access) error {
	return refusal(c, a.Asked, "no token")
}

func challengeWithoutToken(c *probe.Client, a *probe.Access) error {
	unauthorized(c, a)
	if forTokens(a.Asked) {
		return nil
	}
	judge := challengeJudge(c)
	c.NotSeenIf(judge != "authorization/challenge-without-token", "no 401 has a Bearer challenge, which "+judge+" judges")
	return milder(a.Asked, a.Asked.Violation("WWW-Authenticate is %s, want a Bearer challenge", header(a.Asked)))
}

const syntaxCase = "authorization/challenge-syntax"

// challengeSyntax judges the form of the header, which the kit reads more leniently than many
// clients do.
func challengeSyntax(c *probe.Client) error {
	seen := false
	for _, reply := range []*probe.Reply{access(c).Asked, neverIssued(c)} {
		if reply.Status() != http.StatusUnauthorized || reply.Header("WWW-Authenticate") == "" {
			continue
		}
		seen = true
		if problem := probe.Misspelt(reply); problem != "" {
			return reply.Violation("WWW-Authenticate %s; it is %s", problem, header(reply))
		}
	}
	c.NotSeenIf(!seen, "no 401 has the header WWW-Authenticate")
	return nil
}

// spelt leaves a complaint of what is in a header to the case of its form, where the form is wrong.
func spelt(r *probe.Reply, broken *probe.Violation) *probe.Violation {
	if probe.Misspelt(r) == "" {
		return broken
	}
	return broken.Unless(probe.Elsewhere{Case: syntaxCase, Why: "WWW-Authenticate has not the form that HTTP gives it"})
}

// milder only warns of another scheme that names the metadata: RFC 9728 lets schemes do that
// which the kit does not know.
func milder(r *probe.Reply, broken *probe.Violation) error {
	if _, named := challenge(r); named && !forTokens(r) {
		return spelt(r, broken.AtMostWarn())
	}
	return broken
}

// unauthorized ends the case unless a request without a token is refused with 401.
func unauthorized(c *probe.Client, a *probe.Access) {
	c.NotSeenIf(a.Asked.Status() != http.StatusUnauthorized,
		"a request without a token does not get status 401, which authorization/status-without-token judges")
}

// challengeJudge is the case that judges that the 401 for a missing token has no challenge.
// A server that sends no challenge at all gets one finding.
func challengeJudge(c *probe.Client) string {
	if reply := neverIssued(c); reply.Status() == http.StatusUnauthorized && !forTokens(reply) {
		return "authorization/challenge-for-token"
	}
	return "authorization/challenge-without-token"
}

// header shows the header WWW-Authenticate of an answer in a finding.
func header(r *probe.Reply) string {
	if value := r.Header("WWW-Authenticate"); value != "" {
		return probe.Show(value)
	}
	return "absent"
}

func noErrorWithoutToken(c *probe.Client, a *probe.Access) error {
	if code, ok := challenged(c, a.Asked).Params["error"]; ok {
		return a.Asked.Violation("the challenge for a missing token has error=%s, want none", probe.Show(code))
	}
	return nil
}

func challengeMetadataURL(c *probe.Client, a *probe.Access) error {
	unauthorized(c, a)
	ch, ok := challenge(a.Asked)
	if !ok {
		c.NotSeen("the 401 has no Bearer challenge, which " + challengeJudge(c) + " judges")
	}
	switch at, ok := ch.Params["resource_metadata"]; {
	case !ok:
		return a.Asked.Violation("WWW-Authenticate is %s, want a resource_metadata in it", header(a.Asked))
	case !absolute(at):
		return a.Asked.Violation("resource_metadata is %s, want an absolute URL", probe.Show(at))
	}
	return nil
}

// challengeScope binds only a server that uses scopes.
func challengeScope(c *probe.Client, a *probe.Access) error {
	if len(scopesOf(challenged(c, a.Asked))) > 0 {
		return nil
	}
	m, _ := described(c, a)
	if supported, _ := m.Object["scopes_supported"].([]any); len(supported) > 0 {
		return spelt(a.Asked, probe.Shown(a.Asked, m.Document).
			Violation("the challenge has no scope, although scopes_supported is %s", probe.Show(supported)))
	}
	c.NotSeen("neither the challenge nor the metadata names a scope")
	return nil
}

// scopesConsistent asks four times: a server may change its scopes from time to time only.
func scopesConsistent(c *probe.Client) error {
	first := access(c).Asked
	one, _ := challenge(first)
	for _, which := range []string{"second", "third", "fourth"} {
		again := c.Greet()
		other, _ := challenge(again)
		switch {
		case !again.Refused():
			c.Undecide("the same request was refused once and served once")
		case len(scopesOf(one)) == 0 && len(scopesOf(other)) == 0:
			c.NotSeen("no challenge names a scope")
		case !slices.Equal(scopesOf(one), scopesOf(other)):
			return probe.Shown(first, again).Violation("the scopes of the %s challenge are %s, want those of the first, %s",
				which, probe.Show(strings.Join(scopesOf(other), " ")), probe.Show(strings.Join(scopesOf(one), " ")))
		}
	}
	return nil
}

const offline = "offline_access"

func noOfflineAccess(c *probe.Client, a *probe.Access) error {
	ch, _ := challenge(a.Asked)
	seen := len(scopesOf(ch)) > 0
	if slices.Contains(scopesOf(ch), offline) {
		return a.Asked.Violation("the scope of the challenge is %s, want it without offline_access", probe.Show(ch.Params["scope"]))
	}
	m, _ := described(c, a)
	supported, ok := m.Object["scopes_supported"].([]any)
	if slices.Contains(supported, any(offline)) {
		return probe.Shown(m.Document).Violation("scopes_supported contains offline_access, want it left out")
	}
	c.NotSeenIf(!seen && !ok, "neither the challenge nor the metadata names a scope")
	return nil
}
