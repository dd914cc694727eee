// Package status holds the cases of the response to a POST: its status, its content type,
// and its body.
package status

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases returns the cases of this section, in its order.
func Cases() []suite.Case {
	return slices.Concat(postCases(), unansweredCases(), pieceCases(), headerCases())
}

func postCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "http/single-endpoint",
			Title:  "one endpoint takes every message",
			Checks: []requirements.ID{"http-single-endpoint"},
			Fix:    "take POST with every kind of message at the one path of the endpoint",
			Sees:   "an answer to a message that was posted",
			Watch:  exchanges.Watching(singleEndpoint),
		},
		{
			ID:     "http/notification-accepted",
			Title:  "a notification is accepted with status 202 and no body",
			Checks: []requirements.ID{"http-notification-202"},
			Fix:    "answer an accepted notification with status 202 and nothing behind the headers",
			// Later revisions define no notification of the client over HTTP;
			// acceptedStateless sends one.
			Revisions: protocol.Handshake(),
			Sees:      "a notification that was posted",
			Watch:     exchanges.Watching(accepted(frame.Notification, "notification")),
		},
		{
			ID:        "http/notification-accepted-stateless",
			Title:     "a notification is accepted with status 202 and no body, or rejected by an error status",
			Checks:    []requirements.ID{"http-notification-202"},
			Fix:       "answer a notification with status 202 and nothing behind the headers, or with an error status",
			Revisions: protocol.Stateless(),
			Run:       acceptedStateless,
		},
		{
			ID:     "http/notification-rejected-status",
			Title:  "a notification that is not accepted gets an error status",
			Checks: []requirements.ID{"http-notification-refused-status"},
			Fix:    "send an error about a notification with status 400, or accept it with 202 and no body",
			Sees:   "a notification that was not accepted",
			Watch:  exchanges.Watching(rejected),
		},
		{
			ID:     "http/response-accepted",
			Title:  "a response of the client is accepted with status 202 and no body, or rejected by an error status",
			Checks: []requirements.ID{"http-response-202"},
			Fix:    "answer a response of the client with status 202 and nothing behind the headers, or with an error status",
			Run:    responseAccepted,
		},
		{
			ID:     "http/response-type",
			Title:  "a request is answered as application/json or text/event-stream",
			Checks: []requirements.ID{"http-request-response-type"},
			Fix:    "send the answer to a request with Content-Type application/json or text/event-stream",
			Sees:   "an answer to a request that was posted",
			Watch:  exchanges.Watching(responseType),
		},
		{
			ID:     "http/json-single-object",
			Title:  "an answer of type application/json is one JSON object",
			Checks: []requirements.ID{"http-json-body-single-object"},
			Fix:    "send one JSON object as the body: whole, no array, no further lines; use an event stream for several messages",
			Sees:   "an answer of type application/json",
			Watch:  exchanges.Watching(singleObject),
		},
	}
}

// singleEndpoint judges status 405 only, which says that the endpoint takes no POST.
// Other statuses leave open why the server refuses the message.
func singleEndpoint(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	asks, tells := x.Posts(frame.Request), x.Posts(frame.Notification)
	if s.Kind != frame.KindHead || x.Sent.Malformed || !asks && !tells {
		return probe.Nothing()
	}
	if x.Status() != http.StatusMethodNotAllowed {
		return probe.Kept()
	}
	said := x.Evidence().Violation("POST of %s is answered with status 405, want the endpoint to take it", x.Sent.Message().Method).Opinion()
	if tells {
		return said.AtMostWarn() // the server may mean 405 as the error status for a notification it does not accept
	}
	return said
}

// over reports whether the exchange ended without an error.
func over(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.End != nil && s.End.Err == "" }

// accepted expects status 202 and no body for every accepted message of the class.
// Another case judges an error in the body.
func accepted(class frame.Class, what string) func(*exchanges.Exchange, probe.Seen) probe.Opinion {
	return func(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
		body := x.Body.Message().Class
		if !over(s) || !x.Posts(class) || !x.Accepted() || body == frame.Error {
			return probe.Nothing()
		}
		switch shown := x.Evidence(); {
		case x.Status() != http.StatusAccepted:
			return shown.Violation("the status for a %s is %d, want 202 without a body, or an error status", what, x.Status()).Opinion()
		case x.Body.Size > 0:
			return x.Evidence(x.Body).Violation("status 202 for a %s comes with a body of %d bytes, want none", what, x.Body.Size).Opinion()
		}
		return probe.Kept()
	}
}

// acceptedStateless sends a notification itself, because these revisions define no
// notification of the client over HTTP and no other case sends one.
func acceptedStateless(c *probe.Client) error {
	return judged(c, probe.NotificationText("notifications/cancelled", c.Params(probe.Object{"requestId": 99999, "reason": "kit"})),
		frame.Notification, "notification")
}

// responseAccepted sends a response that answers no request. The server may accept or
// reject it, and its status says which.
func responseAccepted(c *probe.Client) error {
	cause := probe.Elsewhere{Case: "http/notification-accepted", Why: "a notification is answered in the same way"}
	err := judged(c, `{"jsonrpc":"2.0","id":`+probe.JSON("kit-"+c.Nonce())+`,"result":{}}`, frame.Result, "response")
	return probe.Unless(err, cause)
}

// judged sends a text that is not a request, and judges its exchange alone.
func judged(c *probe.Client, text string, class frame.Class, what string) error {
	stream := c.Begin(probe.Outgoing{Text: text})
	end, ended := stream.Await(c.Waits().Event, func(s probe.Seen) bool { return s.Kind == frame.KindEnd })
	if !ended && class == frame.Notification {
		c.Must(answeredAtAll(c, stream))
	}
	book, said := &exchanges.Book{}, probe.Nothing()
	for _, s := range stream.Frames() {
		x := book.See(s)
		if x == nil || s.Dir == frame.Sent {
			continue
		}
		if (s.Kind == frame.KindMessage || s.Kind == frame.KindBody) && s.Message().Class == frame.Error && x.Accepted() {
			// Whether a response without a request counts as a response is open.
			c.Note("an error about a " + what + " comes with a status of success")
			return nil
		}
		said = said.And(accepted(class, what)(x, s))
		if s.Kind == frame.KindEnd && x.Status() >= http.StatusBadRequest {
			return nil
		}
	}
	switch v := said.Violation(); {
	case v != nil && class == frame.Result:
		return v.Unless(probe.Elsewhere{Case: "http/notification-accepted", Why: "a notification is answered in the same way"})
	case v != nil:
		return v
	case !ended:
		c.Undecide("the exchange of the " + what + " does not end")
	case !said.Judged():
		c.Undecide("the exchange of the " + what + " ended without a verdict: " + end.End.Err)
	}
	return nil
}

// rejected looks for errors about notifications that come with a status of success.
func rejected(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	if !over(s) || !x.Posts(frame.Notification) || x.Status() < http.StatusOK {
		return probe.Nothing()
	}
	if x.Accepted() && x.Body.Message().Class == frame.Error {
		return x.Evidence(x.Body).Violation("an error about a notification comes with status %d, want an error status", x.Status()).Opinion()
	}
	return probe.Kept()
}

// responseType also warns of responses to what is no good request, and in refusals: no
// sentence speaks of their type, but clients read none of another one.
func responseType(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	good := x.Asks() && x.Accepted()
	if over(s) && !good && x.Method() == http.MethodPost && probe.Mistyped(x.Sent, x.Head, x.Body) {
		return x.Evidence(x.Body).Violation("a JSON-RPC response comes with the Content-Type %s and status %d, want application/json",
			probe.Show(x.Head.MediaType()), x.Status()).Opinion().AtMostWarn()
	}
	if s.Kind != frame.KindHead || !good {
		return probe.Nothing()
	}
	switch kind := x.Head.MediaType(); kind {
	case "application/json", "text/event-stream":
		return probe.Kept()
	case "":
		return x.Evidence().Violation("the answer to %s with status %d has no Content-Type, want application/json or text/event-stream",
			x.Sent.Message().Method, x.Status()).Opinion()
	default:
		return x.Evidence().Violation("the Content-Type of the answer to %s is %s, want application/json or text/event-stream",
			x.Sent.Message().Method, probe.Show(kind)).Opinion()
	}
}

func singleObject(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	if !over(s) || !x.Asks() || !x.Accepted() || x.Head.MediaType() != "application/json" || x.Body.Unread() != "" {
		return probe.Nothing()
	}
	if x.Body.Size == 0 {
		return x.Evidence().Violation("the body of type application/json is empty, want one JSON object").Opinion()
	}
	m := x.Body.Message()
	switch {
	case m.Class == frame.NotJSON || m.Has(frame.Trailing):
		return x.Evidence(x.Body).
			Violation("the body of type application/json is not one JSON value (%s), want one JSON object", m.Defect()).Opinion()
	case m.Class == frame.Batch:
		return x.Evidence(x.Body).Violation("the body of type application/json is an array, want one JSON object").Opinion()
	default:
		if _, object := m.Value.(map[string]any); !object {
			return x.Evidence(x.Body).Violation("the body of type application/json is %s, want one JSON object", probe.Show(m.Value)).Opinion()
		}
	}
	return probe.Kept()
}
