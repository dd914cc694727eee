package authorization

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A badToken is a token that no server may accept.
type badToken struct {
	slug  string
	what  string
	fix   string
	needs string // fields of principals that the token is made from; empty if none is needed
	build func(c *probe.Client) string
}

const (
	unknownToken = "unknown-token"
	expiredToken = "expired-token"
)

func badTokens() []badToken {
	return []badToken{
		{unknownToken, "a token that was never issued", "look every token up, or verify its signature", "", unknown},
		{"truncated-token", "a token that lacks its end", "compare or verify the whole token", "first", from(truncated)},
		{"prefixed-token", "a token with letters before it", "compare or verify all that follows Bearer", "first",
			from(func(_ *probe.Client, t string) string { return "kit" + t })},
		{"extended-token", "a token with letters behind it", "compare or verify all that follows Bearer", "first",
			from(func(_ *probe.Client, t string) string { return t + "kit" })},
		{"altered-token", "a token with a letter changed", "verify the signature of the token", "first", from(altered)},
		{"unsigned-token", "a token with alg none", "accept only the algorithms that the authorization server signs with", "first",
			from(unsigned)},
		{"token-of-another-key", "a token that another key signed", "verify the signature with the keys of the issuer alone", "first",
			from(func(c *probe.Client, t string) string { return resigned(c, t, "") })},
		{"token-of-another-issuer", "a token of an unknown issuer", "accept only tokens of the issuers that the metadata names", "first",
			from(func(c *probe.Client, t string) string { return resigned(c, t, "https://issuer.example") })},
		{expiredToken, "a token that has expired", "compare exp with the time", "expired",
			func(c *probe.Client) string { return shownBy(c, "expired") }},
	}
}

func tokenCases() []suite.Case {
	var cases []suite.Case
	for _, b := range badTokens() {
		var needs []suite.Need
		if b.needs != "" {
			needs = []suite.Need{principal(b.needs)}
		}
		cases = append(cases, suite.Case{
			ID:     "authorization/" + b.slug,
			Title:  b.what + " is refused",
			Checks: []requirements.ID{"authorization-401-invalid-token"},
			Needs:  needs,
			Fix:    b.fix + ", and answer 401",
			Run: func(c *probe.Client) error {
				b.refusedAtAll(c)
				return b.judge(c, c.Greet(probe.ShowingToken(b.build(c))))
			},
		})
	}
	return append(cases, suite.Case{
		ID:     "authorization/challenge-for-token",
		Title:  "the 401 for a bad token has a Bearer challenge with a parameter",
		Checks: []requirements.ID{"authorization-401-challenge"},
		Fix:    "send WWW-Authenticate: Bearer with error, and resource_metadata where the revision has it, with each 401",
		Run:    challengeForToken,
	}, suite.Case{
		ID:     "authorization/error-for-token",
		Title:  "the challenge for a bad token says invalid_token",
		Checks: []requirements.ID{"authorization-401-error-code"},
		Fix:    `add error="invalid_token" to the challenge when a token was sent`,
		Run:    errorForToken,
	}, suite.Case{
		ID:     "authorization/malformed-credentials",
		Title:  "an Authorization header without a token is refused with HTTP status 400 or 401",
		Checks: []requirements.ID{"authorization-400-malformed"},
		Fix:    "check that a token follows the word Bearer before looking at it",
		Run:    malformedCredentials,
	}, suite.Case{
		ID:     "authorization/audience-checked",
		Title:  "a token that was issued for another server is refused",
		Checks: []requirements.ID{"authorization-audience-checked"},
		Needs:  []suite.Need{principal("foreign")},
		Fix:    "accept a token only if its audience is the URL of this server",
		Run:    audienceChecked,
	}, suite.Case{
		ID:     "authorization/audience-whole",
		Title:  "a token whose audience only begins with the URL of this server is refused",
		Checks: []requirements.ID{"authorization-audience-checked"},
		Needs:  []suite.Need{principal("token-command")},
		Fix:    "compare the whole audience with the URL of this server, and not only its beginning or its host",
		Run:    audienceWhole,
	}, suite.Case{
		ID:     "authorization/audience-case",
		Title:  "a token whose audience has its scheme and host in upper case is accepted",
		Checks: []requirements.ID{"authorization-uri-case"},
		Needs:  []suite.Need{principal("token-command")},
		Fix:    "compare scheme and host of the audience without regard to case",
		Run:    audienceCase,
	})
}

// judge leaves the status of the refusal to the cases of the unknown and the expired
// token. The other cases only look for a bad token that the server accepts.
func (b badToken) judge(c *probe.Client, r *probe.Reply) error {
	strict := b.slug == unknownToken || b.slug == expiredToken
	if err := refusal(c, r, b.what); err != nil && (strict || !r.Refused()) {
		return err
	}
	return nil
}

// refusedAtAll ends the case where the server takes any text for a token, which is one
// finding of the case of the unknown token.
func (b badToken) refusedAtAll(c *probe.Client) {
	if b.slug != unknownToken {
		tokensRefused(c)
	}
}

func tokensRefused(c *probe.Client) {
	reply := neverIssued(c)
	c.NotSeenIf(reply.Answered() && !reply.Refused(),
		"a token that was never issued is not refused, which authorization/"+unknownToken+" judges")
}

// unknown is a text that no server can have issued.
func unknown(c *probe.Client) string { return "mcp-conform-" + c.Nonce() + rand.Text() }

// shownBy is the token of a principal.
func shownBy(c *probe.Client, principal string) string {
	token, ok := c.Token(principal)
	c.UndecideIf(!ok, "principals."+principal+" shows no bearer token")
	return token
}

// from makes a bad token from the good one. The bad token is just as secret.
func from(bend func(c *probe.Client, token string) string) func(c *probe.Client) string {
	return func(c *probe.Client) string {
		changed := bend(c, shownBy(c, "first"))
		c.Hide(changed)
		return changed
	}
}

func truncated(c *probe.Client, token string) string {
	const least, off = 20, 8
	c.UndecideIf(len(token) < least, "the token of principals.first is too short to be cut")
	return token[:len(token)-off]
}

// altered changes a letter in the middle of the signature. Base64 ignores some bits of
// its last letter, so a change there may have no effect.
func altered(c *probe.Client, token string) string {
	at := strings.LastIndexByte(token, '.') + 1
	at += (len(token) - at) / 2
	c.UndecideIf(at >= len(token), "the token of principals.first has no signature")
	other := byte('A')
	if token[at] == other {
		other = 'B'
	}
	return token[:at] + string(other) + token[at+1:]
}

// parts are the header and the claims of a JWT.
func parts(c *probe.Client, token string) (header, claims map[string]any) {
	split := strings.Split(token, ".")
	c.UndecideIf(len(split) != 3 || !decode(split[0], &header) || !decode(split[1], &claims),
		"the token of principals.first is not a JWT")
	return header, claims
}

func decode(part string, into any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(raw, into) == nil
}

func encode(v any) string { return base64.RawURLEncoding.EncodeToString([]byte(probe.JSON(v))) }

func unsigned(c *probe.Client, token string) string {
	parts(c, token)
	return encode(probe.Object{"alg": "none", "typ": "JWT"}) + "." + strings.Split(token, ".")[1] + "."
}

// resigned is the same token, or one of another issuer, signed with a key that the server
// does not know.
func resigned(c *probe.Client, token, issuer string) string {
	header, claims := parts(c, token)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	c.Must(err)
	header["alg"] = "ES256"
	if issuer != "" {
		claims["iss"] = issuer
	}
	text := encode(header) + "." + encode(claims)
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	c.Must(err)
	const half = 32
	signature := make([]byte, 2*half)
	r.FillBytes(signature[:half])
	s.FillBytes(signature[half:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// neverIssued is the answer to a token that was never issued.
func neverIssued(c *probe.Client) *probe.Reply {
	return probe.Once(c, "authorization/never-issued", func() (*probe.Reply, bool) {
		reply := c.Greet(probe.ShowingToken(unknown(c)))
		return reply, reply.Status() != 0
	})
}

// turnedAway is neverIssued, but ends the case unless the answer has status 401.
func turnedAway(c *probe.Client) *probe.Reply {
	reply := neverIssued(c)
	c.NotSeenIf(reply.Status() != http.StatusUnauthorized, "a bad token does not get status 401, which authorization/"+unknownToken+" judges")
	return reply
}

func challengeForToken(c *probe.Client) error {
	reply := turnedAway(c)
	if ch, _ := challenge(reply); !forTokens(reply) || len(ch.Params) == 0 {
		return milder(reply, reply.Violation("WWW-Authenticate is %s, want a Bearer challenge with at least one parameter", header(reply)))
	}
	return nil
}

func errorForToken(c *probe.Client) error {
	reply := turnedAway(c)
	switch code, ok := challenged(c, reply).Params["error"]; {
	case !ok:
		return spelt(reply, reply.Violation(`the challenge for a bad token has no error, want error="invalid_token"`))
	case code != "invalid_token":
		return spelt(reply, reply.Violation("the challenge for a bad token has error=%s, want invalid_token", probe.Show(code)))
	}
	return nil
}

// malformedCredentials allows other refusals, because the page does not say which
// requests get status 400.
func malformedCredentials(c *probe.Client) error {
	reply := c.Greet(probe.ShowingToken(""))
	switch {
	case reply.Silent() || reply.Died():
		c.Undecide("an Authorization header without a token got " + reply.Outcome())
	case !reply.Refused():
		return reply.Violation("a request with \"Authorization: Bearer\" and no token is served, want HTTP status 400 or 401")
	case reply.Status() >= http.StatusInternalServerError || reply.Status() < http.StatusBadRequest:
		return alike(c, reply,
			reply.Violation("the HTTP status for \"Authorization: Bearer\" and no token is %d, want 400 or 401", reply.Status()))
	}
	return nil
}
