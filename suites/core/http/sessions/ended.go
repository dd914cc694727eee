package sessions

import (
	"net/http"
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/reporting"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func endCases() []suite.Case {
	const fix = "answer every request with the id of a session that was ended with status 404, so that clients begin a new one"
	return []suite.Case{
		{
			ID:     "http/session-ended",
			Title:  "a request of an ended session gets status 404",
			Checks: []requirements.ID{"http-session-terminated-404"},
			Lane:   suite.Fresh,
			Fix:    fix,
			Run:    ended,
		},
		{
			ID:     "http/session-ended-get",
			Title:  "GET with the id of an ended session gets status 404, or 405 where there is no stream",
			Checks: []requirements.ID{"http-session-terminated-404"},
			Lane:   suite.Fresh,
			Fix:    fix,
			Run:    endedGet,
		},
		{
			ID:       "http/session-ended-alone",
			Title:    "DELETE of one session leaves the others as they are",
			Checks:   []requirements.ID{"http-session-isolation"},
			Lane:     suite.Fresh,
			Contends: true,
			Fix:      "end only the session whose id DELETE names",
			Run:      endedAlone,
		},
		{
			ID:     "http/session-unknown",
			Title:  "a session id that was never issued is rejected like that of an ended session",
			Checks: []requirements.ID{"http-session-unknown-404"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "answer a request with an unknown session id with status 404",
			Run:    unknown,
		},
		{
			ID:     "http/session-isolation",
			Title:  "what belongs to one session does not come in another",
			Checks: []requirements.ID{"http-session-isolation"},
			Needs:  []suite.Need{reporting.Need()},
			Fix:    "send what a request says to the session of that request only, whoever else is connected",
			Run:    isolated,
		},
	}
}

// end ends the session of the connection and returns the status of DELETE; the case is
// undecided where DELETE does not end the session.
func end(c *probe.Client) (shown probe.Evidence, status int) {
	named(c)
	stream := c.Begin(probe.Outgoing{Method: http.MethodDelete})
	head, came := stream.Head()
	switch {
	case !came:
		c.Undecide("DELETE of the session is not answered")
	case head.HTTP.Status < 200 || head.HTTP.Status > 299:
		c.NotSeen("the server lets no client end a session: DELETE got status " + strconv.Itoa(head.HTTP.Status))
	case head.HTTP.Status == http.StatusAccepted:
		c.Undecide("DELETE got status 202, so that the session may end later")
	}
	return stream.Evidence(), head.HTTP.Status
}

// ended warns where no request needs the id: then nothing goes on that the client has
// ended, although status 405 is the answer of a server that lets no client end a session.
func ended(c *probe.Client) error {
	shown, status := end(c)
	method := c.PlainMethod()
	reply := c.Call(method, nil)
	if reply.Status() == http.StatusNotFound {
		return nil
	}
	if !barred(c, reply, method) {
		undecideIfTroubled(c, reply)
	}
	broken := shown.And(reply).Violation("DELETE of the session got status %d, and %s with its id still got %s, want status 404",
		status, method, statusOf(reply))
	if c.Call(method, nil, with(protocol.HeaderSession)).Served() {
		broken.Problem += "; no request needs a session id here"
		return broken.AtMostWarn()
	}
	return broken
}

// barred reports whether the id of an ended session is forbidden, while the same client may
// open another session and use that.
func barred(c *probe.Client, reply *probe.Reply, method string) bool {
	if reply.Status() != http.StatusForbidden {
		return false
	}
	other := c.Opened()
	if other.Session() == "" || !other.Call(method, nil).Served() {
		return false
	}
	return c.Call(method, nil).Status() == reply.Status() && other.Call(method, nil).Served()
}

// endedAlone passes over a server that keeps one session at a time: there the second handshake
// ends the first session, or brings none.
func endedAlone(c *probe.Client) error {
	named(c)
	other := c.Opened()
	c.UndecideIf(other.Session() == "" || other.Session() == c.Session(), "a second handshake brings no session of its own")
	method := c.PlainMethod()
	for _, each := range []*probe.Client{c, other} {
		reply := each.Call(method, nil)
		c.UndecideIf(!reply.Served(), "while two sessions are open one of them is not served: "+reply.Outcome())
	}
	shown, status := end(c)
	reply := other.Call(method, nil)
	if reply.Status() != http.StatusNotFound && reply.Status() != http.StatusBadRequest {
		return nil
	}
	c.NotSeenIf(c.Call(method, nil).Served(), "DELETE ended nothing, which http/session-ended judges")
	return shown.And(reply).Violation("DELETE of a session got status %d, and then %s of another session got %s, want that session to stay",
		status, method, statusOf(reply))
}

// endedGet leaves a server to http/session-ended that says the same to POST: it has one
// defect. A stream is opened for an ended session only by GET itself, so the case judges
// it where POST is not served.
func endedGet(c *probe.Client) error {
	shown, deleted := end(c)
	posted := c.Call(c.PlainMethod(), nil)
	got, head := headed(c, probe.Outgoing{Method: http.MethodGet})
	status := head.HTTP.Status
	if posted.Status() != http.StatusNotFound && (posted.Served() || !head.Streams()) &&
		status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
		c.NotSeen("POST does not get status 404 either, which http/session-ended judges")
	}
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		return nil
	}
	c.UndecideIf(exchanges.Troubled(status), "GET got status "+strconv.Itoa(status)+", which says nothing of the session")
	if !head.Streams() {
		_, living := headed(c.Opened(), probe.Outgoing{Method: http.MethodGet})
		c.NotSeenIf(!living.Streams() && living.HTTP.Status == status,
			"GET of a running session gets the same status, which http/get-stream-or-405 judges")
	}
	return shown.And(got).Violation("DELETE of the session got status %d, and GET with its id still got status %d, want 404", deleted, status)
}

// unknown allows status 400: the page speaks only of ended sessions. A server that needs no id
// may ignore one that it does not know, but one that rejects requests without an id takes any
// text for an id.
func unknown(c *probe.Client) error {
	method := c.AnyList().Method
	reply := c.Call(method, nil, with(protocol.HeaderSession, "never-issued-"+c.Nonce()))
	switch {
	case reply.Status() == http.StatusNotFound:
		return nil
	case reply.Status() == http.StatusBadRequest:
		c.Note("a session id that was never issued is rejected with status 400, not 404; clients begin a new session at 404 only")
		return nil
	case reply.Served():
		without := c.Call(method, nil, with(protocol.HeaderSession))
		if without.Status() == http.StatusBadRequest {
			return probe.Shown(without, reply).Violation("%s without a session id got status 400, and with an id that was never issued "+
				"it is served, want status 404", method).Unless(probe.Elsewhere{Case: "http/session-ended", Why: "any session id is served"})
		}
		c.Note("a session id that was never issued is ignored")
		return nil
	}
	undecideIfTroubled(c, reply)
	return reply.Violation("%s with a session id that was never issued got %s, want status 404", method, statusOf(reply))
}

// isolated lets two sessions listen and make calls at the same time, with the same
// request ids.
func isolated(c *probe.Client) error {
	reporting.Call(c) // before a further session is opened: a server with few has to bear no more than are used
	other := c.Opened()
	c.UndecideIf(other.Session() == "" || other.Session() == c.Session(), "a second handshake brings no session of its own")
	both := []*probe.Client{c, other}
	marks := []probe.Mark{c.Mark(), other.Mark()}
	var listening []*probe.Stream
	var calls []reporting.Work
	for _, one := range both {
		get := one.Begin(probe.Outgoing{Method: http.MethodGet})
		get.Head()
		listening, calls = append(listening, get), append(calls, reporting.Begin(one, `"one-id"`))
	}
	for i, one := range both {
		calls[i].Await(c.Waits().Answer, reporting.Responds)
		one.Barrier()
		listening[i].Abort()
	}
	seen := false
	for i, one := range both {
		for _, told := range reporting.Progress(one.Since(marks[i])...) {
			if told.Token == calls[1-i].Token {
				return probe.One(told.In.Frame).Violation("the progress of a call in one session came in another, want it in its own only")
			}
			seen = seen || told.Token == calls[i].Token
		}
	}
	c.NotSeenIf(!seen, "the calls reported no progress, so that nothing can have come astray")
	return nil
}
