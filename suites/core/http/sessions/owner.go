package sessions

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// ownerCases show the id of a session that principals.first opened as another principal.
func ownerCases() []suite.Case {
	cases := []suite.Case{
		{
			ID:    "http/session-of-another-principal",
			Title: "a session serves nobody but the principal that opened it",
			Fix:   "remember who opened a session, and reject its id when somebody else sends it",
			Run:   ofAnother,
		},
		{
			ID:    "http/session-stream-of-another-principal",
			Title: "GET opens the stream of a session for nobody but the principal that opened the session",
			Fix:   "compare who opened a session with who sends its id in GET as well: requests of the server come on that stream",
			Run:   streamOfAnother,
		},
		{
			ID:    "http/session-end-of-another-principal",
			Title: "a session is ended by nobody but the principal that opened it",
			Lane:  suite.Fresh,
			Fix:   "compare who opened a session with who sends its id in DELETE as well",
			Run:   endOfAnother,
		},
	}
	for i := range cases {
		cases[i].Checks = []requirements.ID{"security-session-not-authentication"}
		cases[i].Needs = []suite.Need{suite.Lists(), suite.Role(roles.Principals, "second")}
	}
	return cases
}

// ofAnother binds servers that serve several principals: such a server must not take the
// session for proof of identity, because others must not reach the contents of the
// session.
func ofAnother(c *probe.Client) error {
	named(c)
	method := c.AnyList().Method
	own := c.Call(method, nil)
	c.UndecideIf(own.WantResult() != nil, "the session serves not even the one who opened it: "+own.Outcome())
	reply := c.Call(method, nil, probe.As("second"))
	if reply.Served() {
		return probe.Shown(own, reply).Violation(
			"the Mcp-Session-Id of a session that principals.first opened serves %s to principals.second too, want it rejected", method)
	}
	return nil
}

// intruder is the second principal, with a session of its own. The case ends where requests by
// POST let that principal into the session of the first one.
func intruder(c *probe.Client) *probe.Client {
	named(c)
	other := c.As("second")
	posted := other.Call(c.AnyList().Method, nil, with(protocol.HeaderSession, c.Session()))
	c.NotSeenIf(posted.Served(), "a request by POST is served in the session of somebody else, which "+
		"http/session-of-another-principal judges")
	return other
}

func streamOfAnother(c *probe.Client) error {
	other := intruder(c)
	own, head := headed(c, probe.Outgoing{Method: http.MethodGet})
	c.NotSeenIf(!head.Streams(), "GET opens no stream for the principal that opened the session")
	got, head := headed(other, probe.Outgoing{Method: http.MethodGet, Header: http.Header{protocol.HeaderSession: {c.Session()}}})
	if head.Streams() {
		return own.And(got).Violation("GET with the Mcp-Session-Id of a session that principals.first opened opens a stream for " +
			"principals.second too, want it rejected")
	}
	return nil
}

// endOfAnother asks in the session afterwards, because a server may answer any DELETE alike.
func endOfAnother(c *probe.Client) error {
	other := intruder(c)
	method := c.AnyList().Method
	before := c.Call(method, nil)
	c.UndecideIf(!before.Served(), "the session serves not even the one who opened it: "+before.Outcome())
	got, head := headed(other, probe.Outgoing{Method: http.MethodDelete, Header: http.Header{protocol.HeaderSession: {c.Session()}}})
	if head.HTTP.Status/100 != 2 {
		return nil
	}
	after := c.Call(method, nil)
	if after.Status() != http.StatusNotFound && after.Status() != http.StatusBadRequest {
		return nil
	}
	return got.And(after).Violation("DELETE by principals.second of a session that principals.first opened got status %d, and then "+
		"%s of principals.first in it got %s, want the session to stay", head.HTTP.Status, method, statusOf(after))
}
