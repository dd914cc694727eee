// Package sse holds the cases of basic/transports#http-with-sse of 2024-11-05: the server
// sends on one stream, and the client posts to one URI.
package sse

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases returns the cases of this section, in its order.
func Cases() []suite.Case {
	over := []suite.Need{suite.Over(requirements.SSE)}
	return slices.Concat(originCases(), []suite.Case{
		{
			ID:     "http/sse-stream-type",
			Title:  "the endpoint of the stream answers GET with an event stream",
			Checks: []requirements.ID{"http-sse-two-endpoints"},
			Needs:  over,
			Fix:    "answer GET with status 200 and the content type text/event-stream",
			Watch:  func() probe.Watcher { return probe.WatchFunc(streamType) },
		},
		{
			ID:     "http/sse-endpoint-event",
			Title:  "an endpoint event with a URI comes before any message",
			Checks: []requirements.ID{"http-sse-endpoint-event"},
			Needs:  over,
			Fix:    "send an event of type endpoint with the URI for POST as its data before anything else",
			Watch:  func() probe.Watcher { return &announcement{} },
		},
		{
			ID:     "http/sse-endpoint-origin",
			Title:  "the endpoint event names a URI of the same origin as the stream",
			Checks: []requirements.ID{"http-sse-endpoint-origin"},
			Needs:  over,
			Fix:    "announce a path, such as /message?sessionId=1, or build the URI from the Host header of the request",
			Run:    endpointOrigin,
		},
		{
			ID:     "http/sse-post-accepted",
			Title:  "every message that is posted to the announced URI is accepted",
			Checks: []requirements.ID{"http-sse-post-accepted"},
			Needs:  over,
			Fix:    "answer the POST of a good message with status 202, whatever its kind, and send the answer on the stream",
			Watch:  func() probe.Watcher { return &posts{good: map[int]frame.Frame{}} },
		},
		{
			ID:     "http/sse-answer-on-stream",
			Title:  "the answer to a request comes on the stream",
			Checks: []requirements.ID{"http-sse-message-events"},
			Needs:  over,
			Fix:    "send the answer as an event of the stream; what stands in the body of the POST is not read by clients",
			Run:    answerOnStream,
		},
		{
			ID:     "http/sse-message-events",
			Title:  "messages come in events of the type message, as JSON",
			Checks: []requirements.ID{"http-sse-message-events"},
			Needs:  over,
			Fix:    "write event: message, or no type, before the data of a message, and nothing but JSON into it",
			Watch:  func() probe.Watcher { return probe.WatchFunc(messageEvents) },
		},
	})
}

// streamed reports whether a frame came on the stream, which is exchange 0.
func streamed(s probe.Seen) bool {
	return s.Transport == requirements.SSE && s.Dir == frame.Received && s.Exchange == 0
}

// streamType judges the content type, because EventSource in browsers accepts no other.
// It passes over a refusal, which opens no stream.
func streamType(s *probe.WatchedFrame) probe.Opinion {
	if !streamed(s.Seen) || s.Kind != frame.KindHead || s.HTTP == nil || s.HTTP.Status >= http.StatusMultipleChoices {
		return probe.Nothing()
	}
	given := s.HTTP.Header.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(given); err != nil || kind != "text/event-stream" {
		return probe.Breaks("the content type of the stream is %s, want text/event-stream", probe.Show(given))
	}
	return probe.Kept()
}

// A posts judges only messages that every server has to accept, since servers may
// validate posts before they accept them and limit their rate. It does not judge who may
// post.
type posts struct{ good map[int]frame.Frame }

func (w *posts) See(s *probe.WatchedFrame) probe.Opinion {
	switch {
	case s.Transport != requirements.SSE || s.Exchange == 0:
	case s.Dir == frame.Sent && s.Kind == frame.KindMessage && !s.Malformed && ordinary(s.Message()):
		w.good[s.Exchange] = s.Frame
	case s.Kind == frame.KindHead && s.HTTP != nil:
		sent, good := w.good[s.Exchange]
		switch status := s.HTTP.Status; {
		case !good || excused(status):
		case status < 200 || status >= 300:
			return probe.One(sent).And(probe.One(s.Frame)).Violation(
				"a good message that is posted to the announced URI got status %d, want 2xx", status).Opinion()
		default:
			return probe.Kept()
		}
	}
	return probe.Nothing()
}

// ordinary reports whether the content of a message gives no reason to refuse it.
func ordinary(m frame.Message) bool {
	switch m.Class {
	case frame.Result, frame.Error:
		return true
	case frame.Notification:
		// Most servers ignore an unknown notification, and some refuse it.
		_, known := protocol.NotificationOf(m.Method)
		return known
	case frame.Request:
		return m.Method == "initialize" || m.Method == "ping"
	case frame.NotJSON, frame.NotAMessage, frame.Batch:
	}
	return false
}

func excused(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	}
	return false
}

// answerOnStream allows a body beside the status: some servers repeat the answer there.
func answerOnStream(c *probe.Client) error {
	from := c.Mark()
	// Any request may ask for progress; ping never reports any.
	reply := c.Call("ping", probe.Object{"_meta": probe.Object{protocol.MetaProgress: c.Nonce()}})
	if reply.Answered() {
		return nil
	}
	for _, s := range c.Since(from) {
		m := frame.Read(s.Raw())
		if s.Dir != frame.Received || s.Kind != frame.KindBody || m.Class != frame.Result && m.Class != frame.Error {
			continue
		}
		return probe.Shown(reply, probe.One(s.Frame)).Violation(
			"the answer to ping stands in the body of the POST and not on the stream, want an event of the stream")
	}
	c.NotSeen("ping got " + reply.Outcome())
	return nil
}

// messageEvents allows any data but a message in events of other types.
func messageEvents(s *probe.WatchedFrame) probe.Opinion {
	if !streamed(s.Seen) || s.Kind != frame.KindMessage || s.SSE == nil || s.Unread() != "" {
		return probe.Nothing()
	}
	m, plain := s.Message(), s.SSE.Event == "" || s.SSE.Event == "message"
	switch {
	case plain && m.Class == frame.NotJSON:
		return probe.Breaks("the data of an event of type message is %s, want JSON", probe.Show(strings.Join(s.SSE.Data, "\n")))
	case plain:
		return probe.Kept()
	case slices.ContainsFunc(probe.Singles(m), probe.LooksLikeMessage):
		return probe.Breaks("a message came in an event of type %s, want message", probe.Show(s.SSE.Event))
	}
	return probe.Nothing()
}
