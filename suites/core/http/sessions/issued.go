package sessions

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// issuedCases need no server with sessions: one that forgets to give the id looks like a server
// without them.
func issuedCases() []suite.Case {
	const fix = "set the header Mcp-Session-Id of the HTTP response to initialize, or serve requests without it"
	return []suite.Case{
		{
			ID:     "http/session-id-issued",
			Title:  "a server that demands a session id gives one in the response to initialize",
			Checks: []requirements.ID{"http-session-id-issued"},
			Proves: []suite.Need{suite.Answers()}, // no request is answered where each needs an id
			Fix:    fix,
			Run:    issued,
		},
		{
			ID:     "http/session-id-issued-for-calls",
			Title:  "a call of a tool needs no session id where the response to initialize gave none",
			Checks: []requirements.ID{"http-session-id-issued"},
			Needs:  []suite.Need{suite.Capability("tools"), suite.Answers()},
			Fix:    fix,
			Run:    issuedForCalls,
		},
	}
}

// issued sends nothing where discovery could read a list: other cases wait for this one.
func issued(c *probe.Client) error {
	if c.Session() != "" {
		return nil
	}
	harmless := protocol.Harmless().At(c.Revision())
	c.NotSeenIf(c.PlainMethod() != harmless, "the server serves lists without a session id")
	return request{harmless, nil}.unmet(c)
}

// issuedForCalls names a tool that does not exist: how calls are refused shows without the effect of one.
func issuedForCalls(c *probe.Client) error {
	if c.Session() != "" {
		return nil
	}
	return request{"tools/call", probe.Object{"name": "no_such_tool_" + c.Nonce(), "arguments": probe.Object{}}}.unmet(c)
}

// A request is one that any client may send.
type request struct {
	method string
	params probe.Object
}

// unmet complains where a request is refused for the lack of a session id: the server says so, or
// the same request with an id that nobody gave is answered. A refusal may have many other reasons.
func (r request) unmet(c *probe.Client) error {
	reply := c.Call(r.method, r.params)
	asks := probe.AsksForSession(reply)
	if status := reply.Status(); !asks && status != http.StatusBadRequest && status != http.StatusNotFound {
		c.NotSeen("a request is not refused for the lack of a session id: " + r.method + " got " + statusOf(reply))
	}
	made := c.Call(r.method, r.params, with(protocol.HeaderSession, "kit-"+c.Nonce()))
	shown, also := probe.Shown(reply), ""
	switch helps := made.Served() || !reply.Answered() && made.Answered(); {
	case helps && c.Call(r.method, r.params).Refused(): // it was not refused for a moment only
		shown, also = shown.And(made), "; with a made-up one it gets "+statusOf(made)
	case !asks:
		c.NotSeen("nothing shows that the refusal is about a session id: " + r.method + " got " + statusOf(reply))
	}
	opening, misplaced := opened(c)
	problem := fmt.Sprintf("the server demands a session id that it never gave: the response to initialize has no %s%s, "+
		"and %s without one got %s%s, want the id there, or %s answered",
		protocol.HeaderSession, misplaced, r.method, statusOf(reply), also, r.method)
	// Evidence.Violation would leave this complaint to these very cases.
	return &probe.Violation{Problem: problem, Frames: opening.And(shown)}
}

// opened shows the handshake of the connection, and says where it has what may be a session id that
// no client looks for.
func opened(c *probe.Client) (shown probe.Evidence, misplaced string) {
	sent, found := c.Find(0, func(s probe.Seen) bool { return s.Dir == frame.Sent && s.Message().Method == "initialize" })
	if !found {
		return nil, ""
	}
	shown = probe.One(sent.Frame)
	for _, s := range c.Since(0) {
		switch {
		case s.Dir == frame.Sent || s.Exchange != sent.Exchange:
		case s.Kind == frame.KindHead && s.HTTP != nil:
			shown = append(shown, s.Frame)
			for _, name := range slices.Sorted(maps.Keys(s.HTTP.Header)) {
				if isSession(name) {
					misplaced = ", but the header " + probe.Show(name)
				}
			}
		case s.Kind == frame.KindMessage:
			shown = append(shown, s.Frame)
			result, _ := s.Message().At("/result")
			for _, name := range slices.Sorted(maps.Keys(probe.ObjectOf(result))) {
				if isSession(name) {
					misplaced = ", but the body has $.result." + name
				}
			}
		}
	}
	return shown, misplaced
}

func isSession(name string) bool { return strings.Contains(strings.ToLower(name), "session") }
