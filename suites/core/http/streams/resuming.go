package streams

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/reporting"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func resumeCases() []suite.Case {
	needs := []suite.Need{reporting.Need()}
	resumable := slices.DeleteFunc(requirements.Revisions(), func(r requirements.Revision) bool { return !protocol.Resumable().At(r) })
	return []suite.Case{
		{
			ID:     "http/resumed-stream-own",
			Title:  "a stream that is resumed brings nothing of another stream",
			Checks: []requirements.ID{"http-resume-no-cross-stream", "http-event-id-encodes-stream"},
			Needs:  needs,
			Trial:  interrupting,
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
			ID:     "http/resumed-stream-response",
			Title:  "a stream that is resumed brings the response too",
			Checks: []requirements.ID{"http-sse-response-arrives"},
			Needs:  needs, Trial: interrupting, Revisions: resumable,
			Fix: "keep the response with the other events of its stream, and replay it too",
			Run: resumesToResponse,
		},
		{
			ID:     "http/resumed-stream-behind",
			Title:  "a stream that is resumed behind its response does not bring it again",
			Checks: []requirements.ID{"jsonrpc-single-response"},
			Needs:  needs, Trial: interrupting, Revisions: resumable,
			Fix: "replay what follows the event that Last-Event-ID names, and not that event itself",
			Run: resumesBehind,
		},
		{
			ID:     "http/resume-by-get",
			Title:  "GET with the id of an event that came by POST is taken as GET is without one",
			Checks: []requirements.ID{"http-resume-via-get"},
			Needs:  needs,
			Trial:  interrupting,
			Fix:    "let GET with Last-Event-ID resume any stream, whether POST or GET opened it",
			Run:    resumesByGet,
		},
	}
}

// The two calls are one trial.
const interrupting = "http:interruption"

// An interruption is two calls and the streams that resumed them. The client claims to
// have lost every event of a call after the first one with an id.
type interruption struct {
	calls    []reporting.Work
	events   []string        // the last events that the client claims to have received
	ends     []string        // the events of the responses; empty where these have no ids
	resumed  []*probe.Stream // nil where the server opened none
	frames   [][]probe.Seen  // that they brought: a stream forgets them with the case that opened it
	replayed bool            // a resumed stream replayed something
	reason   string          // why nothing could be resumed; empty if something could
}

// interrupted makes and resumes the two calls, once for the connection.
func interrupted(c *probe.Client) *interruption {
	x := probe.Once(c, interrupting, func() (*interruption, bool) {
		x := &interruption{}
		x.callAndResume(c)
		return x, true
	})
	c.NotSeenIf(x.reason != "", x.reason)
	return x
}

func (x *interruption) callAndResume(c *probe.Client) {
	for range 2 {
		x.calls = append(x.calls, reporting.Begin(c, ""))
	}
	// The streams are resumed after the responses: the server can replay a finished
	// stream at once, while nobody knows when a running call sends its next event.
	for _, call := range x.calls {
		_, answered := call.Await(c.Waits().Answer, reporting.Responds)
		first, ok := firstEvent(call)
		x.ends = append(x.ends, endEvent(call))
		switch {
		case !ok:
			x.reason = "the events of the server's streams have no ids"
			return
		case !answered:
			x.reason = "the stream of a call brings no response"
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
func firstEvent(call reporting.Work) (string, bool) {
	for _, s := range call.Frames() {
		if s.SSE != nil && s.SSE.HasID && s.SSE.ID != "" {
			return s.SSE.ID, !reporting.Responds(s)
		}
	}
	return "", false
}

// endEvent is the id of the event with the response to a call.
func endEvent(call reporting.Work) string {
	for _, s := range call.Frames() {
		if s.SSE != nil && s.SSE.HasID && call.Part(s) == response {
			return s.SSE.ID
		}
	}
	return ""
}

// response is a part of a call.
const response = "the response"

// resume reopens one stream. The server replays events before it answers later requests.
func (x *interruption) resume(c *probe.Client, i int) {
	stream := listen(c, x.events[i])
	x.resumed, x.frames = append(x.resumed, stream), append(x.frames, nil)
	if stream == nil {
		return
	}
	whole := false
	for range tries {
		if whole = slices.ContainsFunc(stream.Frames(), reporting.Responds); whole {
			break
		}
		c.Barrier()
	}
	if !whole {
		patience := c.Waits().Event / 4 // a busy machine sends a replay behind the answers to later requests
		switch x.frames[i] = stream.Frames(); {
		case !x.brought(i, "progress"):
		case x.calls[i].Resumed():
			patience = c.Waits().Answer // a server that lets its clients come back may hold the response back each time
		default:
			patience = c.Waits().Event
		}
		_, whole = stream.Await(patience, reporting.Responds)
	}
	x.replayed = x.replayed || whole
	stream.Abort()
	x.frames[i] = stream.Frames()
}

// brought reports whether a resumed stream brought a part of its call.
func (x *interruption) brought(i int, part string) bool {
	return slices.ContainsFunc(x.frames[i], func(s probe.Seen) bool { return x.calls[i].Part(s) == part })
}

// resumesToResponse judges a server that replays something of the call: it need not replay. A
// response under any id will do, since a gateway may have ids of its own.
func resumesToResponse(c *probe.Client) error {
	x := interrupted(c)
	judged := false
	for i, stream := range x.resumed {
		responded := slices.ContainsFunc(x.frames[i], reporting.Responds)
		if stream == nil || !x.brought(i, "progress") && !responded {
			continue
		}
		judged = true
		if !responded {
			return probe.Shown(x.calls[i], stream).Violation(
				"the stream of a call, resumed behind the event %s, brings progress and not the response, want the response too",
				probe.Show(x.events[i]))
		}
	}
	c.NotSeenIf(!judged, "the server replays nothing when a stream is resumed")
	return nil
}

// resumesBehind warns at most: the page says what a server may replay, and no more.
func resumesBehind(c *probe.Client) error {
	x := interrupted(c)
	c.NotSeenIf(!x.replayed, "the server replays nothing when a stream is resumed")
	c.NotSeenIf(x.ends[0] == "", "the event of the response has no id")
	stream := listen(c, x.ends[0])
	c.NotSeenIf(stream == nil, "the server opens no stream behind the response")
	for range tries {
		c.Barrier()
	}
	stream.Abort()
	for _, s := range stream.Frames() {
		if x.calls[0].Part(s) == response {
			return probe.AtMostWarn(probe.Shown(x.calls[0], stream, probe.One(s.Frame)).Violation(
				"the stream of a call, resumed behind the event %s of its response, brings the response again, want nothing that came before",
				probe.Show(x.ends[0])))
		}
	}
	return nil
}

func resumesOwn(c *probe.Client) error {
	x := interrupted(c)
	for i, stream := range x.resumed {
		if stream == nil {
			continue
		}
		for _, s := range x.frames[i] {
			if what := x.calls[1-i].Part(s); what != "" {
				return probe.Shown(stream, probe.One(s.Frame)).Violation(
					"the stream of one call, resumed behind the event %s, brings %s of another call, want its own only", probe.Show(x.events[i]), what)
			}
		}
	}
	c.NotSeenIf(!x.replayed, "the server replays nothing when a stream is resumed")
	return nil
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
		head.HTTP.Status).Unless(ambiguousIDs())
}

// ambiguousIDs is the cause where the id of an event does not tell its stream.
func ambiguousIDs() probe.Elsewhere {
	return probe.Elsewhere{Case: "http/event-id-unique", Why: "several events have one id"}
}

// A visitor is a session with one call. The client claims to have lost every event after
// the first one with an id.
type visitor struct {
	*probe.Client
	call  reporting.Work
	event string
}

// visit opens a session.
func visit(c *probe.Client) *visitor {
	other := c.Opened()
	c.UndecideIf(other.Session() == "" || other.Session() == c.Session(), "a second handshake brings no session of its own")
	return &visitor{Client: other}
}

// lose makes the call, under an id that no other session uses, and notes the event after
// which the client claims to have lost the rest.
func (v *visitor) lose() {
	v.call = reporting.Begin(v.Client, probe.JSON(v.Nonce()))
	_, answered := v.call.Await(v.Waits().Answer, reporting.Responds)
	v.UndecideIf(!answered, "the call of one of two sessions is not answered")
	event, ok := firstEvent(v.call)
	v.NotSeenIf(!ok, "the events of the server's streams have no ids")
	v.event = event
	v.call.Abort()
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
	stream.Await(v.Waits().Event, func(s probe.Seen) bool { return reporting.Responds(s) || other.call.Part(s) != "" })
	// Everything that the server replays arrives before the answers to the requests that
	// Barrier sends.
	for range tries {
		v.Barrier()
	}
	stream.Abort()
	for _, s := range stream.Frames() {
		if what := other.call.Part(s); what != "" {
			return own, v.foreignMessage(stream, s, event, what)
		}
		own = own || v.call.Part(s) != ""
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
	reporting.Call(c) // before further sessions are opened: a server with few has to bear no more than are used
	var both [2]*visitor
	for i := range both {
		both[i] = visit(c)
	}
	for _, one := range both {
		one.lose()
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
