package streams

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/reporting"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func resumeCases() []suite.Case {
	needs := []suite.Need{reporting.Need()}
	return []suite.Case{
		{
			ID:     "http/resumed-stream-own",
			Title:  "a stream that is resumed brings nothing of another stream",
			Checks: []requirements.ID{"http-resume-no-cross-stream", "http-event-id-encodes-stream"},
			Needs:  needs,
			Fix:    "find the stream by its event id, and replay what was sent on that stream only",
			Run:    resumesOwn,
		},
		{
			ID:     "http/resumed-session-own",
			Title:  "a stream that is resumed brings nothing of another session",
			Checks: []requirements.ID{"http-resume-no-cross-stream", "http-session-isolation"},
			Needs:  append(needs[:len(needs):len(needs)], suite.Trait(probe.Sessions)),
			Fix:    "look for an event id among the streams of the session that the request names, and nowhere else",
			Run:    resumesOwnSession,
		},
		{
			ID:     "http/resume-by-get",
			Title:  "GET with the id of an event that came by POST is taken as GET is without one",
			Checks: []requirements.ID{"http-resume-via-get"},
			Needs:  needs,
			Fix:    "let GET with Last-Event-ID resume any stream, whether POST or GET opened it",
			Run:    resumesByGet,
		},
	}
}

// An interruption is two calls and the streams that resumed them. The client claims to
// have lost every event of a call after the first one with an id.
type interruption struct {
	tokens   []string
	ids      []string        // of the requests
	events   []string        // the last events that the client claims to have received
	resumed  []*probe.Stream // nil where the server opened none
	replayed bool            // a resumed stream replayed something
	reason   string          // why nothing could be resumed; empty if something could
}

// interrupted makes and resumes the two calls, once for the connection.
func interrupted(c *probe.Client) *interruption {
	x := probe.Once(c, "http:interruption", func() (*interruption, bool) {
		x := &interruption{tokens: []string{c.Nonce(), c.Nonce()}}
		x.callAndResume(c)
		return x, true
	})
	c.NotSeenIf(x.reason != "", x.reason)
	return x
}

func (x *interruption) callAndResume(c *probe.Client) {
	calls := make([]*probe.Stream, len(x.tokens))
	for i, token := range x.tokens {
		call := reporting.Call(c)
		text := c.Compose("tools/call", call.Params(probe.Object{"_meta": probe.Object{protocol.MetaProgress: token}}))
		x.ids = append(x.ids, frame.IDKey(frame.Read([]byte(text)).ID))
		calls[i] = c.Begin(probe.Outgoing{Text: text})
	}
	// The streams are resumed after the responses: the server can replay a finished
	// stream at once, while nobody knows when a running call sends its next event.
	for _, call := range calls {
		call.Await(c.Waits().Answer, responds)
		first, ok := firstEvent(call)
		if !ok {
			x.reason = "the events of the server's streams have no ids"
			return
		}
		call.Abort()
		x.events = append(x.events, first)
	}
	for i := range x.events {
		x.resume(c, i)
	}
}

// firstEvent is the id of the first event with an id, unless that event is the response.
func firstEvent(stream *probe.Stream) (string, bool) {
	for _, s := range stream.Frames() {
		if s.SSE != nil && s.SSE.HasID && s.SSE.ID != "" {
			return s.SSE.ID, !responds(s)
		}
	}
	return "", false
}

// resume reopens one stream. The server replays events before it answers later requests.
func (x *interruption) resume(c *probe.Client, i int) {
	stream := listen(c, x.events[i])
	x.resumed = append(x.resumed, stream)
	if stream == nil {
		return
	}
	for range tries {
		if slices.ContainsFunc(stream.Frames(), responds) {
			x.replayed = true
			break
		}
		c.Barrier()
	}
	stream.Abort()
}

func resumesOwn(c *probe.Client) error {
	x := interrupted(c)
	for i, stream := range x.resumed {
		if stream == nil {
			continue
		}
		for _, s := range stream.Frames() {
			if what := belongs(s, x.tokens[1-i], x.ids[1-i]); what != "" {
				return probe.Shown(stream, probe.One(s.Frame)).Violation(
					"the stream of one call, resumed behind the event %s, brings %s of another call, want its own only", probe.Show(x.events[i]), what)
			}
		}
	}
	c.NotSeenIf(!x.replayed, "the server replays nothing when a stream is resumed")
	return nil
}

// belongs names the part of a frame that belongs to a call; empty if no part does.
func belongs(s probe.Seen, token, id string) string {
	if s.Dir == frame.Sent || s.Kind != frame.KindMessage {
		return ""
	}
	for _, m := range responses(s) {
		if frame.IDKey(m.ID) == id {
			return "the response"
		}
	}
	for _, m := range probe.Singles(s.Message()) {
		if told, _ := m.At("/params/progressToken"); told == token {
			return "progress"
		}
	}
	return ""
}

func resumesByGet(c *probe.Client) error {
	x := interrupted(c)
	if slices.ContainsFunc(x.resumed, func(s *probe.Stream) bool { return s != nil }) {
		return nil
	}
	plain := listen(c, "")
	c.NotSeenIf(plain == nil, "GET opens no stream, with Last-Event-ID or without")
	plain.Abort()
	stream := c.Resume(x.events[0])
	head, came := stream.Head()
	shown := probe.Shown(plain, stream)
	switch {
	case !came:
		c.Undecide("GET with Last-Event-ID is not answered")
	case head.Streams() || head.HTTP.Status == http.StatusConflict:
		stream.Abort()
		return nil
	}
	return shown.Violation("GET opens a stream, but with the id of an event of a POST's stream it gets status %d, want a stream",
		head.HTTP.Status)
}

// A visitor is a session with one call. The client claims to have lost every event after
// the first one with an id.
type visitor struct {
	*probe.Client
	token, id string // of the call, unique to this session
	event     string
}

// visit opens a session.
func visit(c *probe.Client) *visitor {
	other := c.Opened()
	c.UndecideIf(other.Session() == "" || other.Session() == c.Session(), "a second handshake brings no session of its own")
	token := c.Nonce()
	return &visitor{Client: other, token: token, id: `"` + token + `"`}
}

// lose makes the call and notes the event after which the client claims to have lost the
// rest.
func (v *visitor) lose(call *probe.ToolCall) {
	params := call.Params(probe.Object{"_meta": probe.Object{protocol.MetaProgress: v.token}})
	stream := v.Begin(probe.Outgoing{Text: probe.RequestText(v.id, "tools/call", params)})
	_, answered := stream.Await(v.Waits().Answer, responds)
	v.UndecideIf(!answered, "the call of one of two sessions is not answered")
	event, ok := firstEvent(stream)
	v.NotSeenIf(!ok, "the events of the server's streams have no ids")
	v.event = event
	stream.Abort()
}

// knows reports whether an event with the given id came in the session.
func (v *visitor) knows(event string) bool {
	return slices.ContainsFunc(v.Since(0), func(s probe.Seen) bool { return s.SSE != nil && s.SSE.ID == event })
}

// resume sends the id of an event and judges the stream that the server opens. It reports
// whether the visitor's own call was replayed.
func (v *visitor) resume(event string, other *visitor) (own bool, err error) {
	stream := listen(v.Client, event)
	if stream == nil {
		return false, nil
	}
	foreign := func(s probe.Seen) string { return belongs(s, other.token, frame.IDKey(other.id)) }
	stream.Await(v.Waits().Event, func(s probe.Seen) bool { return responds(s) || foreign(s) != "" })
	// Everything that the server replays arrives before the answers to the requests that
	// Barrier sends.
	for range tries {
		v.Barrier()
	}
	stream.Abort()
	for _, s := range stream.Frames() {
		if what := foreign(s); what != "" {
			return own, v.foreignMessage(stream, s, event, what)
		}
		own = own || belongs(s, v.token, frame.IDKey(v.id)) != ""
	}
	return own, nil
}

// foreignMessage is the violation by a message of another session. Where this session has seen
// the event itself, the message belongs to another stream of the session. Otherwise the
// message belongs to the very stream that was asked for, and no sentence of the page says
// which session owns it.
func (v *visitor) foreignMessage(stream *probe.Stream, at probe.Seen, event, what string) error {
	rule, whose := requirements.ID("http-session-isolation"), "of another session"
	if v.knows(event) {
		rule, whose = "http-resume-no-cross-stream", "of its own session"
	}
	return probe.Shown(stream, probe.One(at.Frame)).Violation(
		"a GET with the event %s %s brings %s of a call in another session, want nothing of that session",
		probe.Show(event), whose, what).Under(rule)
}

func resumesOwnSession(c *probe.Client) error {
	call := reporting.Call(c)
	var both [2]*visitor
	for i := range both {
		both[i] = visit(c)
	}
	for _, one := range both {
		one.lose(call)
	}
	replayed := false
	for i, one := range both {
		own, err := one.resume(one.event, both[1-i])
		c.Must(err)
		replayed = replayed || own
	}
	_, err := both[1].resume(both[0].event, both[0])
	c.Must(err)
	c.NotSeenIf(!replayed, "the server replays nothing when a stream is resumed")
	return nil
}
