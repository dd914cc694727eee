package sessions

import (
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
	return []suite.Case{{
		ID:     "http/session-id-issued",
		Title:  "a server that demands a session id gives one in the response to initialize",
		Checks: []requirements.ID{"http-session-id-issued"},
		Proves: []suite.Need{suite.Answers()}, // no request is answered where each needs an id
		Fix:    "set the header Mcp-Session-Id of the HTTP response to initialize, or serve requests without it",
		Run:    issued,
	}}
}

// issued tries what clients ask first, since a server may demand the id for some methods only. A tool
// that does not exist shows how calls are refused without the effect of one.
func issued(c *probe.Client) error {
	if c.Session() != "" {
		return nil
	}
	harmless := protocol.Harmless().At(c.Revision())
	asked := []request{{harmless, nil}}
	for _, l := range c.Declared() {
		asked = append(asked, request{l.Method, nil})
		if l.Method == "tools/list" {
			asked = append(asked, request{"tools/call", probe.Object{"name": "no_such_tool_" + c.Nonce(), "arguments": probe.Object{}}})
		}
	}
	for _, r := range asked {
		broken := r.demands(c)
		if broken != nil && r.method != harmless {
			broken = broken.BlocksNothing()
		}
		if broken != nil {
			return broken
		}
	}
	c.NotSeen("no request is refused for the lack of a session id")
	return nil
}

// A request is one that any client may send.
type request struct {
	method string
	params probe.Object
}

// demands complains where a request is refused for the lack of a session id: the server says so, or
// the same request with an id that nobody gave is answered. A refusal may have many other reasons.
func (r request) demands(c *probe.Client) *probe.Violation {
	reply := c.Call(r.method, r.params)
	asks := probe.AsksForSession(reply)
	if status := reply.Status(); !asks && status != http.StatusBadRequest && status != http.StatusNotFound {
		return nil
	}
	made := c.Call(r.method, r.params, with(protocol.HeaderSession, "kit-"+c.Nonce()))
	shown, also := probe.Shown(reply), ""
	switch helps := made.Served() || !reply.Answered() && made.Answered(); {
	case helps && c.Call(r.method, r.params).Refused(): // it was not refused for a moment only
		shown, also = shown.And(made), "; with a made-up one it gets "+statusOf(made)
	case !asks:
		return nil
	}
	opening, misplaced := opened(c)
	return opening.And(shown).Violation("the server demands a session id that it never gave: the response to initialize has no %s%s, "+
		"and %s without one got %s%s, want the id there, or %s answered",
		protocol.HeaderSession, misplaced, r.method, statusOf(reply), also, r.method)
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
