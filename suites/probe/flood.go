package probe

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// The bounds on frames that no request waits for, until a case is over: how
// many are read, how many are kept, and how many are kept with their readings.
// A case sees all frames of a server that logs or reports progress thousands of
// times. Of an endless flow the kit reads only answers first, and then nothing
// more.
const (
	unaskedRead  = 200_000
	unaskedKept  = 5_000
	unaskedThick = 500
)

// A flow counts the frames that the server sent unasked since the last case ended.
type flow struct {
	frames int
	bytes  int64 // of memory that the frames take
	since  time.Duration
	last   time.Duration
}

// more counts one frame.
func (w *flow) more(f frame.Frame, cost int64) {
	if w.frames == 0 {
		w.since = f.At
	}
	w.frames, w.bytes, w.last = w.frames+1, w.bytes+cost, f.At
}

// keepsNoMore reports whether further frames of the flow are read, but not kept.
func (w *flow) keepsNoMore(most int64) bool { return w.frames >= unaskedKept || w.bytes > most/4 }

// readsNoMore reports whether further frames of the flow are not even read.
func (w *flow) readsNoMore(most int64) bool { return w.frames >= unaskedRead || w.bytes > 8*most }

func (w *flow) String() string {
	took := max(w.last-w.since, time.Millisecond).Round(time.Millisecond)
	return fmt.Sprintf("the server flooded the connection: it sent %d frames within %s that no request had asked for, "+
		"and the rest was not read", w.frames, took)
}

// takes handles one frame, and reports whether to read the next. A server that
// floods cannot take the kit down, and is not blamed for frames that the kit
// did not read.
func (c *conversation) takes(ctx context.Context, f frame.Frame, most int64) (more bool) {
	if c.dropsUnread(f, most) {
		return c.reads(f, most)
	}
	s := c.stamp(f)
	c.enter(&s)
	if unasked(s) {
		if c.flow.frames >= unaskedThick {
			s.Thin()
		}
		if !c.reads(f, most) {
			return false
		}
		if c.flow.keepsNoMore(most) {
			return true
		}
	}
	s.cost = s.Cost()
	if !c.keep(s, most) {
		return false
	}
	c.answer(ctx, s)
	return true
}

// dropsUnread reports whether to drop a frame unread: the log holds enough unasked
// frames, and this one cannot be an answer.
func (c *conversation) dropsUnread(f frame.Frame, most int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.flow.keepsNoMore(most) || f.Dir == frame.Sent {
		return false
	}
	switch f.Kind {
	case frame.KindEvent:
		return true
	case frame.KindMessage:
		return !f.Truncated && !bytes.Contains(f.Raw(), []byte(`"result"`)) && !bytes.Contains(f.Raw(), []byte(`"error"`))
	case frame.KindHead, frame.KindBody, frame.KindEnd:
	}
	return false
}

// unasked reports whether no request was waiting for the frame. An unreadable
// frame may be the answer to any request.
func unasked(s Seen) bool {
	return s.Dir == frame.Received && !s.awaited &&
		(s.Kind == frame.KindEvent || s.Kind == frame.KindMessage && s.Unread() == "")
}

// reads counts an unasked frame, and reports whether to read further.
func (c *conversation) reads(f frame.Frame, most int64) bool {
	cost := f.Cost()
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.flow.keepsNoMore(most)
	c.flow.more(f, cost)
	if c.flow.keepsNoMore(most) && !before {
		c.notes = append(c.notes, fmt.Sprintf("the server sent %d frames that no request had asked for; "+
			"those behind them were looked through for answers only", c.flow.frames))
	}
	if c.flow.readsNoMore(most) {
		c.flooded = c.flow.String()
	}
	return c.flooded == ""
}

// keep puts a frame into the log, and reports whether there was room for it.
func (c *conversation) keep(s Seen, most int64) bool {
	c.watching.Lock()
	defer c.watching.Unlock()
	watch, room := c.room(s.cost, most)
	if !room {
		return false
	}
	if watch != nil {
		watch(s)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, s)
	if s.Dir == frame.Sent {
		c.logged = max(c.logged, s.Exchange)
	}
	c.serverSpoke = c.serverSpoke || s.Dir == frame.Received
	c.held += s.cost
	c.tell()
	return true
}

// room reserves memory for a frame, and returns the function that shows it to
// the watchers.
func (c *conversation) room(cost, most int64) (watch func(Seen), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.held+cost > most:
		c.full = fmt.Sprintf("one connection carried more than the %d MiB that are kept of it, so the rest was not read", most>>20)
	case !hold(c.setup.Held, cost):
		hold(c.setup.Held, -cost)
		c.full = fmt.Sprintf("all connections together carried more than the %d MiB that are kept, so the rest was not read", heldMost>>20)
	}
	if c.full != "" {
		c.notes = append(c.notes, c.full)
		return nil, false
	}
	return c.watch, true
}

// unread says why the kit stopped reading; empty while it reads. Silence after
// that proves nothing.
func (c *conversation) unread() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.full != "" {
		return c.full
	}
	return c.flooded
}

// unreadError returns Undecided where the kit stopped reading: an awaited frame may
// be among the unread ones.
func (c *conversation) unreadError() error {
	if why := c.unread(); why != "" {
		return &Undecided{Reason: why}
	}
	return nil
}

// flood says how the server flooded the connection; empty where it did not, or
// where the kit had no room.
func (c *conversation) flood() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.full != "" {
		return ""
	}
	return c.flooded
}
