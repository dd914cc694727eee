package probe

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
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

// A conversation is everything said on one connection. Several cases may speak
// in it, one after the other, each through a Client of its own.
type conversation struct {
	column
	ledger
	conn  Conn
	watch func(Seen)

	watching sync.Mutex // held while a frame is shown and put into the log; taken before mu

	mu            sync.Mutex
	log           []Seen
	held          int64         // bytes of memory that the log takes
	flow          flow          // of frames that no request waited for
	flooded       string        // how the server flooded the connection, which the kit stopped reading
	full          string        // why the kit had no room for a frame and stopped reading
	queuedAnswers []string      // answers to the server's requests, still to be sent
	answerSenders int           // goroutines that send them
	opened        int           // entries of the log that belong to the opening
	changed       chan struct{} // closed and replaced whenever log grows or over is set
	over          bool          // nothing more will come
	serverSpoke   bool          // the server has said something
	posted        int           // HTTP: the exchange that began last, and the last one in the log
	logged        int
	notes         []string
	others        []*conversation
	answers       map[string]func(Request) any // to the server's requests, by method
	timedOut      bool                         // a wait ended at its time limit
	mute          bool                         // the last barrier got no answer
	once          map[string]any

	reaching  bubblelock.Mutex
	dial      func(context.Context) (Link, error) // nil once the connection is made or has failed
	unreached error

	stop   context.CancelFunc
	pumped sync.WaitGroup
}

// newConversation takes a connection over and listens at once; close ends the
// conversation.
func newConversation(ctx context.Context, link Link, setup Setup) *conversation {
	c := unconnected(setup)
	c.listen(ctx, link)
	return c
}

// Close ends the conversation, and the conversations opened with Another. A
// case need not close them: they end with the case's own conversation.
func (c *Client) Close() { _ = c.close(c.live()) }

func (c *conversation) close(ctx context.Context) error {
	others := c.further()
	errs := make([]error, len(others), len(others)+1)
	var closing sync.WaitGroup
	for i, other := range others {
		closing.Go(func() { errs[i] = other.close(ctx) })
	}
	closing.Wait()
	if conn := c.reached(); conn != nil {
		c.endSession(ctx)
		// The pump ends by itself after the connection's last frame; ctx limits the
		// time for that.
		hurry := context.AfterFunc(ctx, c.stop)
		errs = append(errs, conn.Close(ctx))
		c.pumped.Wait()
		hurry()
		c.stop()
	}
	c.mu.Lock()
	hold(c.setup.Held, -c.held)
	c.held = 0
	c.mu.Unlock()
	return errors.Join(errs...)
}

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

// Note adds a remark to the verdict of the case. Notes never count.
func (c *conversation) Note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = append(c.notes, text)
}

// further are the conversations opened from this one.
func (c *conversation) further() []*conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.others)
}

// all is this conversation, and after it the conversations opened from it.
func (c *conversation) all() []*conversation {
	all := []*conversation{c}
	for _, other := range c.further() {
		all = append(all, other.all()...)
	}
	return all
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

// Forget drops the frames since the opening, for a conversation that serves
// many cases or many thousand calls: its log would fill up. Earlier marks are
// void, and no request may be awaited.
func (c *conversation) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.log[c.opened:] {
		s.Thin() // watchers may remember it
		hold(c.setup.Held, -s.cost)
		c.held -= s.cost
	}
	// Readers of the old log may still use it.
	c.log = slices.Clone(c.log[:c.opened])
	c.flow = flow{}
	c.shorten()
}

// A Mark is a place in the conversation.
type Mark int

// Mark is the present end of the conversation.
func (c *conversation) Mark() Mark {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Mark(len(c.log))
}

// Since returns what was sent and received after the mark, so far.
func (c *conversation) Since(m Mark) []Seen {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clip(c.log[min(int(m), len(c.log)):])
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

// await waits for a fitting frame after the mark; its error is the error of ctx.
func (c *conversation) await(ctx context.Context, from Mark, atMost time.Duration, fits func(Seen) bool) (Seen, bool, error) {
	if err := c.reach(ctx); err != nil && ctx.Err() != nil {
		return Seen{}, false, ctx.Err()
	}
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	next := int(from)
	for {
		c.mu.Lock()
		fresh, changed, over := c.log[min(next, len(c.log)):], c.changed, c.over
		c.mu.Unlock()
		for _, s := range fresh {
			if fits(s) {
				return s, true, nil
			}
		}
		next += len(fresh)
		if over {
			return Seen{}, false, nil
		}
		select {
		case <-changed:
		case <-timer.C:
			c.mu.Lock()
			c.timedOut = true
			c.mu.Unlock()
			return Seen{}, false, nil
		case <-ctx.Done():
			return Seen{}, false, ctx.Err()
		}
	}
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

// pump reads the frames of the connection until its end, or until Close has no
// more time for it.
func (c *conversation) pump(ctx context.Context, most int64) {
	defer c.finish()
	for {
		f, err := c.conn.Next(ctx)
		if err != nil || ctx.Err() != nil || !c.takes(ctx, f, most) {
			return
		}
	}
}

// finish marks the conversation as over.
func (c *conversation) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.tell()
}

// tell wakes everybody who waits for a frame; c.mu is held.
func (c *conversation) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// patience is the time limit for an answer: longer for the first one, since the
// server may still be starting.
func (c *conversation) patience() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.serverSpoke {
		return c.setup.Waits.Answer
	}
	return max(c.setup.Waits.Answer, c.setup.Waits.Opening)
}
