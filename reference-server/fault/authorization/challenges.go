package authorization

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func challenges() []fault.Fault {
	return []fault.Fault{
		{
			Name: "authorization-fixed-secret", Title: "the challenge names the scheme alone, and no metadata is published",
			Breaks: "authorization-http-conformance", In: handshake(),
			Auth: both(missing(resourceDocument, serverDocument), challenge(http.StatusUnauthorized, func(string) string { return "Bearer" })),
		}, {
			Name: "authorization-login-page", Title: "a request without a token, or with a bad one, is led to a login page",
			Breaks: "authorization-http-conformance", In: append(oldest(), newest()...),
			Auth: &fault.Auth{Answer: func(r *http.Request, status int, h http.Header, body []byte) (int, []byte) {
				if r.URL.Path == endpoint && status == http.StatusUnauthorized {
					h.Del("WWW-Authenticate")
					h.Set("Location", "/login")
					return http.StatusFound, nil
				}
				return status, body
			}},
		}, {
			Name: "authorization-403-without-token", Title: "a request without a token is refused with status 403",
			Breaks: "authorization-401-without-token", In: newest(), Auth: refusedWith(false, http.StatusForbidden),
		}, {
			Name:   "authorization-200-without-token",
			Title:  "a request without a token is refused by a JSON-RPC error with status 200",
			Breaks: "authorization-401-without-token", In: middle(),
			Auth: &fault.Auth{Answer: func(r *http.Request, status int, h http.Header, body []byte) (int, []byte) {
				if r.URL.Path == endpoint && status == http.StatusUnauthorized && r.Header.Get("Authorization") == "" {
					h.Del("WWW-Authenticate")
					return http.StatusOK, []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"log in first"}}`)
				}
				return status, body
			}},
		}, {
			Name: "authorization-no-challenge-without-token", Title: "the 401 for a missing token has no challenge",
			Breaks: "authorization-401-challenge-without-token-later", In: newest(), Auth: challengeFor(false, noChallenge),
		}, {
			Name: "authorization-basic-without-token", Title: "the challenge for a missing token is for a password",
			Breaks: "authorization-401-challenge-without-token", In: append(oldest(), middle()...),
			Auth: challengeFor(false, func(string) string { return `Basic realm="harbour"` }),
		}, {
			Name:   "authorization-basic-names-metadata",
			Title:  "the challenge for a missing token is for a password, and names the metadata",
			Breaks: "authorization-401-challenge-without-token-later", In: append(handshake(), newest()...),
			Auth: challengeFor(false, password),
		},
		{Breaks: "authorization-challenge-syntax", In: append(oldest(), newest()...), Each: []fault.Fault{{
			Name: "authorization-challenge-without-quotes", Title: "the values of the challenge have no quotes",
			Auth: challenge(http.StatusUnauthorized, func(value string) string { return strings.ReplaceAll(value, `"`, "") }),
		}, {
			Name: "authorization-challenge-with-semicolons", Title: "the parameters of the challenge are joined by semicolons",
			Auth: challenge(http.StatusUnauthorized, func(value string) string { return strings.ReplaceAll(value, ", ", "; ") }),
		}}},
		{
			Name: "authorization-error-without-token", Title: "the challenge for a missing token says invalid_token",
			Breaks: "authorization-401-error-code", Kills: []string{"authorization/no-error-without-token"}, In: newest(),
			Auth: challengeFor(false, with("error", "invalid_token")),
		},
		{Breaks: "authorization-challenge-metadata-url", In: middle(), Each: []fault.Fault{{
			Name: "authorization-challenge-without-metadata", Title: "the challenge does not name the metadata",
			Auth: challenge(http.StatusUnauthorized, without("resource_metadata")),
		}, {
			Name: "authorization-challenge-relative-metadata", Title: "the challenge names the metadata by a path",
			Auth: challenge(http.StatusUnauthorized, with("resource_metadata", resourceDocument)),
		}}},
		{
			Name: "authorization-challenge-without-scope", Title: "the challenge names no scope",
			Breaks: "authorization-challenge-scope", In: fault.OverHTTP(requirements.R20260728, requirements.R20251125),
			Auth: challenge(http.StatusUnauthorized, without("scope")),
		}, {
			Name: "authorization-scopes-at-random", Title: "each challenge names another scope",
			Breaks: "authorization-scope-consistency", In: newest(),
			Auth: challenge(http.StatusUnauthorized, func(value string) string { return with("scope", rand.Text())(value) }),
		}, {
			Name: "authorization-scopes-in-turn", Title: "each third challenge for a missing token names one scope more",
			Breaks: "authorization-scope-consistency", In: handshake(),
			Auth: challengeFor(false, eachThird(with("scope", "read:berths write:berths"))),
		},
		{Breaks: "authorization-no-offline-access", In: newest(), Each: []fault.Fault{{
			Name: "authorization-offline-in-challenge", Title: "the challenge asks for offline_access",
			Auth: challenge(http.StatusUnauthorized, with("scope", "read:berths offline_access")),
		}, {
			Name: "authorization-offline-in-metadata", Title: "scopes_supported contains offline_access",
			Auth: document(resourceDocument, func(o map[string]any) { o["scopes_supported"] = []string{"read:berths", "offline_access"} }),
		}}},
	}
}

// eachThird changes the third challenge, the sixth, and so on.
func eachThird(change func(string) string) func(string) string {
	var count atomic.Int64
	return func(value string) string {
		if count.Add(1)%3 == 0 {
			return change(value)
		}
		return value
	}
}

// refusedWith replaces 401 by another status, for requests with a token or for
// requests without one.
func refusedWith(shown bool, instead int) *fault.Auth {
	return &fault.Auth{Answer: func(r *http.Request, status int, _ http.Header, body []byte) (int, []byte) {
		if r.URL.Path == endpoint && status == http.StatusUnauthorized && shown == (r.Header.Get("Authorization") != "") {
			status = instead
		}
		return status, body
	}}
}
