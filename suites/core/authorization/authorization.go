// Package authorization holds the cases of basic/authorization: how a server over HTTP
// refuses clients without a valid token, and how it tells them where to get a token.
package authorization

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page. Cases about public
// answers judge the answers that discovery got, and send no request again.
func Suite() suite.Suite {
	// Whether a server follows the authorization pages is up to it.
	framework := []suite.Need{suite.Over(requirements.HTTP), suite.Trait(probe.AuthorizationFramework)}
	cases := slices.Concat(
		frameworkCases(),
		suite.Needing(framework, challengeCases(), metadataCases(), tokenCases(), requestCases(), scopeCases(), ownCases(), clientCases()),
		stdioCases(),
	)
	for i := range cases {
		cases[i].Access = cases[i].Run != nil
	}
	return suite.Suite{
		Name:  "authorization",
		Title: "only whoever has the right token is let in",
		Cases: cases,
	}
}

// principal needs the configuration to have one kind of credentials.
func principal(field string) suite.Need { return suite.Role(roles.Principals, field) }

// access is what discovery found out without credentials.
func access(c *probe.Client) *probe.Access { return c.Survey().Access }

// challenge is the Bearer challenge in an answer, or else a challenge of another scheme
// that names the metadata.
func challenge(r *probe.Reply) (probe.Challenge, bool) { return probe.Naming(r.Challenges()) }

// forTokens reports whether an answer has a challenge of a scheme for access tokens. DPoP
// is one beside Bearer, and RFC 9728 names it.
func forTokens(r *probe.Reply) bool {
	ch, ok := challenge(r)
	return ok && (ch.Scheme == "bearer" || ch.Scheme == "dpop")
}

// challenged is the challenge in a refusal. The case ends where the refusal has none.
func challenged(c *probe.Client, r *probe.Reply) probe.Challenge {
	found, ok := challenge(r)
	c.NotSeenIf(!ok, "the refusal has no Bearer challenge")
	return found
}

// refusal expects that a request is refused with status 401.
func refusal(c *probe.Client, r *probe.Reply, what string) error {
	switch {
	case r.Silent() || r.Died():
		c.Undecide("a request with " + what + " got " + r.Outcome())
	case !r.Refused():
		return r.Violation("a request with %s is served, want HTTP status 401", what)
	case r.Status() != http.StatusUnauthorized:
		return alike(c, r, r.Violation("the HTTP status for %s is %d, want 401", what, r.Status()))
	}
	return nil
}

// alike leaves a refusal to the case of the missing token where that gets the same status.
func alike(c *probe.Client, r *probe.Reply, broken *probe.Violation) error {
	if asked := access(c).Asked; asked != r && asked.Refused() && asked.Status() == r.Status() {
		return broken.Unless(probe.Elsewhere{Case: "authorization/status-without-token", Why: "a request without a token gets the same status"})
	}
	return broken
}

// absolute reports whether a text is an HTTP URL with a host.
func absolute(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// scopesOf are the scopes in a challenge, sorted.
func scopesOf(c probe.Challenge) []string {
	scopes := strings.Fields(c.Params["scope"])
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// resource is the identifier of the server in its metadata.
func resource(c *probe.Client) string {
	m, _ := described(c, access(c))
	if id, ok := m.Object["resource"].(string); ok {
		return id
	}
	return c.Endpoint()
}

// shown makes the Run function of a case that judges the answers which discovery got.
func shown(judge func(c *probe.Client, a *probe.Access) error) func(*probe.Client) error {
	return func(c *probe.Client) error { return judge(c, access(c)) }
}

func stdioCases() []suite.Case {
	return []suite.Case{{
		ID:     "authorization/not-on-stdio",
		Title:  "over stdio nobody is asked for an OAuth login",
		Checks: []requirements.ID{"authorization-not-on-stdio"},
		Needs:  []suite.Need{suite.Over(requirements.Stdio)},
		Fix:    "take credentials from the environment of the process",
		Sees:   "a message of the server",
		Watch:  probe.OnEach(notOnStdio),
	}}
}

// login matches the texts of servers that require a login. A missing key of another
// service reads differently.
var login = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\boauth\b|\bbearer token\b|www-authenticate|resource_metadata|\bauthorization header\b`)
})

// notOnStdio judges the opening and the lists only: a tool may lawfully need a login at
// another service.
func notOnStdio(m probe.Message) probe.Opinion {
	method := m.Request.Method
	switch {
	case !m.Responds() || m.Frame.Malformed:
		return probe.Nothing()
	case method != "initialize" && method != "server/discover" && !strings.HasSuffix(method, "/list"):
		return probe.Nothing()
	case m.Class != frame.Error:
		return probe.Kept()
	}
	text := probe.JSON(m.Value("/error"))
	if word := login().FindString(text); word != "" {
		return probe.Breaks("the error that answers %s asks for %s: %s", method, probe.Show(word), probe.Show(m.Value("/error")))
	}
	return probe.Kept()
}
