package probe

import (
	"context"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A Client is the kit's own end of one conversation with the server under test.
// It keeps every frame and, unlike a real client, may misbehave. It carries the
// context of its case: its methods return no errors. The case ends within a
// method where the run is cut short, a role is not filled or a precondition is
// missing. Its parts each bring a piece of the vocabulary of cases; none of them
// knows the Client.
type Client struct {
	*caller
	opener
	actor
}

// newClient is a client of a conversation for the time of a scope. It declares
// the capabilities of the setup where declares is nil.
func newClient(c *conversation, s *scope, declares Object) *Client {
	all := &caller{
		listener:    listener{scope: s, conversation: c},
		composer:    composer{column: &c.column, ledger: &c.ledger, declares: declares},
		environment: environment{within: s, column: &c.column},
	}
	return &Client{caller: all, opener: opener{all}, actor: actor{all}}
}

// Close ends the conversation, and the conversations opened with Another. A
// case need not close them: they end with the case's own conversation.
func (c *Client) Close() { _ = c.close(c.live()) }

// begin opens one more connection to the target as the setup says. The
// connection closes together with c.
func (c *Client) begin(setup Setup) *Client {
	ctx := c.live()
	link, err := setup.Dial(ctx)
	c.Must(err)
	other := newConversation(context.WithoutCancel(ctx), link, setup)
	c.conversation.mu.Lock()
	defer c.conversation.mu.Unlock()
	c.others = append(c.others, other)
	return newClient(other, c.scope, nil)
}

// Another opens one more connection to the target, without saying anything yet.
// The connection closes together with c.
func (c *Client) Another() *Client { return c.begin(c.setup) }

// Opened is Another with the opening already done.
func (c *Client) Opened() *Client {
	other := c.Another()
	other.open()
	return other
}

// A listener waits for frames of a conversation, as long as its case goes on.
type listener struct {
	*scope
	*conversation
}

// Now is the time for the dates and tokens in what the server says: the present, and in a
// replay the time at which it was recorded.
func (c *listener) Now() time.Time {
	if recorded, ok := c.reached().(interface{ Now() time.Time }); ok {
		return recorded.Now()
	}
	return time.Now()
}

// Await waits at most the time given for a fitting frame after the mark. It
// reports false when none came or none can come any more. It ends the case
// where the server sent more than the kit reads.
func (c *listener) Await(from Mark, atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	s, found := c.awaited(from, within(atMost), fits)
	if !found {
		c.Must(c.unreadError())
	}
	return s, found
}

// awaited is Await for callers that check elsewhere whether the kit read everything.
func (c *listener) awaited(from Mark, atMost limit, fits func(Seen) bool) (Seen, bool) {
	s, found, err := c.await(c.live(), from, atMost, fits)
	c.Must(err)
	return s, found
}

// Next waits for the next message the server sends of its own accord after
// the mark: a notification or a request.
func (c *listener) Next(from Mark, atMost time.Duration) (Seen, bool) {
	return c.Await(from, atMost, func(s Seen) bool {
		if s.Dir != frame.Received || s.Kind != frame.KindMessage {
			return false
		}
		class := s.Message().Class
		return class == frame.Notification || class == frame.Request
	})
}

// catchUp waits until the log holds every exchange that began: the last sent
// frames may not have been read from the connection yet.
func (c *listener) catchUp() {
	if now := c.Mark(); !c.caughtUp() {
		c.Await(now, c.setup.Waits.Answer, func(Seen) bool { return c.caughtUp() })
	}
}

// AwaitEnds waits for the ends of the HTTP exchanges that started after the
// mark, for all of them together as long as for one answer. Over stdio it does nothing.
// Where the server was seen to leave a stream open behind the answer, other ends behind
// answers are awaited briefly.
func (c *listener) AwaitEnds(from Mark) {
	c.catchUp()
	until, p := time.Now().Add(c.setup.Waits.Answer), c.setup.Patience
	for _, sent := range c.Since(from) {
		if sent.Dir != frame.Sent || sent.Exchange == 0 || c.givenUp(sent.Exchange) {
			continue
		}
		rest := max(0, time.Until(until))
		if p != nil && p.open.Load() && c.respondedOn(sent.Exchange, from) {
			rest = min(rest, shortest)
		}
		_, ended := c.Await(from, rest, ends(sent.Exchange))
		if !ended && rest >= shortest && p != nil && c.respondedOn(sent.Exchange, from) {
			p.open.Store(true)
		}
	}
}

// respondedOn reports whether an exchange has brought an answer since the mark.
func (c *listener) respondedOn(exchange int, from Mark) bool {
	return slices.ContainsFunc(c.Since(from), func(s Seen) bool {
		return s.Dir == frame.Received && s.Exchange == exchange && s.Kind == frame.KindMessage &&
			slices.ContainsFunc(Singles(s.Message()), frame.Message.Responds)
	})
}

// Pause waits for a time that the server asks for, or takes until an effect
// shows. Cases await whatever can be awaited instead.
func (c *listener) Pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.live().Done():
	}
	c.live()
}
