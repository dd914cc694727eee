// Package sse holds the cases of basic/transports#http-with-sse of 2024-11-05: the server
// sends on one stream, and the client posts to one URI.
package sse

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases returns the cases of this section, in its order.
func Cases() []suite.Case {
	return slices.Concat(originCases(), []suite.Case{
		{
			ID:     "http/sse-stream-type",
			Title:  "the endpoint of the stream answers GET with an event stream",
			Checks: []requirements.ID{"http-sse-two-endpoints"},
			Fix:    "answer GET with status 200 and the content type text/event-stream",
			Sees:   "an answer to the GET that opens the stream",
			Watch:  func() probe.Watcher { return probe.WatchFunc(streamType) },
		},
		{
			ID:     "http/sse-endpoint-event",
			Title:  "an endpoint event with a URI comes before any message",
			Checks: []requirements.ID{"http-sse-endpoint-event"},
			Fix:    "send an event of type endpoint with the URI for POST as its data before anything else",
			Sees:   "an event stream that GET opened",
			Watch:  func() probe.Watcher { return &announcement{} },
		},
		{
			ID:     "http/sse-endpoint-origin",
			Title:  "the endpoint event names a URI of the same origin as the stream",
			Checks: []requirements.ID{"http-sse-endpoint-origin"},
			Fix:    "announce a path, such as /message?sessionId=1, or build the URI from the Host header of the request",
			Run:    endpointOrigin,
		},
		{
			ID:     "http/sse-post-accepted",
			Title:  "every message that is posted to the announced URI is accepted",
			Checks: []requirements.ID{"http-sse-post-accepted"},
			Fix:    "answer the POST of a good message with status 202, whatever its kind, and send the answer on the stream",
			Sees:   "an answer to a message that was posted",
			Watch:  exchanges.Watching(postAccepted),
		},
		{
			ID:     "http/sse-answer-on-stream",
			Title:  "the answer to a request comes on the stream",
			Checks: []requirements.ID{"http-sse-message-events"},
			Fix:    "send the answer as an event of the stream; what stands in the body of the POST is not read by clients",
			Run:    answerOnStream,
		},
		{
			ID:     "http/sse-message-events",
			Title:  "messages come in events of the type message, as JSON",
			Checks: []requirements.ID{"http-sse-message-events"},
			Fix:    "write event: message, or no type, before the data of a message, and nothing but JSON into it",
			Sees:   "an event with a message",
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
	if !s.Streams() {
		return probe.Breaks("the content type of the stream is %s, want text/event-stream", probe.Show(s.HTTP.Header.Get("Content-Type")))
	}
	return probe.Kept()
}

// postAccepted judges only messages that every server has to accept, since servers may
// validate posts before they accept them and limit their rate. It does not judge who may
// post.
func postAccepted(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	switch {
	case s.Kind != frame.KindHead || x.Sent.Kind != frame.KindMessage || x.Sent.Malformed || !ordinary(x.Sent.Message()), excused(x.Status()):
		return probe.Nothing()
	case x.Accepted():
		return probe.Kept()
	}
	return x.Evidence().Violation("a good message that is posted to the announced URI got status %d, want 2xx", x.Status()).Opinion()
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

// An announcement looks for the endpoint event of one connection. Comments and events of
// other types may come before it.
type announcement struct{ made bool }

func (w *announcement) See(s *probe.WatchedFrame) probe.Opinion {
	switch {
	case !streamed(s.Seen) || s.SSE == nil || w.made:
	case announces(s.Seen):
		w.made = true
		return readable(s.Seen)
	case s.Kind == frame.KindMessage:
		w.made = true
		return probe.Breaks("a message comes before the endpoint event, want the endpoint event first")
	}
	return probe.Nothing()
}

func announces(s probe.Seen) bool { return s.SSE != nil && s.SSE.Event == "endpoint" }

func announced(s probe.Seen) (*url.URL, error) {
	return url.Parse(strings.TrimSpace(strings.Join(s.SSE.Data, "\n")))
}

// readable judges only the form of the URI.
func readable(s probe.Seen) probe.Opinion {
	data := strings.Join(s.SSE.Data, "\n")
	to, err := announced(s)
	switch {
	case err != nil || strings.ContainsAny(data, "\"{}<>"):
		return probe.Breaks("the data of the endpoint event is %s, want a URI", probe.Show(data))
	case to.Scheme != "" && to.Scheme != "http" && to.Scheme != "https":
		return probe.Breaks("the URI of the endpoint event is %s, want one of HTTP", probe.Show(data))
	}
	return probe.Kept()
}

// endpointOrigin passes over another name of this machine: its clients reach the server
// by that name too. The common clients refuse a URI of another origin, because their posts
// may hold credentials.
func endpointOrigin(c *probe.Client) error {
	base, err := url.Parse(c.Address())
	c.Must(err)
	event, seen := c.Find(0, func(s probe.Seen) bool { return streamed(s) && announces(s) })
	c.NotSeenIf(!seen, "no endpoint event was seen on this connection")
	to, err := announced(event)
	c.NotSeenIf(err != nil, "the data of the endpoint event is not a URI, which is judged by itself")
	if to = base.ResolveReference(to); to.Scheme != base.Scheme || !probe.SameAuthority(to, base) {
		return probe.One(event.Frame).Violation("the URI of the endpoint event is of the origin %s, want %s, where the stream is; "+
			"clients refuse another one", probe.Show(to.Scheme+"://"+to.Host), base.Scheme+"://"+base.Host)
	}
	return nil
}

const (
	origin    = "Origin"
	foreign   = "http://evil.example"
	lookalike = "http://localhost.evil.example"
)

// originCases send requests from a web page of another site, and from a site whose name
// only begins like this machine's. A server that accepts the first accepts the second
// too, which gives one finding.
func originCases() []suite.Case {
	const fix = "compare the whole Origin header with the origins you serve, before you "
	var cases []suite.Case
	for _, v := range []struct {
		slug, title, fix string
		lane             suite.Lane
		shows            func(c *probe.Client, headers http.Header) *probe.Violation
	}{
		{"stream", "a GET with %s opens no stream", fix + "open a stream, and answer status 403 otherwise", suite.Shared, originOfStream},
		// A server may close the connection when it rejects the request.
		{"post", "a POST with %s is rejected", fix + "take a message, and answer status 403 otherwise", suite.Fresh, originOfPost},
	} {
		each := suite.Case{
			Checks: []requirements.ID{"http-origin-validated"},
			Fix:    v.fix,
			Lane:   v.lane,
		}
		plain, like := each, each
		plain.ID, plain.Title = "http/sse-origin-"+v.slug, fmt.Sprintf(v.title, "a foreign Origin")
		plain.Run = func(c *probe.Client) error {
			return judged(c, foreign, v.shows)
		}
		like.ID, like.Title = plain.ID+"-lookalike", fmt.Sprintf(v.title, "an Origin that only begins with localhost")
		like.Run = func(c *probe.Client) error {
			open := v.shows(c, page(foreign))
			c.NotSeenIf(open != nil, "any foreign Origin is let in, which "+plain.ID+" judges")
			return judged(c, lookalike, v.shows)
		}
		cases = append(cases, plain, like)
	}
	return cases
}

// judged reduces a violation to a warning where no web page can reach the server through
// the machine of its user: a local server that checks the header Host keeps rebound names
// out, which is the aim of the rule, although not by the means that it names.
func judged(c *probe.Client, site string, shows func(*probe.Client, http.Header) *probe.Violation) error {
	broken := shows(c, page(site))
	switch {
	case broken == nil:
		return nil
	case !nearby(c.Address()):
		return broken.AtMostWarn()
	}
	rebound := page(site)
	rebound.Set("Host", strings.TrimPrefix(site, "http://"))
	rejected := false
	_ = c.Try(func() { rejected = shows(c, rebound) == nil }) // what cannot be told reduces nothing
	if rejected {
		broken.Problem += "; a foreign Host is rejected, so that this is a warning"
		return broken.AtMostWarn()
	}
	return broken
}

// page are the headers by which the requests of a web page tell where it is from.
func page(site string) http.Header { return http.Header{origin: {site}} }

// originOfStream opens a stream; its first request carries the same headers.
func originOfStream(c *probe.Client, headers http.Header) *probe.Violation {
	opened, head := stream(c, probe.WithHeader(headers))
	if head.Status < http.StatusMultipleChoices {
		return opened.Violation("a GET with the Origin %s is answered with status %d and a stream, want it rejected",
			headers.Get(origin), head.Status)
	}
	for range 2 { // a server whose only stream ends with each refusal opens every second one
		if _, head = stream(c); head.Status >= http.StatusMultipleChoices {
			c.Undecide("a further stream is refused without an Origin, too")
		}
	}
	return nil
}

// stream opens another stream and returns the head of the response.
func stream(c *probe.Client, options ...probe.Option) (probe.Evidence, *frame.HTTP) {
	other := c.Another()
	reply := other.First(options...)
	get, _ := other.Find(0, func(s probe.Seen) bool { return s.Dir == frame.Sent && s.Exchange == 0 })
	head, came := other.Find(0, func(s probe.Seen) bool { return s.Kind == frame.KindHead && s.Exchange == 0 && s.HTTP != nil })
	c.UndecideIf(!came, "the GET that opens the stream got "+reply.Outcome())
	return probe.One(get.Frame).And(probe.One(head.Frame)), head.HTTP
}

func originOfPost(c *probe.Client, headers http.Header) *probe.Violation {
	reply := c.Call("ping", nil, probe.WithHeader(headers))
	switch {
	case reply.Refused() || reply.Died():
		return nil
	case !reply.Answered():
		c.Undecide("ping with a foreign Origin got " + reply.Outcome())
	}
	return reply.Violation("a POST with the Origin %s got %s, want it rejected", headers.Get(origin), reply.Outcome())
}

// nearby reports whether an address is on this machine or in a private network:
// only a web page in its user's browser could reach it from the open web.
func nearby(address string) bool {
	at, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(at.Hostname())
	return strings.EqualFold(at.Hostname(), "localhost") || ip != nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}
