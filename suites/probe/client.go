package probe

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/patient"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Client is the kit's own end of one conversation with the server under
// test. It keeps every frame and, unlike a real client, may misbehave. It
// carries the context of its case: its methods return what came of them, and
// where the run is cut short, a role is not filled or a precondition is missing,
// the case ends there.
type Client struct {
	*conversation
	scope    *scope
	declares Object // the client's capabilities, where they are not those of the setup
}

// A conversation is all that is said on one connection. One case after the other
// may speak in it, each through a Client of its own.
type conversation struct {
	setup Setup
	conn  Conn
	watch func(Seen)

	watching sync.Mutex // held while a frame is shown and put into the log; taken before mu

	mu           sync.Mutex
	log          []Seen
	held         int64                    // bytes of memory that the log takes
	flow         flow                     // of frames that nothing had asked for
	flooded      string                   // how the server flooded the connection, which is no longer read
	full         string                   // why there was no room for what the server sent, and no more is read
	owed         []string                 // answers to the server's requests, still to be sent
	paying       int                      // goroutines that send them
	opened       int                      // entries of the log that belong to the opening
	changed      chan struct{}            // closed and replaced whenever log grows or the end comes
	over         bool                     // nothing more will come
	heard        bool                     // the server has said something
	asked        map[string]Asked         // requests by the key of their id
	whole        []string                 // keys of the requests of which more than the method is kept
	readings     map[string]frame.Message // of texts that are on their way
	well         map[string]int           // texts that a good client would send, by how often they are on their way
	posts        map[int]Asked            // HTTP: the request an exchange carried
	posted       int                      // HTTP: the exchange that was begun last, and that of the log
	logged       int
	malformed    map[int]bool // HTTP: exchanges whose request was malformed on purpose
	malformedIDs map[string]bool
	pending      map[string]bool // ids of requests that were not answered yet
	late         map[string]bool // those that were pending when earlier cases ended
	lastID       int
	session      string
	agreed       requirements.Revision
	notes        []string
	others       []*conversation
	answers      map[string]func(Request) any // to the server's requests, by method
	timedOut     bool                         // something was awaited until its time was up
	mute         bool                         // the last barrier got no answer
	once         map[string]any

	reaching  patient.Mutex
	dial      func(context.Context) (Link, error) // nil once the connection is made, or could not be
	unreached error

	stop   context.CancelFunc
	pumped sync.WaitGroup
}

// newConversation takes a connection over. It listens from now on; close ends it.
func newConversation(ctx context.Context, link Link, setup Setup) *conversation {
	c := unconnected(setup)
	c.listen(ctx, link)
	return c
}

// Close ends the conversation, and those opened with Another. A case need not
// close what it opened: that ends with the case's own conversation.
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
		// The pump ends by itself when the connection's last frame is read, or with
		// the time there is for the end.
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

// Revision is that of the column, or what a handshake agreed on instead.
func (c *conversation) Revision() requirements.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.agreed != "" {
		return c.agreed
	}
	return c.setup.Revision
}

// Transport is that of the column.
func (c *conversation) Transport() requirements.Transport { return c.setup.Transport }

// Survey is what discovery learned about the column.
func (c *conversation) Survey() *Survey { return c.setup.Survey }

// Waits are the durations this run allows.
func (c *conversation) Waits() Waits { return c.setup.Waits }

// Nonce is fresh text from the seed.
func (c *conversation) Nonce() string { return c.setup.Nonce() }

// Learn remembers for the column what learn finds out. Where learn ends the case, it
// ends each case that asks.
func (c *Client) Learn(key string, learn func() string) string {
	value, err := c.setup.Memory.Learn(key, func() (value string, err error) {
		err = c.Try(func() { value = learn() })
		return value, err
	})
	c.must(err)
	return value
}

// Note adds a remark to whatever the case ends with. Notes never count.
func (c *conversation) Note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = append(c.notes, text)
}

// further are the connections opened from here.
func (c *conversation) further() []*conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.others)
}

// all is this conversation, and after it those opened from here.
func (c *conversation) all() []*conversation {
	all := []*conversation{c}
	for _, other := range c.further() {
		all = append(all, other.all()...)
	}
	return all
}

// begin reaches the target once more as the setup says. The connection is
// closed together with c.
func (c *Client) begin(setup Setup) *Client {
	ctx := c.live()
	link, err := setup.Dial(ctx)
	c.must(err)
	other := newConversation(context.WithoutCancel(ctx), link, setup)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.others = append(c.others, other)
	return &Client{conversation: other, scope: c.scope}
}

// Another reaches the same target once more, without saying anything yet. It
// is closed together with c.
func (c *Client) Another() *Client { return c.begin(c.setup) }

// Opened is Another with the opening already done.
func (c *Client) Opened() *Client {
	other := c.Another()
	other.open()
	return other
}

// Forget drops what was said since the opening, for a conversation that serves many
// cases, or many thousand calls: what is kept would fill up. Marks that were taken
// before are void, and nothing may be awaited.
func (c *conversation) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.log[c.opened:] {
		s.Thin() // watchers may remember it
		hold(c.setup.Held, -s.cost)
		c.held -= s.cost
	}
	c.whole = slices.DeleteFunc(c.whole, func(key string) bool {
		if c.pending[key] {
			return false
		}
		c.asked[key] = Asked{Method: c.asked[key].Method} // all that one more answer to it is judged by
		return true
	})
	// Whoever looked at the log may still do so.
	c.log = slices.Clone(c.log[:c.opened])
	c.flow = flow{}
	c.late = maps.Clone(c.pending)
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

// Await waits for a frame after the mark that fits, for at most the time
// given. It reports false when none came or none can come any more. It ends the
// case where the server sent more than is read.
func (c *Client) Await(from Mark, atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	s, found := c.awaited(from, atMost, fits)
	if !found {
		c.must(c.bounded())
	}
	return s, found
}

// awaited is Await where it is seen elsewhere that not everything was read.
func (c *Client) awaited(from Mark, atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	s, found, err := c.await(c.live(), from, atMost, fits)
	c.must(err)
	return s, found
}

// await waits for a frame after the mark; its error is that of ctx.
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

// pump reads what the connection carries, until its end or until Close has no
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

// finish says that nothing more will come.
func (c *conversation) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.tell()
}

// tell wakes whoever awaits a frame; c.mu is held.
func (c *conversation) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// patience is how long an answer is awaited: longer for the first one, since the
// server may still be starting.
func (c *conversation) patience() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.heard {
		return c.setup.Waits.Answer
	}
	return max(c.setup.Waits.Answer, c.setup.Waits.Opening)
}

func (c *conversation) nextID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	return strconv.Itoa(c.lastID)
}
