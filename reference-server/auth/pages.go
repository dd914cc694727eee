package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// The lives of tokens, and the maximum number of remembered clients and grants.
const (
	life = time.Hour
	most = 1024
)

// metadata serves the metadata of the authorization server.
func (a *Authority) metadata(w http.ResponseWriter, r *http.Request) {
	at := base(r)
	respond(a.fault, w, r, http.StatusOK, map[string]any{
		"issuer":                                at,
		"authorization_endpoint":                at + "/authorize",
		"token_endpoint":                        at + "/token",
		"registration_endpoint":                 at + "/register",
		"jwks_uri":                              at + "/jwks",
		"scopes_supported":                      allScopes(),
		"response_types_supported":              []string{"code"},
		"grant_types_supported":                 []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"},
	})
}

func (a *Authority) keys(w http.ResponseWriter, r *http.Request) {
	point, err := a.key.PublicKey.Bytes()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	half := (len(point) - 1) / 2 // after one byte for the form of the point
	respond(a.fault, w, r, http.StatusOK, map[string]any{"keys": []any{map[string]any{
		"kty": "EC", "crv": "P-256",
		"x": base64.RawURLEncoding.EncodeToString(point[1 : 1+half]),
		"y": base64.RawURLEncoding.EncodeToString(point[1+half:]),
	}}})
}

// problem answers with an error of OAuth.
func (a *Authority) problem(w http.ResponseWriter, r *http.Request, code string) {
	respond(a.fault, w, r, http.StatusBadRequest, map[string]any{"error": code})
}

// register registers a client with safe redirect URIs.
func (a *Authority) register(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		RedirectURIs []string `json:"redirect_uris"`
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		respond(a.fault, w, r, http.StatusMethodNotAllowed, map[string]any{"error": "invalid_request"})
		return
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&asked)
	unsafe := func(uri string) bool { return !a.safeRedirect(uri) }
	if err != nil || len(asked.RedirectURIs) == 0 || slices.ContainsFunc(asked.RedirectURIs, unsafe) {
		a.problem(w, r, "invalid_redirect_uri")
		return
	}
	id := rand.Text()
	a.mu.Lock()
	makeRoom(a.clients)
	a.clients[id] = client{redirects: asked.RedirectURIs}
	a.mu.Unlock()
	respond(a.fault, w, r, http.StatusCreated, map[string]any{
		"client_id": id, "redirect_uris": asked.RedirectURIs, "token_endpoint_auth_method": "none",
	})
}

// makeRoom makes room in a full map.
func makeRoom[T any](kept map[string]T) {
	if len(kept) >= most {
		clear(kept)
	}
}

// safeRedirect reports whether a redirect URI is HTTPS, or names this machine.
func (a *Authority) safeRedirect(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && (local || a.fault.Skips(fault.CheckRedirectHTTPS))
}

// authorize grants every request of a registered client: the user is the harbour
// master.
func (a *Authority) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	redirect := q.Get("redirect_uri")
	a.mu.Lock()
	known, ok := a.clients[q.Get("client_id")]
	a.mu.Unlock()
	if !ok || !slices.Contains(known.redirects, redirect) && !a.fault.Skips(fault.CheckRedirectURI) {
		a.problem(w, r, "invalid_request") // an unregistered address gets no redirect
		return
	}
	answer := url.Values{"state": {q.Get("state")}, "iss": {base(r)}}
	switch {
	case q.Get("response_type") != "code" && !a.fault.Skips(fault.CheckResponseType):
		answer.Set("error", "unsupported_response_type")
	case (q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256") && !a.fault.Skips(fault.CheckPKCE):
		answer.Set("error", "invalid_request")
	default:
		code := rand.Text()
		a.mu.Lock()
		makeRoom(a.codes)
		a.codes[code] = grant{
			client: q.Get("client_id"), redirect: redirect, challenge: q.Get("code_challenge"),
			token: Token{Subject: Master, Scope: q.Get("scope"), Audience: q.Get("resource"), Life: life},
		}
		a.mu.Unlock()
		answer.Set("code", code)
	}
	w.Header().Set("Location", redirect+"?"+answer.Encode())
	respond(a.fault, w, r, http.StatusFound, map[string]any{})
}

// token issues a token for a code or for a refresh token; each can be used once.
func (a *Authority) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil || r.Method != http.MethodPost {
		a.problem(w, r, "invalid_request")
		return
	}
	kept, key := a.codes, r.PostForm.Get("code")
	if r.PostForm.Get("grant_type") == "refresh_token" {
		kept, key = a.refreshTokens, r.PostForm.Get("refresh_token")
	}
	a.mu.Lock()
	given, ok := kept[key]
	delete(kept, key)
	a.mu.Unlock()
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	if ok && given.challenge != "" {
		ok = base64.RawURLEncoding.EncodeToString(sum[:]) == given.challenge && r.PostForm.Get("redirect_uri") == given.redirect
	}
	if !ok || r.PostForm.Get("client_id") != given.client {
		a.problem(w, r, "invalid_grant")
		return
	}
	if resource := r.PostForm.Get("resource"); resource != "" {
		given.token.Audience = resource
	}
	if given.token.Audience == "" {
		given.token.Audience = base(r) + a.path
	}
	text, err := a.Issue(base(r), given.token)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	renewal := rand.Text()
	given.challenge = ""
	a.mu.Lock()
	makeRoom(a.refreshTokens)
	a.refreshTokens[renewal] = given
	a.mu.Unlock()
	w.Header().Set("Cache-Control", "no-store")
	respond(a.fault, w, r, http.StatusOK, map[string]any{
		"access_token": text, "token_type": "Bearer", "expires_in": int(life.Seconds()), "refresh_token": renewal,
		"scope": strings.TrimSpace(given.token.Scope),
	})
}
