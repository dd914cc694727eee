package authorization

import (
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func requestCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "authorization/query-token",
			Title:  "a token in the query string lets nobody in",
			Checks: []requirements.ID{"authorization-query-token-refused"},
			Needs:  []suite.Need{principal("first")},
			Fix:    "read the token from the Authorization header alone: URLs end up in logs",
			Run:    queryToken,
		},
		{
			ID:     "authorization/every-request",
			Title:  "a request without a token, or with a bad one, is refused after others that had a good one",
			Checks: []requirements.ID{"authorization-every-request", "security-per-request-authentication"},
			Needs:  []suite.Need{principal("first")},
			Fix:    "check the Authorization header of every HTTP request, whatever its session or connection did before",
			Run:    everyRequest,
		},
		{
			ID:        "authorization/every-stream",
			Title:     "the stream of a session is not opened without a token",
			Checks:    []requirements.ID{"authorization-every-request"},
			Needs:     []suite.Need{principal("first"), suite.Trait(probe.Sessions)},
			Fix:       "check the Authorization header of GET as well: a session id does not replace a token",
			Revisions: protocol.Handshake(),
			Run:       everyStream,
		},
		{
			ID:        "authorization/every-end",
			Title:     "a session is not ended without a token",
			Checks:    []requirements.ID{"authorization-every-request"},
			Needs:     []suite.Need{principal("first"), suite.Trait(probe.Sessions)},
			Fix:       "check the Authorization header of DELETE as well: a session id does not replace a token",
			Revisions: protocol.Handshake(),
			Lane:      suite.Fresh,
			Run:       everyEnd,
		},
		{
			ID:       "authorization/token-before-effect",
			Title:    "a call with a bad token changes nothing",
			Checks:   []requirements.ID{"authorization-token-validated"},
			Needs:    []suite.Need{principal("first"), suite.Role(roles.StateChange, "observe")},
			Fix:      "validate the token before the request is looked at",
			Observes: roles.StateChange,
			Run:      tokenBeforeEffect,
		},
	}
}

func queryToken(c *probe.Client) error {
	token := shownBy(c, "first")
	reply := c.Greet(probe.WithQuery("access_token=" + token))
	switch {
	case reply.Silent() || reply.Died():
		c.Undecide("a token in the query string got " + reply.Outcome())
	case !reply.Refused():
		return reply.Violation("a request with the token in the query string is served, want HTTP status 401")
	}
	return nil
}

// ordinary is a request that the server serves to every client with a token.
func ordinary(c *probe.Client) string {
	for _, list := range c.Declared() {
		return list.Method
	}
	return protocol.Harmless().At(c.Revision())
}

// everyRequest asks for what was refused without a token, without one and with one that was
// never issued. Where the opening was refused, nothing behind it is open to all.
func everyRequest(c *probe.Client) error {
	method := access(c).Asked.Method
	if access(c).OpeningRefused() {
		method = ordinary(c)
	}
	with := c.Call(method, nil)
	c.UndecideIf(!with.Served(), method+" is not served with the token either: "+with.Outcome())
	without := c.Ask(c.Compose(method, nil), probe.Anonymous(), probe.Patient())
	if !without.Refused() && without.Answered() {
		return probe.Shown(with, without).Violation("%s without a token is served after a request that had one, want HTTP status 401", method)
	}
	bad := c.Ask(c.Compose(method, nil), probe.ShowingToken(unknown(c)), probe.Patient())
	if !bad.Refused() && bad.Served() && c.Greet(probe.ShowingToken(unknown(c))).Refused() {
		return probe.Shown(with, bad).Violation("%s with a token that was never issued is served after a request that had a good one, "+
			"want HTTP status 401", method)
	}
	return nil
}

// inSession makes a plain HTTP request in the session, without a token. It ends the case
// where the server opens sessions for everybody: then their streams and ends may be open
// to all as well.
func inSession(c *probe.Client, method string, accept string) probe.Document {
	switch {
	case c.Session() == "":
		c.NotSeen("the server gives no Mcp-Session-Id at this revision")
	case !access(c).OpeningRefused():
		c.NotSeen("the opening is served to everybody, so that a session needs no token")
	}
	h := http.Header{protocol.HeaderSession: {c.Session()}, "Accept": {accept}}
	if protocol.VersionHeader().At(c.Revision()) {
		h.Set(protocol.HeaderVersion, string(c.Revision()))
	}
	return c.Visit(probe.Visit{Method: method, At: c.Endpoint(), Header: h})
}

// everyStream takes only an event stream for an open stream: some servers show people a
// page at the endpoint.
func everyStream(c *probe.Client) error {
	d := inSession(c, http.MethodGet, eventStream)
	kind, _, _ := strings.Cut(d.Header.Get("Content-Type"), ";")
	if d.Status/100 == 2 && strings.EqualFold(strings.TrimSpace(kind), eventStream) {
		return probe.Shown(d).Violation("a GET without a token opens the stream of the session, want HTTP status 401 or 405")
	}
	return nil
}

const eventStream = "text/event-stream"

func everyEnd(c *probe.Client) error {
	c.NotSeenIf(access(c).Asked.Status()/100 == 2, "the refusal has no HTTP status of its own, which authorization/status-without-token "+
		"judges")
	d := inSession(c, http.MethodDelete, "application/json")
	if d.Status/100 == 2 {
		return probe.Shown(d).Violation("a DELETE without a token gets HTTP status %d, want 401 or 405", d.Status)
	}
	return nil
}

func tokenBeforeEffect(c *probe.Client) error {
	call := c.Role(roles.StateChange).Call()
	seen := c.Around(call, func() *probe.Reply {
		return c.Ask(c.Compose("tools/call", call.Params(nil)), probe.ShowingToken(unknown(c)), probe.Patient())
	})
	if !seen.Unchanged() {
		c.Undo(call, seen.Reply)
		had := probe.Shown(seen).Violation("a call with a token that was never issued has its effect, want none")
		if !seen.Refused() {
			had = had.Unless(
				probe.Elsewhere{Case: "authorization/unknown-token", Why: "such a token is accepted anywhere"},
				probe.Elsewhere{Case: "authorization/every-request", Why: "such a token is accepted after a good one"},
			)
		}
		return had
	}
	return nil
}
