package probe

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Control is the end of a conversation that the engine and discovery hold:
// they begin the conversation, let cases speak in it by Run, and ask how it
// went. A case has only the Client. Setup, Link, Conn, Outgoing and Memory
// serve to begin it.
type Control struct{ *conversation }

// Connect takes a connection over. Its client listens from now on, until Close.
func Connect(ctx context.Context, link Link, setup Setup) *Control {
	return &Control{newConversation(ctx, link, setup)}
}

// Open completes the opening that the revision demands: a handshake through
// 2025-11-25, nothing from 2026-07-28 on.
func (k *Control) Open(ctx context.Context) error {
	return k.Run(ctx, func(c *Client) error { c.open(); return nil })
}

// Conclude completes the opening that the answer to initialize belongs to.
func (k *Control) Conclude(ctx context.Context, reply *Reply) error {
	return k.Run(ctx, func(c *Client) error { c.conclude(reply); return nil })
}

// Settle sets the revision that the server offered, before anything else is
// said in the conversation.
func (k *Control) Settle(r requirements.Revision) {
	k.change(func(s *Setup) { s.Revision = r })
}

// Await waits longer for an answer that did not come in time.
func (k *Control) Await(ctx context.Context, r *Reply, atMost time.Duration) error {
	waited, began := r.patience, time.Now()
	r.patience = atMost
	err := k.Run(ctx, func(c *Client) error {
		r.client = c.caller
		(&Pending{reply: r}).wait()
		return nil
	})
	// The outcome tells the whole time; a busy machine waits longer.
	r.patience = waited + time.Since(began).Round(100*time.Millisecond)
	return err
}

// Close ends the conversation, and the conversations that cases opened from it.
func (k *Control) Close(ctx context.Context) error { return k.close(ctx) }

// Join hands a conversation that discovery opened over to its column: cases of
// the column use it from now on under the column's setup. The column's watchers
// see all frames, past and future, together with the watchers that were there
// from the beginning.
func (k *Control) Join(setup Setup, watch func(Seen)) {
	k.change(func(s *Setup) {
		s.Roles, s.Memory, s.Dial = setup.Roles, setup.Memory, setup.Dial
		s.Waits.Event = setup.Waits.Event
	})
	k.show(watch)
}

// Serve tells a client that was opened ahead which case it is for.
// A thorough case waits in full for every answer.
func (k *Control) Serve(id string, nonce func() string, thorough bool) {
	k.change(func(s *Setup) { s.Case, s.Nonce, s.Thorough = id, nonce, thorough })
}

// Over reports whether the connection is useless: nothing more can come, or the
// last barrier on it got no answer.
func (k *Control) Over() bool { return k.over.Load() || k.mute.Load() }

// Usable reports whether the connection is of use: where its last barrier got
// no answer, Usable sends one more.
func (k *Control) Usable(ctx context.Context) bool {
	if k.over.Load() {
		return false
	}
	if !k.mute.Load() {
		return true
	}
	answered := false
	err := k.Run(ctx, func(c *Client) error {
		answered = c.Barrier().Answered()
		return nil
	})
	return err == nil && answered
}

// Detach returns the connections that a case opened from this one and no longer
// closes them: the caller does.
func (k *Control) Detach() []*Control {
	c := k.conversation
	c.mu.Lock()
	defer c.mu.Unlock()
	others := make([]*Control, len(c.others))
	for i, other := range c.others {
		others[i] = &Control{other}
	}
	c.others = nil
	return others
}

// Notes returns the notes of this conversation and of the conversations opened
// from it.
func (k *Control) Notes() []string {
	var notes []string
	for _, c := range k.all() {
		notes = append(notes, c.remarks()...)
	}
	return notes
}

// Loses reports whether the server accepted a request over HTTP and let it go without an
// answer: it may do so with each request of the session from then on.
func Loses(k *Control) bool { return k.loses() }

// TimedOut reports whether a wait was in vain, on this connection or on one
// opened from it: on a busy machine the frame may only have been late.
func (k *Control) TimedOut() bool {
	return slices.ContainsFunc(k.all(), func(c *conversation) bool { return c.timedOut.Load() })
}

// Unadmitted reports whether the server refused an initialize over HTTP, by the
// status or by an error, on this connection or on one opened from it.
func (k *Control) Unadmitted() bool {
	return slices.ContainsFunc(k.all(), func(c *conversation) bool {
		asked := map[int]bool{}
		return slices.ContainsFunc(c.Since(0), func(s Seen) bool {
			if s.Dir == frame.Sent && s.Message().Method == "initialize" {
				asked[s.Exchange] = true
			}
			failed := s.Dir == frame.Received && s.Kind == frame.KindMessage && s.Message().Class == frame.Error
			return asked[s.Exchange] && (failed || s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Status >= 400)
		})
	})
}

// StreamRefused reports whether the server refused the stream of HTTP+SSE, on
// this connection or on one opened from it.
func (k *Control) StreamRefused() bool {
	return slices.ContainsFunc(k.all(), func(c *conversation) bool {
		refused := false
		for _, s := range c.Since(0) {
			if s.Exchange == 0 && s.Kind == frame.KindHead && s.HTTP != nil {
				refused = s.HTTP.Status >= 400
			}
		}
		return refused
	})
}

// CutOff reports whether an exchange over HTTP ended in an error that the kit did not cause, on
// this connection or on one opened from it.
func CutOff(k *Control) bool {
	return slices.ContainsFunc(k.all(), func(c *conversation) bool {
		return slices.ContainsFunc(c.Since(0), func(s Seen) bool { return s.Exchange != 0 && s.End.Cut() })
	})
}

// DiedBeforeSpeaking reports whether the process behind a connection opened
// from this one ended before it said anything.
func (k *Control) DiedBeforeSpeaking() bool {
	return slices.ContainsFunc(k.all()[1:], func(c *conversation) bool {
		said, ended := false, false
		for _, s := range c.Since(0) {
			said = said || s.Dir == frame.Received && s.Kind == frame.KindMessage
			ended = ended || s.End != nil && s.End.Exited
		}
		return ended && !said
	})
}

// Killed reports whether the process behind the connection, or behind one opened from it, was
// killed from outside.
func Killed(k *Control) bool {
	return slices.ContainsFunc(k.all(), func(c *conversation) bool {
		end := c.ended()
		return end != nil && end.End != nil && end.End.Exited && end.End.Killed()
	})
}

// HasEnded reports whether the end of the connection was seen, such as that of its process.
func HasEnded(k *Control) bool { return k.ended() != nil }

// Stderr is what the process behind the connection wrote to stderr, redacted, once it has ended.
func Stderr(k *Control) string {
	if end := k.ended(); end != nil {
		return end.Stderr()
	}
	return ""
}

// Unended is what the process behind the connection wrote to stdout after its last line break,
// redacted and cut, once it has ended.
func Unended(k *Control) string {
	if end := k.ended(); end != nil && end.End != nil {
		return clip(strings.TrimSpace(end.Hide(string(end.End.Unterminated))))
	}
	return ""
}

// StillAnswers reports whether the server still answers on the connection. One request may get
// lost.
func StillAnswers(ctx context.Context, k *Control) bool {
	answered := false
	_ = k.Run(ctx, func(c *Client) error {
		for range 2 {
			answered = answered || c.Call(protocol.Harmless().At(c.Revision()), nil, Within(shortest)).Answered()
		}
		return nil
	})
	return answered
}

// ExitsWithin reports whether the process behind the connection ends by itself within a time in
// which nothing is asked of it.
func ExitsWithin(ctx context.Context, k *Control, atMost time.Duration) (exits bool) {
	_ = k.Run(ctx, func(c *Client) error {
		_, exits = c.Await(0, atMost, func(s Seen) bool { return s.End != nil && s.End.Exited && !s.End.Killed() })
		return nil
	})
	return exits
}
