package status

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// unansweredCases look for a POST that the server leaves open. Later revisions define no
// notification of the client over HTTP; acceptedStateless sends one there.
func unansweredCases() []suite.Case {
	return []suite.Case{{
		ID:        "http/notification-answered",
		Title:     "the POST of a notification is answered",
		Checks:    []requirements.ID{"http-notification-202"},
		Needs:     []suite.Need{suite.Answers()},
		Fix:       "end the HTTP response of every notification, also of those that the server has no use for",
		Revisions: protocol.Handshake(),
		Run: func(c *probe.Client) error {
			cancels := probe.Object{"requestId": "kit-" + c.Nonce(), "reason": "the kit has no such request"}
			return answeredAtAll(c, c.Begin(probe.Outgoing{Text: probe.NotificationText("notifications/cancelled", cancels)}))
		},
	}}
}

// answeredAtAll leaves the status to other cases. A server that answers no request at the moment
// may only be slow.
func answeredAtAll(c *probe.Client, stream *probe.Stream) error {
	if _, came := stream.Head(); came {
		return nil
	}
	usual := c.Call(protocol.Harmless().At(c.Revision()), nil, probe.Patient())
	c.UndecideIf(!usual.Served(), "neither the notification nor a request after it is answered: "+usual.Outcome())
	over := func(s probe.Seen) bool { return s.Kind == frame.KindHead || s.Kind == frame.KindEnd }
	if _, came := stream.Await(c.Waits().Event, over); came {
		return nil
	}
	shown := probe.Shown(stream, usual)
	stream.Abort()
	return shown.Violation("the POST of a notification gets no answer, and a request after it does; want status 202 without a body, " +
		"or an error status")
}
