package probe

import (
	"net/http"
	"regexp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// These match what servers say of a session id that a request lacks. The first names the header;
// the second may also mean an argument of a tool, and the third a login.
var (
	sessionHeader = regexp.MustCompile(`(?i)mcp-session`)
	sessionID     = regexp.MustCompile(`(?i)session[-_ ]?id`)
	anySession    = regexp.MustCompile(`(?i)session`)
)

// AsksForSession reports whether a refusal says that the request lacks a session id. The words
// count the less the more a server may say beside that: a tool may have sessions of its own.
func AsksForSession(r *Reply) bool {
	said := refusal(&r.reaction)
	switch call := r.Method == "tools/call"; {
	case said == "":
		return false
	case sessionHeader.MatchString(said):
		return true
	case bars(&r.reaction):
		return sessionID.MatchString(said) || !call && anySession.MatchString(said)
	default:
		return !call && sessionID.MatchString(said)
	}
}

// bars reports whether the HTTP status is one with which servers refuse a request without a session
// id: 400, as the page wants it, or 404, which it wants for an unknown one.
func bars(r *reaction) bool {
	return r.Status() == http.StatusBadRequest || r.Status() == http.StatusNotFound
}

// refusal is what the server says to refuse a request; empty where it says nothing, or serves it.
func refusal(r *reaction) string {
	if !r.Refused() {
		return ""
	}
	said := ""
	for _, s := range r.client.Since(r.from) {
		if s.Dir == frame.Received && s.Exchange == r.exchange && (s.Kind == frame.KindMessage || s.Kind == frame.KindBody) {
			said += s.Payload()
		}
	}
	return said
}

// unissued leaves the refusal of a request without a session id, where the server gave none, to the
// cases about servers that demand one all the same.
func unissued(r *reaction) []Elsewhere {
	c := r.client
	if c.setup.Transport != requirements.HTTP || r.sent == nil || r.sent.HTTP == nil || r.sent.Message().Method == "initialize" ||
		c.Session() != "" || r.sent.HTTP.Header.Get(protocol.HeaderSession) != "" ||
		!bars(r) && !anySession.MatchString(refusal(r)) {
		return nil
	}
	return demanded()
}

// unissuedIn does so for an error that speaks of a session, as the error for a notification may.
func unissuedIn(m frame.Message) []Elsewhere {
	if m.Class != frame.Error || !anySession.MatchString(JSON(member(m, "/error"))) {
		return nil
	}
	return demanded()
}

func demanded() []Elsewhere {
	const why = "the server demands a session id that it never gave"
	return []Elsewhere{{"http/session-id-issued", why}, {"http/session-id-issued-for-calls", why}}
}
