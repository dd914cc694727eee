package authorization

import (
	"context"
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

// A bad is a token that no server may take.
type bad struct {
	slug  string
	what  string
	fix   string
	needs string // of the principals: what the token is made from; empty: nothing
	make  func(c *probe.Client) (string, error)
}

const (
	unknownToken = "unknown-token"
	expiredToken = "expired-token"
)

func badTokens() []bad {
	return []bad{
		{unknownToken, "a token that was never issued", "look every token up, or verify its signature", "",
			func(c *probe.Client) (string, error) { return unknown(c), nil }},
		{"truncated-token", "a token that lacks its end", "compare or verify the whole token", "first", from(truncated)},
		{"altered-token", "a token with a letter changed", "verify the signature of the token", "first", from(altered)},
		{"unsigned-token", "a token with alg none", "accept only the algorithms that the authorization server signs with", "first",
			from(unsigned)},
		{"token-of-another-key", "a token that another key signed", "verify the signature with the keys of the issuer alone", "first",
			from(func(t string) (string, error) { return resigned(t, "") })},
		{"token-of-another-issuer", "a token of an unknown issuer", "accept only tokens of the issuers that the metadata names", "first",
			from(func(t string) (string, error) { return resigned(t, "https://issuer.example") })},
		{expiredToken, "a token that has expired", "compare exp with the time", "expired",
			func(c *probe.Client) (string, error) { return shownBy(c, "expired") }},
	}
}

func tokenCases() []suite.Case {
	var cases []suite.Case
	for _, b := range badTokens() {
		needs := framework()
		if b.needs != "" {
			needs = framework(principal(b.needs))
		}
		cases = append(cases, suite.Case{
			ID:     "authorization/" + b.slug,
			Title:  b.what + " is refused",
			Checks: []requirements.ID{"authorization-401-invalid-token"},
			Needs:  needs,
			Fix:    b.fix + ", and answer 401",
			Run: func(ctx context.Context, c *probe.Client) error {
				token, err := b.make(c)
				if err != nil {
					return err
				}
				reply, err := c.Greet(ctx, probe.ShowingToken(token))
				if err != nil {
					return err
				}
				return b.judge(reply)
			},
		})
	}
	return append(cases, suite.Case{
		ID:     "authorization/challenge-for-token",
		Title:  "the 401 for a bad token has a Bearer challenge with a parameter",
		Checks: []requirements.ID{"authorization-401-challenge"},
		Needs:  framework(),
		Fix:    "send WWW-Authenticate: Bearer with error, and resource_metadata where the revision has it, with each 401",
		Run:    challengeForToken,
	}, suite.Case{
		ID:     "authorization/error-for-token",
		Title:  "the challenge for a bad token says invalid_token",
		Checks: []requirements.ID{"authorization-401-error-code"},
		Needs:  framework(),
		Fix:    `add error="invalid_token" to the challenge when a token was sent`,
		Run:    errorForToken,
	}, suite.Case{
		ID:     "authorization/malformed-credentials",
		Title:  "an Authorization header without a token is refused with HTTP status 400 or 401",
		Checks: []requirements.ID{"authorization-400-malformed"},
		Needs:  framework(),
		Fix:    "check that a token follows the word Bearer before looking at it",
		Run:    malformedCredentials,
	}, suite.Case{
		ID:     "authorization/audience-checked",
		Title:  "a token that was issued for another server is refused",
		Checks: []requirements.ID{"authorization-audience-checked"},
		Needs:  framework(principal("foreign")),
		Fix:    "accept a token only if its audience is the URL of this server",
		Run:    audienceChecked,
	}, suite.Case{
		ID:     "authorization/audience-case",
		Title:  "a token whose audience has its scheme and host in upper case is accepted",
		Checks: []requirements.ID{"authorization-uri-case"},
		Needs:  framework(principal("token-command")),
		Fix:    "compare scheme and host of the audience without regard to case",
		Run:    audienceCase,
	})
}

// judge leaves it to one case with which status bad tokens are refused, and to that of
// one that was good once: what the others look for is a token that gets through.
func (b bad) judge(r *probe.Reply) error {
	strict := b.slug == unknownToken || b.slug == expiredToken
	if err := refusal(r, b.what); err != nil && (strict || !r.Refused()) {
		return err
	}
	return nil
}

// unknown is a text that no server can have issued.
func unknown(c *probe.Client) string { return "mcp-conform-" + c.Nonce() + rand.Text() }

// shownBy is the token of a principal.
func shownBy(c *probe.Client, principal string) (string, error) {
	token, ok := c.Token(principal)
	if !ok {
		return "", probe.Undecide("principals." + principal + " shows no bearer token")
	}
	return token, nil
}

// from makes a bad token from the good one. It is as secret as that.
func from(bend func(token string) (string, error)) func(c *probe.Client) (string, error) {
	return func(c *probe.Client) (string, error) {
		token, err := shownBy(c, "first")
		if err != nil {
			return "", err
		}
		bent, err := bend(token)
		c.Hide(bent)
		return bent, err
	}
}

func truncated(token string) (string, error) {
	const least, off = 20, 8
	if len(token) < least {
		return "", probe.Undecide("the token of principals.first is too short to be cut")
	}
	return token[:len(token)-off], nil
}

// altered changes a letter in the midst of the signature. The last one of base64 may
// stand for the same bytes as another.
func altered(token string) (string, error) {
	at := strings.LastIndexByte(token, '.') + 1
	at += (len(token) - at) / 2
	if at >= len(token) {
		return "", probe.Undecide("the token of principals.first has no signature")
	}
	other := byte('A')
	if token[at] == other {
		other = 'B'
	}
	return token[:at] + string(other) + token[at+1:], nil
}

// parts are the header and the claims of a JWT.
func parts(token string) (header, claims map[string]any, err error) {
	split := strings.Split(token, ".")
	if len(split) != 3 || !decode(split[0], &header) || !decode(split[1], &claims) {
		return nil, nil, probe.Undecide("the token of principals.first is not a JWT")
	}
	return header, claims, nil
}

func decode(part string, into any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(raw, into) == nil
}

func encode(v any) (string, error) {
	raw, err := json.Marshal(v)
	return base64.RawURLEncoding.EncodeToString(raw), err
}

// pack joins the two parts that are signed.
func pack(header, claims any) (string, error) {
	head, err := encode(header)
	if err != nil {
		return "", err
	}
	body, err := encode(claims)
	return head + "." + body, err
}

func unsigned(token string) (string, error) {
	_, _, err := parts(token)
	if err != nil {
		return "", err
	}
	head, err := encode(map[string]any{"alg": "none", "typ": "JWT"})
	return head + "." + strings.Split(token, ".")[1] + ".", err
}

// resigned is the same token, or one of another issuer, that a key signed which
// nobody knows.
func resigned(token, issuer string) (string, error) {
	header, claims, err := parts(token)
	if err != nil {
		return "", err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	header["alg"] = "ES256"
	if issuer != "" {
		claims["iss"] = issuer
	}
	text, err := pack(header, claims)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return "", err
	}
	const half = 32
	signature := make([]byte, 2*half)
	r.FillBytes(signature[:half])
	s.FillBytes(signature[half:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// turnedAway is the answer to a token that was never issued; it was refused with 401.
func turnedAway(ctx context.Context, c *probe.Client) (*probe.Reply, error) {
	reply, err := probe.Once(c, "authorization/turned-away", func() (*probe.Reply, bool, error) {
		reply, err := c.Greet(ctx, probe.ShowingToken(unknown(c)))
		return reply, err == nil && reply.Status() != 0, err
	})
	if err == nil && reply.Status() != http.StatusUnauthorized {
		return nil, probe.NotSeen("a bad token is not refused with 401")
	}
	return reply, err
}

func challengeForToken(ctx context.Context, c *probe.Client) error {
	reply, err := turnedAway(ctx, c)
	if err != nil {
		return err
	}
	if ch, ok := challenge(reply); !ok || len(ch.Params) == 0 {
		return reply.Violation("WWW-Authenticate is %s, want a Bearer challenge with at least one parameter", header(reply))
	}
	return nil
}

func errorForToken(ctx context.Context, c *probe.Client) error {
	reply, err := turnedAway(ctx, c)
	if err != nil {
		return err
	}
	ch, ok := challenge(reply)
	if !ok {
		return unchallenged()
	}
	switch code, ok := ch.Params["error"]; {
	case !ok:
		return reply.Violation(`the challenge for a bad token has no error, want error="invalid_token"`)
	case code != "invalid_token":
		return reply.Violation("the challenge for a bad token has error=%s, want invalid_token", probe.Show(code))
	}
	return nil
}

// Another refusal says no to the request as well, and the page does not say when 400
// begins.
func malformedCredentials(ctx context.Context, c *probe.Client) error {
	reply, err := c.Greet(ctx, probe.ShowingToken(""))
	switch {
	case err != nil:
		return err
	case reply.Silent() || reply.Died():
		return probe.Undecide("an Authorization header without a token got " + reply.Outcome())
	case !reply.Refused():
		return reply.Violation("a request with \"Authorization: Bearer\" and no token is served, want HTTP status 400 or 401")
	case reply.Status() >= http.StatusInternalServerError || reply.Status() < http.StatusBadRequest:
		return reply.Violation("the HTTP status for \"Authorization: Bearer\" and no token is %d, want 400 or 401", reply.Status())
	}
	return nil
}

// With which status it is refused is another rule's.
func audienceChecked(ctx context.Context, c *probe.Client) error {
	token, err := shownBy(c, "foreign")
	if err != nil {
		return err
	}
	reply, err := c.Greet(ctx, probe.ShowingToken(token))
	switch {
	case err != nil:
		return err
	case reply.Silent() || reply.Died():
		return probe.Undecide("a token of another server got " + reply.Outcome())
	case !reply.Refused():
		return reply.Violation("a token that was issued for another server is accepted, want HTTP status 401")
	case reply.Status() != http.StatusUnauthorized:
		c.Note("a token that was issued for another server is refused with " + reply.Outcome() + "; 401 is usual")
	}
	return nil
}

func audienceCase(ctx context.Context, c *probe.Client) error {
	ch, _ := challenge(access(c).Asked)
	scope, id := strings.Join(scopesOf(ch), " "), resource(c)
	var replies []*probe.Reply
	for _, audience := range []string{id, shouted(id)} {
		token, err := c.Mint(ctx, scope, audience)
		if err != nil {
			return err
		}
		reply, err := c.Greet(ctx, probe.ShowingToken(token))
		if err != nil {
			return err
		}
		replies = append(replies, reply)
	}
	switch usual, loud := replies[0], replies[1]; {
	case usual.Refused() || !usual.Answered():
		return probe.Undecide("a token of principals.token-command is not accepted either: " + usual.Outcome())
	case loud.Refused():
		return probe.Shown(usual, loud).Violation("a token for %s is refused, and one for %s is accepted; want both accepted",
			probe.Show(shouted(id)), probe.Show(id))
	}
	return nil
}

// shouted has the scheme and the host of a URI in upper case.
func shouted(uri string) string {
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
