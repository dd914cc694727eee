package probe

import (
	"bytes"
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
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

// An intake bounds what the kit reads of one connection, and keeps of it.
type intake struct {
	note  func(string)  // tells the reader of a report what was not read
	most  int64         // bytes of memory that the log may take
	total *atomic.Int64 // bytes that all logs of the run take; may be nil

	mu      sync.Mutex
	held    int64        // bytes of memory that the log takes
	flow    flow         // of frames that no request waited for
	flooded string       // how the server flooded the connection, which the kit stopped reading
	full    string       // why the kit had no room for a frame and stopped reading
	gaps    map[int]bool // open HTTP exchanges of which frames were dropped unread
}

// behindGap reports whether frames of the exchange before this one were dropped unread.
func (i *intake) behindGap(f frame.Frame) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	gap := i.gaps[f.Exchange]
	if f.Kind == frame.KindEnd {
		delete(i.gaps, f.Exchange)
	}
	return gap
}

// dropsUnread reports whether to drop a frame unread: the log holds enough unasked
// frames, and this one cannot be an answer. It notes the exchange that now has a gap.
func (i *intake) dropsUnread(f frame.Frame) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.flow.keepsNoMore(i.most) || f.Dir == frame.Sent {
		return false
	}
	drops := f.Kind == frame.KindEvent || f.Kind == frame.KindMessage && !f.Truncated &&
		!bytes.Contains(f.Raw(), []byte(`"result"`)) && !bytes.Contains(f.Raw(), []byte(`"error"`))
	if drops && f.Exchange > 0 {
		if i.gaps == nil {
			i.gaps = map[int]bool{}
		}
		i.gaps[f.Exchange] = true
	}
	return drops
}

// unasked reports whether no request was waiting for the frame. An unreadable
// frame may be the answer to any request.
func unasked(s Seen) bool {
	return s.Dir == frame.Received && !s.awaited &&
		(s.Kind == frame.KindEvent || s.Kind == frame.KindMessage && s.Unread() == "")
}

// thins reports whether further frames of the flow are kept without their readings.
func (i *intake) thins() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.flow.frames >= unaskedThick
}

// reads counts an unasked frame, and reports whether to keep it and whether to read further.
func (i *intake) reads(f frame.Frame) (keeps, more bool) {
	cost := f.Cost()
	i.mu.Lock()
	defer i.mu.Unlock()
	before := i.flow.keepsNoMore(i.most)
	i.flow.more(f, cost)
	keeps = !i.flow.keepsNoMore(i.most)
	if !keeps && !before {
		i.note(fmt.Sprintf("the server sent %d frames that no request had asked for; "+
			"those behind them were looked through for answers only", i.flow.frames))
	}
	if i.flow.readsNoMore(i.most) {
		i.flooded = i.flow.String()
	}
	return keeps, i.flooded == ""
}

// room reserves memory for a frame.
func (i *intake) room(cost int64) (ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.held+cost > i.most:
		i.full = fmt.Sprintf("one connection carried more than the %d MiB that are kept of it, so the rest was not read", i.most>>20)
	case !hold(i.total, cost):
		hold(i.total, -cost)
		i.full = fmt.Sprintf("all connections together carried more than the %d MiB that are kept, so the rest was not read", heldMost>>20)
	}
	if i.full != "" {
		i.note(i.full)
		return false
	}
	i.held += cost
	return true
}

// free gives the memory of dropped frames back, and ends the flow.
func (i *intake) free(dropped int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	hold(i.total, -dropped)
	i.held -= dropped
	i.flow = flow{}
}

// empty gives all memory back.
func (i *intake) empty() {
	i.mu.Lock()
	defer i.mu.Unlock()
	hold(i.total, -i.held)
	i.held = 0
}

// unreadError returns Undecided where the kit stopped reading: an awaited frame may
// be among the unread ones, so silence proves nothing.
func (i *intake) unreadError() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if why := cmp.Or(i.full, i.flooded); why != "" {
		return &Undecided{Reason: why}
	}
	return nil
}

// flood says how the server flooded the connection; empty where it did not, or
// where the kit had no room.
func (i *intake) flood() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.full != "" {
		return ""
	}
	return i.flooded
}
