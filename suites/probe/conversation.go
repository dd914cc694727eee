package probe

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A conversation is everything said on one connection. Several cases may speak
// in it, one after the other, each through a Client of its own. Each part guards
// its own state.
type conversation struct {
	column    // what both ends go by
	line      // the connection
	ledger    // the requests
	journal   // the frames
	responder // to requests of the server
	headers   // over HTTP
	kept      cache

	mu      sync.Mutex
	others  []*conversation
	mute    atomic.Bool // the last barrier got no answer
	harmful atomic.Bool // a barrier with the harmless request got none, or a late one: another request is used
	hadTime atomic.Bool // an answer was awaited in full: the process had its time to start
	behind  atomic.Bool // stdio: text that is not JSON was sent, and no request answered since

	stop   context.CancelFunc
	pumped sync.WaitGroup
}

// newConversation takes a connection over and listens at once; close ends the
// conversation.
func newConversation(ctx context.Context, link Link, setup Setup) *conversation {
	c := unconnected(setup)
	c.conn = link.Conn
	c.listen(ctx, link)
	return c
}

func unconnected(setup Setup) *conversation {
	c := &conversation{column: column{setup: setup}, ledger: newLedger(setup.Memory.read), kept: cache{values: map[string]any{}}}
	c.headers = headers{column: &c.column, ledger: &c.ledger, kept: &c.kept}
	c.changed, c.note, c.most, c.total = make(chan struct{}), c.Note, cmp.Or(setup.Most, 64<<20), setup.Held
	c.send, c.mostSenders = c.sendAnswer, 1
	if setup.Transport != requirements.Stdio {
		c.mostSenders = maxAnswerSenders
	}
	return c
}

func (c *conversation) listen(ctx context.Context, link Link) {
	ctx, stop := context.WithCancel(ctx)
	if link.Watch != nil {
		c.show(link.Watch)
	}
	c.stop = stop
	c.pumped.Go(func() { c.pump(ctx, link.Conn) })
}

// pump reads the frames of the connection until its end, or until Close has no
// more time for it.
func (c *conversation) pump(ctx context.Context, conn Conn) {
	defer c.finish()
	for {
		f, err := conn.Next(ctx)
		if err != nil || ctx.Err() != nil || !c.takes(ctx, f) {
			return
		}
	}
}

// takes handles one frame, and reports whether to read the next. A server that
// floods cannot take the kit down, and is not blamed for frames that the kit
// did not read.
func (c *conversation) takes(ctx context.Context, f frame.Frame) (more bool) {
	if c.dropsUnread(f) {
		_, more = c.reads(f)
		return more
	}
	s := c.stamp(f)
	s.Gap, s.heard = c.behindGap(f), time.Now()
	c.enter(&s)
	c.hears(s)
	if unasked(s) {
		if c.thins() {
			s.Thin()
		}
		if keeps, more := c.reads(f); !more || !keeps {
			return more
		}
	}
	s.cost = s.Cost()
	if !c.keep(s) {
		return false
	}
	c.answer(ctx, s)
	return true
}

// await waits for a fitting frame after the mark; its error is the error of ctx.
func (c *conversation) await(ctx context.Context, from Mark, atMost limit, fits func(Seen) bool) (Seen, bool, error) {
	if err := c.reach(ctx); err != nil && ctx.Err() != nil {
		return Seen{}, false, ctx.Err()
	}
	return c.hear(ctx, from, atMost, fits)
}

// patience is the time limit for an answer: longer for the first one, since the
// server may still be starting.
func (c *conversation) patience() time.Duration {
	if c.serverSpoke.Load() {
		return c.setup.Waits.Answer
	}
	return max(c.setup.Waits.Answer, c.setup.Waits.Opening)
}

func (c *conversation) postWell(ctx context.Context, text string, how sending) (int, error) {
	c.good(text)
	return c.post(ctx, text, how)
}

// post gives a server that does not read as much time as one that does not answer.
func (c *conversation) post(ctx context.Context, text string, how sending) (int, error) {
	if err := c.reach(ctx); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.patience())
	defer cancel()
	out := Outgoing{Text: text}
	if c.setup.Transport != requirements.Stdio {
		out = c.outgoing(text, how)
	} else if c.reading(text).Class == frame.NotJSON {
		c.behind.Store(true)
	}
	if at := strings.Index(text, how.cut); how.cut != "" && at >= 0 {
		out.Cut = at + 1
	}
	exchange, err := put(ctx, c, out)
	c.began(exchange)
	return exchange, err
}

// put sends a frame on the connection.
func put(ctx context.Context, c *conversation, out Outgoing) (exchange int, err error) {
	out.For = speaker(&c.column)
	if c.setup.shown != nil {
		out.Header = merged(c.setup.shown, out.Header)
	}
	return c.conn.Send(ctx, out)
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

// Forget drops the frames since the opening, for a conversation that serves
// many cases or many thousand calls: its log would fill up. Earlier marks are
// void, and no request may be awaited.
func (c *conversation) Forget() {
	c.free(c.truncate())
	c.shorten()
}

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
		c.working.Wait()
		hurry()
		c.stop()
	}
	c.empty()
	return errors.Join(errs...)
}
