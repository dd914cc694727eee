package jsonrpc

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// initialized is the case on the notification that each client sends.
const initialized = "jsonrpc/initialized-unanswered"

// notificationCases judge whether notifications are answered.
func notificationCases() []suite.Case {
	cases := []suite.Case{{
		ID:        initialized,
		Title:     "notifications/initialized is not answered",
		Checks:    unanswered(),
		Fix:       silent,
		Revisions: protocol.Handshake(),
		Run:       initializedUnanswered,
	}}
	for _, n := range notifications() {
		each := suite.Case{
			ID:     "jsonrpc/" + n.slug,
			Title:  n.title,
			Checks: n.checks,
			Fix:    silent,
			Run:    n.run,
		}
		older, stdio := each, each
		older.Revisions = protocol.Handshake()
		cases = append(cases, older)
		if n.stateless {
			// Over HTTP these revisions have no notifications of the client.
			stdio.ID += "-on-stdio"
			stdio.Title += ", over stdio"
			stdio.Needs = []suite.Need{suite.Over(requirements.Stdio)}
			stdio.Revisions = protocol.Stateless()
			cases = append(cases, stdio)
		}
	}
	return append(cases, suite.Case{
		ID:     "jsonrpc/request-method-without-id-unanswered",
		Title:  "the method of a request, sent without an id, gets no result",
		Checks: unanswered(),
		Needs:  []suite.Need{suite.Lists()},
		Fix:    "take a message without an id as a notification whatever its method is",
		Run:    requestMethodWithoutID,
	})
}

const silent = "send neither a result nor an error for a message without an id; over HTTP answer status 202 without a body"

// unanswered are the rules against answers: from 2025-03-26 the protocol forbids them,
// and before that only JSON-RPC does.
func unanswered() []requirements.ID {
	return []requirements.ID{"jsonrpc-notification-no-response", "jsonrpc-notification-no-response-2024"}
}

func ignored() []requirements.ID {
	return []requirements.ID{"jsonrpc-unknown-notification-silent", "jsonrpc-unknown-notification-silent-2024"}
}

// A notification is sent by one case.
type notification struct {
	slug, title string
	checks      []requirements.ID
	method      string
	params      probe.Object
	malformed   bool // a correct client does not send it
	stateless   bool // it also exists in the revisions without a handshake
}

func notifications() []notification {
	const cancelled = "notifications/cancelled"
	return []notification{
		{
			slug: "cancelled-unanswered", title: "notifications/cancelled for an unknown request is not answered", checks: unanswered(),
			method: cancelled, params: probe.Object{"requestId": 99999, "reason": "kit"}, stateless: true,
		},
		{
			slug: "progress-unanswered", title: "notifications/progress for an unknown token is not answered", checks: unanswered(),
			method: "notifications/progress", params: probe.Object{"progressToken": "kit", "progress": 1},
		},
		{
			slug: "unknown-notification-unanswered", title: "an unknown notification is ignored", checks: ignored(),
			method: "notifications/x-unknown", malformed: true, stateless: true,
		},
		{
			slug: "malformed-notification-unanswered", title: "a notification with invalid params is ignored", checks: ignored(),
			method: cancelled, params: probe.Object{"requestId": probe.Object{}}, malformed: true, stateless: true,
		},
	}
}

func (n notification) run(c *probe.Client) error {
	return noResponse(c, n.send(c))
}

// noResponse expects no response to the notification that was sent at the mark.
func noResponse(c *probe.Client, from probe.Mark) error {
	if found := c.Strays(from); len(found) > 0 {
		return following(c, from, found).Violation("a response %s follows a notification, want none", underID(found[0].Message().ID)).
			Unless(probe.Elsewhere{Case: initialized, Why: "each notification is answered"})
	}
	return nil
}

// send sends the notification and waits until the server must have processed it.
func (n notification) send(c *probe.Client) probe.Mark {
	c.Quiet()
	from := c.Mark()
	text := probe.NotificationText(n.method, n.params)
	if n.malformed {
		c.Send(text)
	} else {
		c.Notify(n.method, n.params)
	}
	if why := c.Try(func() { c.Settle(from) }); why != nil {
		c.Must(endsProcess(c, text, "it to be ignored"))
		c.Stop(why)
	}
	return from
}

// following shows the message that was sent after the mark, and the frames that were
// found.
func following(c *probe.Client, from probe.Mark, found []probe.Seen) probe.Evidence {
	sent, _ := c.Find(from, func(s probe.Seen) bool { return s.Dir == frame.Sent })
	shown := probe.One(sent.Frame)
	for _, s := range found {
		shown = append(shown, s.Frame)
	}
	return shown
}

// requestMethodWithoutID forbids a result, which shows that the server served the message
// as a request. It only notes an error without an id: the server may have taken the
// message for a broken request.
func requestMethodWithoutID(c *probe.Client) error {
	method := c.AnyList().Method
	from := notification{method: method, params: c.Params(nil), malformed: true}.send(c)
	for _, s := range c.Strays(from) {
		if s.Message().Class == frame.Error {
			c.Note("the method of a request, sent without an id, gets an error")
			continue
		}
		return following(c, from, []probe.Seen{s}).Violation("%s without an id got a result, want no response", method)
	}
	return nil
}
