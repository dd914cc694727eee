package authorization

import (
	"net/http"

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
			Title:  "a request without a token is refused after others that had one",
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

// everyRequest can expect a refusal of any method, because the opening was refused
// without a token.
func everyRequest(c *probe.Client) error {
	method := ordinary(c)
	with := c.Call(method, nil)
	if _, ok := with.Result(); !ok {
		c.Undecide(method + " is not served with the token either: " + with.Outcome())
	}
	without := c.Ask(c.Compose(method, nil), probe.Anonymous(), probe.Patient())
	if !without.Refused() && without.Answered() {
		return probe.Shown(with, without).Violation("%s without a token is served after a request that had one, want HTTP status 401", method)
	}
	return nil
}

// inSession makes a plain HTTP request in the session, without a token.
func inSession(c *probe.Client, method string, accept string) probe.Document {
	h := http.Header{protocol.HeaderSession: {c.Session()}, "Accept": {accept}}
	if protocol.VersionHeader().At(c.Revision()) {
		h.Set(protocol.HeaderVersion, string(c.Revision()))
	}
	return c.Visit(probe.Visit{Method: method, At: c.Endpoint(), Header: h})
}

func everyStream(c *probe.Client) error {
	d := inSession(c, http.MethodGet, "text/event-stream")
	if d.Status/100 == 2 {
		return probe.Shown(d).Violation("a GET without a token opens the stream of the session, want HTTP status 401 or 405")
	}
	return nil
}

func everyEnd(c *probe.Client) error {
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
		return probe.Shown(seen).Violation("a call with a token that was never issued has its effect, want none")
	}
	return nil
}
