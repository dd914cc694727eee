package streams

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/reporting"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

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
	if other.Session() == "" || other.Session() == c.Session() {
		c.Undecide("a second handshake brings no session of its own")
	}
	token := c.Nonce()
	return &visitor{Client: other, token: token, id: `"` + token + `"`}
}

// lose makes the call and notes the event after which the client claims to have lost the
// rest.
func (v *visitor) lose(call *probe.ToolCall) {
	params := call.Params(probe.Object{"_meta": probe.Object{protocol.MetaProgress: v.token}})
	stream := v.Begin(probe.Outgoing{Text: probe.RequestText(v.id, "tools/call", params)})
	_, answered := stream.Await(v.Waits().Answer, responds)
	switch {
	case !answered:
		v.Undecide("the call of one of two sessions is not answered")
	}
	event, ok := firstEvent(stream)
	if !ok {
		v.NotSeen("the events of the server's streams have no ids")
	}
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
		if err != nil {
			return err
		}
		replayed = replayed || own
	}
	if _, err := both[1].resume(both[0].event, both[0]); err != nil {
		return err
	}
	if !replayed {
		c.NotSeen("the server replays nothing when a stream is resumed")
	}
	return nil
}
