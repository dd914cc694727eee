package authorization

import (
	"context"
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
			Needs:  framework(principal("first")),
			Fix:    "read the token from the Authorization header alone: URLs end up in logs",
			Run:    queryToken,
		},
		{
			ID:     "authorization/every-request",
			Title:  "a request without a token is refused after others that had one",
			Checks: []requirements.ID{"authorization-every-request", "security-per-request-authentication"},
			Needs:  framework(principal("first")),
			Fix:    "check the Authorization header of every HTTP request, whatever its session or connection did before",
			Run:    everyRequest,
		},
		{
			ID:        "authorization/every-stream",
			Title:     "the stream of a session is not opened without a token",
			Checks:    []requirements.ID{"authorization-every-request"},
			Needs:     framework(principal("first"), suite.Trait(probe.Sessions)),
			Fix:       "check the Authorization header of GET as well: a session id does not replace a token",
			Revisions: protocol.Handshake(),
			Run:       everyStream,
		},
		{
			ID:        "authorization/every-end",
			Title:     "a session is not ended without a token",
			Checks:    []requirements.ID{"authorization-every-request"},
			Needs:     framework(principal("first"), suite.Trait(probe.Sessions)),
			Fix:       "check the Authorization header of DELETE as well: a session id does not replace a token",
			Revisions: protocol.Handshake(),
			Lane:      suite.Fresh,
			Run:       everyEnd,
		},
		{
			ID:       "authorization/token-before-effect",
			Title:    "a call with a bad token changes nothing",
			Checks:   []requirements.ID{"authorization-token-validated"},
			Needs:    framework(principal("first"), suite.Role(roles.StateChange, "observe")),
			Fix:      "validate the token before the request is looked at",
			Observes: roles.StateChange,
			Run:      tokenBeforeEffect,
		},
	}
}

func queryToken(ctx context.Context, c *probe.Client) error {
	token, err := shownBy(c, "first")
	if err != nil {
		return err
	}
	reply, err := c.Greet(ctx, probe.WithQuery("access_token="+token))
	switch {
	case err != nil:
		return err
	case reply.Silent() || reply.Died():
		return probe.Undecide("a token in the query string got " + reply.Outcome())
	case !reply.Refused():
		return reply.Violation("a request with the token in the query string is served, want HTTP status 401")
	}
	return nil
}

// ordinary is a request that the server serves to whoever has a token.
func ordinary(c *probe.Client) string {
	for _, list := range c.Declared() {
		return list.Method
	}
	return protocol.Harmless().At(c.Revision())
}

// The opening was refused without a token, so that nothing behind it is open to all.
func everyRequest(ctx context.Context, c *probe.Client) error {
	method := ordinary(c)
	with, err := c.Call(ctx, method, nil)
	if err != nil {
		return err
	}
	if _, ok := with.Result(); !ok {
		return probe.Undecide(method + " is not served with the token either: " + with.Outcome())
	}
	without, err := c.Ask(ctx, c.Compose(method, nil), probe.Anonymous(), probe.Patient())
	switch {
	case err != nil:
		return err
	case !without.Refused() && without.Answered():
		return probe.Shown(with, without).Violation("%s without a token is served after a request that had one, want HTTP status 401", method)
	}
	return nil
}

// inSession makes a plain HTTP request of a session that shows no token.
func inSession(ctx context.Context, c *probe.Client, method string, accept string) (probe.Document, error) {
	h := http.Header{protocol.HeaderSession: {c.Session()}, "Accept": {accept}}
	if protocol.VersionHeader().At(c.Revision()) {
		h.Set(protocol.HeaderVersion, string(c.Revision()))
	}
	return c.Visit(ctx, probe.Visit{Method: method, At: c.Endpoint(), Header: h})
}

func everyStream(ctx context.Context, c *probe.Client) error {
	d, err := inSession(ctx, c, http.MethodGet, "text/event-stream")
	if err == nil && d.Status/100 == 2 {
		err = probe.Shown(d).Violation("a GET without a token opens the stream of the session, want HTTP status 401 or 405")
	}
	return err
}

func everyEnd(ctx context.Context, c *probe.Client) error {
	d, err := inSession(ctx, c, http.MethodDelete, "application/json")
	if err == nil && d.Status/100 == 2 {
		err = probe.Shown(d).Violation("a DELETE without a token gets HTTP status %d, want 401 or 405", d.Status)
	}
	return err
}

func tokenBeforeEffect(ctx context.Context, c *probe.Client) error {
	call, err := c.Role(roles.StateChange).Call()
	if err != nil {
		return err
	}
	seen, err := c.Around(ctx, call, func() (*probe.Reply, error) {
		text := c.Compose("tools/call", call.Params(nil))
		return c.Ask(ctx, text, probe.ShowingToken(unknown(c)), probe.Patient())
	})
	switch {
	case err != nil:
		return err
	case !seen.Unchanged():
		c.Undo(ctx, call, seen.Reply)
		return probe.Shown(seen).Violation("a call with a token that was never issued has its effect, want none")
	}
	return nil
}
