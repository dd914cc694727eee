// Package authorization holds the ways to break basic/authorization.
package authorization

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(challenges(), metadata(), tokens(), requests(), scopes(), own())
}

// newest and middle are the columns of most faults: most rules of the middle revision
// hold at the newest too.
func newest() []fault.Column { return fault.OverHTTP(requirements.R20260728) }

func handshake() []fault.Column { return fault.OverHTTP(requirements.R20251125) }

func middle() []fault.Column { return fault.OverHTTP(requirements.R20250618) }

func oldest() []fault.Column { return fault.OverHTTP(requirements.R20250326) }

// endpoint is the path of the MCP endpoint.
const endpoint = "/mcp"

// The paths of metadata.
const (
	resourceDocument = "/.well-known/oauth-protected-resource"
	serverDocument   = "/.well-known/oauth-authorization-server"
)

// authMode is the unchanged auth mode, for faults that skip a check.
func authMode() *fault.Auth { return &fault.Auth{} }

// status replaces one status of the guard by another.
func status(from, to int) *fault.Auth {
	return &fault.Auth{Answer: func(r *http.Request, status int, _ http.Header, body []byte) (int, []byte) {
		if r.URL.Path == endpoint && status == from {
			status = to
		}
		return status, body
	}}
}

// challenge rewrites the challenge of refusals with a status.
func challenge(of int, change func(value string) string) *fault.Auth {
	return &fault.Auth{Answer: func(r *http.Request, status int, h http.Header, body []byte) (int, []byte) {
		if r.URL.Path == endpoint && status == of {
			rewrite(h, change)
		}
		return status, body
	}}
}

// challengeFor is challenge for requests with a token, or for requests without one.
func challengeFor(shown bool, change func(value string) string) *fault.Auth {
	return &fault.Auth{Answer: func(r *http.Request, status int, h http.Header, body []byte) (int, []byte) {
		if r.URL.Path == endpoint && status == http.StatusUnauthorized && shown == (r.Header.Get("Authorization") != "") {
			rewrite(h, change)
		}
		return status, body
	}}
}

func rewrite(h http.Header, change func(value string) string) {
	value := change(h.Get("WWW-Authenticate"))
	h.Del("WWW-Authenticate")
	if value != "" {
		h.Set("WWW-Authenticate", value)
	}
}

// noChallenge removes the challenge.
func noChallenge(string) string { return "" }

// without removes a parameter from a challenge.
func without(name string) func(string) string {
	return func(value string) string {
		params := strings.Split(strings.TrimPrefix(value, "Bearer "), ", ")
		params = slices.DeleteFunc(params, func(p string) bool { return strings.HasPrefix(p, name+"=") })
		return strings.TrimSpace("Bearer " + strings.Join(params, ", "))
	}
}

// with gives a parameter of a challenge another value.
func with(name, text string) func(string) string {
	return func(value string) string {
		bare := without(name)(value)
		if bare == "Bearer" {
			return bare + " " + name + `="` + text + `"`
		}
		return bare + ", " + name + `="` + text + `"`
	}
}

// password is the same challenge for a password.
func password(value string) string { return strings.Replace(value, "Bearer", "Basic", 1) }

// document rewrites a document at every path that publishes it.
func document(path string, change func(object map[string]any)) *fault.Auth {
	return &fault.Auth{Answer: func(r *http.Request, status int, _ http.Header, body []byte) (int, []byte) {
		object := map[string]any{}
		if !strings.HasPrefix(r.URL.Path, path) || json.Unmarshal(body, &object) != nil {
			return status, body
		}
		change(object)
		changed, err := json.Marshal(object)
		if err != nil {
			return status, body
		}
		return status, changed
	}}
}

// missing answers requests for documents with status 404.
func missing(paths ...string) *fault.Auth {
	return &fault.Auth{Answer: func(r *http.Request, status int, _ http.Header, body []byte) (int, []byte) {
		if slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(r.URL.Path, p) }) {
			return http.StatusNotFound, []byte(`{"error":"not_found"}`)
		}
		return status, body
	}}
}

// both applies two hooks, one after the other.
func both(first, second *fault.Auth) *fault.Auth {
	return &fault.Auth{Answer: func(r *http.Request, status int, h http.Header, body []byte) (int, []byte) {
		status, body = first.Answer(r, status, h, body)
		return second.Answer(r, status, h, body)
	}}
}
