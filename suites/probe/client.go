package probe

import (
	"context"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A Client is the kit's own end of one conversation with the server under test.
// It keeps every frame and, unlike a real client, may misbehave. It carries the
// context of its case: its methods return no errors. The case ends within a
// method where the run is cut short, a role is not filled or a precondition is
// missing.
type Client struct {
	*conversation
	*scope
	declares Object // the client's capabilities, where they differ from the setup's
}

// Close ends the conversation, and the conversations opened with Another. A
// case need not close them: they end with the case's own conversation.
func (c *Client) Close() { _ = c.close(c.live()) }

// Learn keeps a result of learn for all cases of the column. Where learn ends
// its case, Learn ends every case that asks for the key.
func (c *Client) Learn(key string, learn func() string) string {
	value, err := c.setup.Memory.Learn(key, func() (value string, err error) {
		err = c.Try(func() { value = learn() })
		return value, err
	})
	c.must(err)
	return value
}

// begin opens one more connection to the target as the setup says. The
// connection closes together with c.
func (c *Client) begin(setup Setup) *Client {
	ctx := c.live()
	link, err := setup.Dial(ctx)
	c.must(err)
	other := newConversation(context.WithoutCancel(ctx), link, setup)
	c.conversation.mu.Lock()
	defer c.conversation.mu.Unlock()
	c.others = append(c.others, other)
	return &Client{conversation: other, scope: c.scope}
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

// Await waits at most the time given for a fitting frame after the mark. It
// reports false when none came or none can come any more. It ends the case
// where the server sent more than the kit reads.
func (c *Client) Await(from Mark, atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	s, found := c.awaited(from, atMost, fits)
	if !found {
		c.must(c.unreadError())
	}
	return s, found
}

// awaited is Await for callers that check elsewhere whether the kit read everything.
func (c *Client) awaited(from Mark, atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	s, found, err := c.await(c.live(), from, atMost, fits)
	c.must(err)
	return s, found
}

// Next waits for the next message the server sends of its own accord after
// the mark: a notification or a request.
func (c *Client) Next(from Mark, atMost time.Duration) (Seen, bool) {
	return c.Await(from, atMost, func(s Seen) bool {
		if s.Dir != frame.Received || s.Kind != frame.KindMessage {
			return false
		}
		class := s.Message().Class
		return class == frame.Notification || class == frame.Request
	})
}
