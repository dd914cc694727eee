package authorization

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// audienceChecked leaves the status of the refusal to another rule.
func audienceChecked(c *probe.Client) error {
	token := shownBy(c, "foreign")
	tokensRefused(c)
	reply := c.Greet(probe.ShowingToken(token))
	switch {
	case reply.Silent() || reply.Died():
		c.Undecide("a token of another server got " + reply.Outcome())
	case !reply.Refused():
		return reply.Violation("a token that was issued for another server is accepted, want HTTP status 401")
	case reply.Status() != http.StatusUnauthorized:
		c.Note("a token that was issued for another server is refused with " + reply.Outcome() + "; 401 is usual")
	}
	return nil
}

// minted makes tokens for other audiences, where a token for this server is accepted.
func minted(c *probe.Client, audiences ...string) (usual *probe.Reply, tokens []string) {
	ch, _ := challenge(access(c).Asked)
	scope := strings.Join(scopesOf(ch), " ")
	usual = c.Greet(probe.ShowingToken(c.Mint(scope, resource(c))))
	c.UndecideIf(usual.Refused() || !usual.Answered(), "a token of principals.token-command is not accepted either: "+usual.Outcome())
	for _, audience := range audiences {
		tokens = append(tokens, c.Mint(scope, audience))
	}
	return usual, tokens
}

// audienceWhole needs a resource with a path: what is longer than an origin may be a part of it.
// Many authorization servers issue tokens for an audience of their own choice, so the case
// reads whom the token is for.
func audienceWhole(c *probe.Client) error {
	id := resource(c)
	u, err := url.Parse(id)
	c.NotSeenIf(err != nil || strings.Trim(u.Path, "/") == "" || u.RawQuery != "" || u.Fragment != "",
		"the identifier of this server has no path to make that of another server from")
	longer := strings.TrimRight(id, "/") + "-of-another"
	usual, tokens := minted(c, longer)
	c.NotSeenIf(!isFor(tokens[0], longer), "principals.token-command prints no JWT whose audience is "+longer+" alone")
	tokensRefused(c)
	switch reply := c.Greet(probe.ShowingToken(tokens[0])); {
	case reply.Silent() || reply.Died():
		c.Undecide("a token for another server got " + reply.Outcome())
	case !reply.Refused():
		return probe.Shown(usual, reply).Violation("a token for %s is accepted, and the server is %s; want HTTP status 401",
			probe.Show(longer), probe.Show(id)).Unless(probe.Elsewhere{
			Case: "authorization/audience-checked", Why: "the audience is not compared at all",
		})
	}
	return nil
}

// isFor reports whether a token is a JWT for this audience and no other.
func isFor(token, audience string) bool {
	split := strings.Split(token, ".")
	claims := map[string]any{}
	if len(split) != 3 || !decode(split[1], &claims) {
		return false
	}
	if list, ok := claims["aud"].([]any); ok && len(list) == 1 {
		return list[0] == audience
	}
	return claims["aud"] == audience
}

func audienceCase(c *probe.Client) error {
	id := resource(c)
	usual, tokens := minted(c, upperCaseURI(id))
	if loud := c.Greet(probe.ShowingToken(tokens[0])); loud.Refused() {
		return probe.Shown(usual, loud).Violation("a token for %s is refused, and one for %s is accepted; want both accepted",
			probe.Show(upperCaseURI(id)), probe.Show(id))
	}
	return nil
}

// upperCaseURI is a URI with its scheme and host in upper case.
func upperCaseURI(uri string) string {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok {
		return uri
	}
	host, path, slash := strings.Cut(rest, "/")
	if slash {
		path = "/" + path
	}
	return strings.ToUpper(scheme) + "://" + strings.ToUpper(host) + path
}
