package auth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// The paths of metadata; resource metadata is published under the path of the endpoint
// too.
const (
	resourceDocument = "/.well-known/oauth-protected-resource"
	serverDocument   = "/.well-known/oauth-authorization-server"
)

// maxBody is the number of bytes of a body that are searched for the called tool.
const maxBody = 16 << 20

// Guard lets requests with a valid token through, and serves the pages of the
// authorization. The handler behind it sees the subject in place of the token.
func (a *Authority) Guard(behind http.Handler) http.Handler {
	g := guard{&a.issuer}
	pages := a.pages(g)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.fault != nil && a.fault.HTTP.Serve != nil && a.fault.HTTP.Serve(w, r) {
			return
		}
		if serve, ok := pages[r.URL.Path]; ok {
			serve(w, r)
			return
		}
		if r.URL.Path != a.path {
			behind.ServeHTTP(w, r)
			return
		}
		if g.admit(w, r, behind) {
			behind.ServeHTTP(w, r)
		}
	})
}

func (a *Authority) pages(g guard) map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		resourceDocument:          g.resource,
		resourceDocument + a.path: g.resource,
		serverDocument:            a.metadata,
		"/authorize":              a.authorize,
		"/token":                  a.token,
		"/register":               a.register,
		"/jwks":                   a.keys,
	}
}

// A guard demands the tokens of an issuer.
type guard struct{ *issuer }

// base is the origin that the request is sent to.
func base(r *http.Request) string { return "http://" + r.Host }

// admit reports whether a request has the necessary token. Otherwise admit answers the
// request itself.
func (g guard) admit(w http.ResponseWriter, r *http.Request, behind http.Handler) bool {
	shown, ok := g.bearerToken(r)
	switch {
	case !ok && g.fault.Skips(fault.CheckCredentials):
		shown = "-"
	case !ok:
		g.refuse(w, r, http.StatusBadRequest, "invalid_request", "")
		return false
	}
	asked, batch := messages(r)
	anybody := Token{Subject: "anybody", Scope: baseScope}
	token, err := anybody, error(nil)
	switch {
	case shown == "-", g.skipsToken(r, shown, asked):
	case shown == "":
		g.refuse(w, r, http.StatusUnauthorized, "", baseScope)
		return false
	default:
		token, err = g.verify(base(r), g.loose(shown))
	}
	if err != nil && g.fault.Skips(fault.CheckTokenInSession) && r.Header.Get("Mcp-Session-Id") != "" {
		token, err = anybody, nil
	}
	tools := calledTools(asked)
	if err != nil && g.fault.Skips(fault.CheckEarly) && len(tools) > 0 {
		r.Header.Set("Authorization", "Bearer early")
		return true
	}
	if err != nil {
		g.refuse(w, r, http.StatusUnauthorized, "invalid_token", baseScope)
		return false
	}
	if g.overlooks(r, batch) {
		token.Subject = Master // the tools, too, look at who calls them
	} else if wanted := neededScopes(tools); !g.covers(token, wanted) {
		if g.fault.Skips(fault.CheckScopeEarly) {
			r.Header.Set("Authorization", "Bearer "+Master)
			behind.ServeHTTP(nowhere{}, r)
		}
		g.refuse(w, r, http.StatusForbidden, "insufficient_scope", strings.Join(wanted, " "))
		return false
	}
	r.Header.Set("Authorization", "Bearer "+token.Subject)
	return true
}

// bearerToken is the token of a request; it is not ok for a header without a token.
func (g guard) bearerToken(r *http.Request) (token string, ok bool) {
	header := r.Header.Get("Authorization")
	if header == "" {
		if g.fault.Skips(fault.CheckTokenPlace) {
			return r.URL.Query().Get("access_token"), true
		}
		return "", true
	}
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

// loose is the text that is verified as a token: all of it, but for a fault.
func (g guard) loose(text string) string {
	const start, whole = "eyJ", 86 // of a token, and the length of its signature in characters
	if at := strings.Index(text, start); at > 0 && g.fault.Skips(fault.CheckTokenStart) {
		return text[at:]
	}
	if end := strings.LastIndexByte(text, '.') + 1 + whole; end < len(text) && g.fault.Skips(fault.CheckTokenEnd) {
		return text[:end]
	}
	return text
}

// skipsToken reports whether a fault lets a request without a token through.
func (g guard) skipsToken(r *http.Request, shown string, asked []message) bool {
	if shown != "" {
		return false
	}
	switch r.Method {
	case http.MethodGet:
		return g.fault.Skips(fault.CheckStreamToken)
	case http.MethodDelete:
		return g.fault.Skips(fault.CheckDeleteToken)
	}
	return g.fault.Skips(fault.CheckTokenEach) && !slices.ContainsFunc(asked, func(m message) bool {
		return m.Method == "initialize" || m.Method == "server/discover"
	})
}

// nowhere is the answer to a request that is refused all the same.
type nowhere struct{}

func (nowhere) Header() http.Header            { return http.Header{} }
func (nowhere) Write(text []byte) (int, error) { return len(text), nil }
func (nowhere) WriteHeader(int)                {}

// overlooks reports whether a fault lets the form of a request hide which tools it calls.
func (g guard) overlooks(r *http.Request, batch bool) bool {
	return batch && g.fault.Skips(fault.CheckScopeBatch) ||
		strings.HasPrefix(r.Header.Get("Mcp-Name"), "=?base64?") && g.fault.Skips(fault.CheckScopeEncoded)
}

// neededScopes lists the scopes that calls of tools need.
func neededScopes(tools []string) []string {
	if slices.Contains(tools, "hoist_signal") {
		return []string{baseScope, "write:signals", "admin:harbour"}
	}
	return []string{baseScope}
}

// calledTools are the names of the tools that messages call.
func calledTools(asked []message) []string {
	var names []string
	for _, m := range asked {
		if m.Method == "tools/call" {
			names = append(names, m.Params.Name)
		}
	}
	return names
}

// A message is what the guard looks at in a message of a client.
type message struct {
	Method string
	Params struct{ Name string }
}

// messages reads the message of a request, or those of a batch. The body can be read once more.
func messages(r *http.Request) (read []message, batch bool) {
	if r.Body == nil || r.Method != http.MethodPost {
		return nil, false
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), r.Body), r.Body}
	if err != nil {
		return nil, false
	}
	var all []json.RawMessage
	if batch = json.Unmarshal(text, &all) == nil; !batch {
		all = []json.RawMessage{text}
	}
	read = make([]message, len(all))
	for i, one := range all {
		_ = json.Unmarshal(one, &read[i]) // what cannot be read calls no tool
	}
	return read, batch
}

// refuse answers with a challenge.
func (g guard) refuse(w http.ResponseWriter, r *http.Request, status int, problem, scope string) {
	params := []string{fmt.Sprintf("resource_metadata=%q", base(r)+resourceDocument+g.path)}
	if scope != "" {
		params = append(params, fmt.Sprintf("scope=%q", scope))
	}
	if problem != "" {
		params = append(params, fmt.Sprintf("error=%q", problem))
	}
	w.Header().Set("WWW-Authenticate", "Bearer "+strings.Join(params, ", "))
	respond(g.fault, w, r, status, map[string]any{"error": problem})
}

// resource serves the metadata of the endpoint.
func (g guard) resource(w http.ResponseWriter, r *http.Request) {
	respond(g.fault, w, r, http.StatusOK, map[string]any{
		"resource":                 base(r) + g.path,
		"authorization_servers":    []string{base(r)},
		"scopes_supported":         allScopes(),
		"bearer_methods_supported": []string{"header"},
	})
}

// respond sends a document, as the fault wants it.
func respond(f *fault.Fault, w http.ResponseWriter, r *http.Request, status int, document any) {
	text, err := json.Marshal(document)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if f != nil && f.Auth != nil && f.Auth.Answer != nil {
		status, text = f.Auth.Answer(r, status, w.Header(), text)
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may be gone
}
