// Package auth makes the reference server an OAuth resource server: it refuses
// requests without a valid token, and is the small authorization server that issues
// tokens.
package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// The scopes of the tokens. The broad scope implies all others.
const (
	broadScope = "harbour"
	baseScope  = "read:berths"
)

func allScopes() []string {
	return []string{baseScope, "write:berths", "write:signals", "admin:harbour"}
}

// An Authority is an authorization server and the guard that demands its tokens. It
// keeps nothing when the server ends.
type Authority struct {
	issuer

	mu            sync.Mutex
	clients       map[string]client
	codes         map[string]grant
	refreshTokens map[string]grant // by refresh token
}

// An issuer makes and verifies access tokens.
type issuer struct {
	key   *ecdsa.PrivateKey
	fault *fault.Fault
	now   func() time.Time
	path  string // of the endpoint
}

// A client is a registered client.
type client struct{ redirects []string }

// A grant is the access that a user allowed a client.
type grant struct {
	client, redirect, challenge string
	token                       Token
}

// A Token is the content of an access token.
type Token struct {
	Subject  string
	Scope    string
	Audience string
	Life     time.Duration // negative for an expired token
}

// New makes an authority with a key of its own.
func New(path string, f *fault.Fault, now func() time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return &Authority{
		issuer:  issuer{key: key, fault: f, now: now, path: path},
		clients: map[string]client{}, codes: map[string]grant{}, refreshTokens: map[string]grant{},
	}, nil
}

// claims are the claims of an access token.
type claims struct {
	jwt.RegisteredClaims
	Scope string `json:"scope"`
}

// Issue makes an access token; base is the origin of the server.
func (i *issuer) Issue(base string, t Token) (string, error) {
	now := i.now()
	says := claims{Scope: t.Scope, RegisteredClaims: jwt.RegisteredClaims{
		Issuer: base, Subject: t.Subject, Audience: jwt.ClaimStrings{t.Audience},
		IssuedAt: jwt.NewNumericDate(now.Add(2 * min(0, t.Life))),
	}}
	if !i.fault.Skips(fault.CheckTokenLife) {
		says.ExpiresAt = jwt.NewNumericDate(now.Add(t.Life))
	}
	return jwt.NewWithClaims(jwt.SigningMethodES256, says).SignedString(i.key)
}

var errToken = errors.New("the token is not valid")

// verify returns the claims of a token that is valid here.
func (i *issuer) verify(base, text string) (Token, error) {
	var says claims
	var err error
	if i.skipsSignature(base, text) {
		_, _, err = jwt.NewParser().ParseUnverified(text, &says)
	} else {
		// The code below checks the claims, so that faults can skip single checks.
		parser := jwt.NewParser(jwt.WithValidMethods([]string{"ES256"}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
		_, err = parser.ParseWithClaims(text, &says, func(*jwt.Token) (any, error) { return &i.key.PublicKey, nil })
	}
	if err != nil {
		if i.fault.Skips(fault.CheckToken) && strings.Count(text, ".") != 2 {
			return Token{Subject: "anybody", Scope: baseScope}, nil
		}
		return Token{}, errToken
	}
	switch {
	case says.Issuer != base && !i.fault.Skips(fault.CheckIssuer),
		!i.fault.Skips(fault.CheckExpiry) && !i.fault.Skips(fault.CheckTokenLife) && !i.unexpired(says),
		!i.fault.Skips(fault.CheckAudience) && !slices.ContainsFunc(says.Audience, i.matchesResource(base+i.path)):
		return Token{}, errToken
	}
	return Token{Subject: says.Subject, Scope: says.Scope}, nil
}

// unexpired reports whether a token has an end that has not come yet.
func (i *issuer) unexpired(says claims) bool {
	return says.ExpiresAt != nil && i.now().Before(says.ExpiresAt.Time)
}

// skipsSignature reports whether a fault accepts a token without verifying the
// signature.
func (i *issuer) skipsSignature(base, text string) bool {
	head, rest, _ := strings.Cut(text, ".")
	body, signature, _ := strings.Cut(rest, ".")
	var header struct{ Alg string }
	var says struct{ Iss string }
	unpack(head, &header)
	unpack(body, &says)
	const whole = 86 // the length of a signature in characters
	switch {
	case header.Alg == "none":
		return i.fault.Skips(fault.CheckAlgorithm)
	case says.Iss != base:
		return i.fault.Skips(fault.CheckIssuer)
	case len(signature) < whole:
		return i.fault.Skips(fault.CheckTokenCut)
	default:
		return i.fault.Skips(fault.CheckSignature)
	}
}

func unpack(part string, into any) {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	if err == nil {
		_ = json.Unmarshal(raw, into) // an unreadable part stays empty
	}
}

// matchesResource compares audiences with a resource, ignoring the case of scheme and
// host.
func (i *issuer) matchesResource(resource string) func(string) bool {
	return func(audience string) bool {
		switch {
		case i.fault.Skips(fault.CheckAudienceCase):
			return audience == resource
		case i.fault.Skips(fault.CheckAudienceEnd):
			return strings.HasPrefix(canonical(audience), canonical(resource))
		}
		return canonical(audience) == canonical(resource)
	}
}

func canonical(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return uri
	}
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host) + strings.TrimSuffix(u.EscapedPath(), "/")
}

// covers reports whether a token has all of these scopes, or the broad scope.
func (i *issuer) covers(t Token, wanted []string) bool {
	held := strings.Fields(t.Scope)
	if slices.Contains(held, broadScope) && !i.fault.Skips(fault.CheckScopeBroad) || i.fault.Skips(fault.CheckScope) {
		return true
	}
	return !slices.ContainsFunc(wanted, func(scope string) bool { return !slices.Contains(held, scope) })
}
