package record

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A Look is how frames look that are not really sent.
type Look struct {
	Picture func(frame.Outgoing) (frame.Frame, error) // the sent frame
	Opening func(http.Header) frame.Outgoing          // HTTP+SSE: what opens the stream, before a frame with headers
	Hide    func(string) string                       // hides secrets from people
}

// Dial gives a connection on which the recorded server answers over a transport.
func (r *Recording) Dial(way string, look Look) Conn {
	return &conn{
		recording: r, way: way, Look: look, began: time.Now(), played: time.Now(), changed: make(chan struct{}),
		events: map[string]int{}, streams: map[string]int{}, playing: map[int]*turn{}, open: map[int]bool{},
	}
}

// A conn is a connection to a recorded server. The recording's mutex guards it.
type conn struct {
	Look
	recording *Recording
	way       string
	began     time.Time

	source    int            // the recorded connection of the last request
	recorded  time.Duration  // when that was sent
	played    time.Time      // and when it was sent in the replay
	exchanges int            // HTTP: how many were begun
	events    map[string]int // the recorded connections of events, by their ids
	streams   map[string]int // exchanges that are streams for everything, by their first key
	playing   map[int]*turn  // the turn of each exchange
	open      map[int]bool   // exchanges without an end
	seq       int
	coming    []*delivery // in the order in which they are due
	over      bool        // nothing comes any more
	changed   chan struct{}
}

// A delivery is a frame on its way to the reader of a connection.
type delivery struct {
	frame.Frame
	due  time.Time
	of   *arrival // nil: a sent frame, or an end that the kit makes
	late bool     // its cause was not played yet; due is the latest time for it
}

// Began is when the connection was made.
func (c *conn) Began() time.Time { return c.began }

// Now is the time at which the server said what it says now: tokens and dates in its
// messages are of that time.
func (c *conn) Now() time.Time {
	c.recording.mu.Lock()
	defer c.recording.mu.Unlock()
	if c.recording.began.IsZero() { // an earlier version of the kit recorded it
		return time.Now()
	}
	return c.recording.began.Add(c.recorded + time.Since(c.played))
}

// wake lets readers look again; the mutex is held.
func (c *conn) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// put adds a delivery behind those that are due before; the mutex is held.
func (c *conn) put(d *delivery) {
	at, _ := slices.BinarySearchFunc(c.coming, d, func(a, b *delivery) int {
		if a.due.After(b.due) {
			return 1
		}
		return -1
	})
	c.coming = slices.Insert(c.coming, at, d)
	c.wake()
}

// Next waits until the next frame is due.
func (c *conn) Next(ctx context.Context) (frame.Frame, error) {
	for {
		f, wait, changed := c.take()
		if f != nil {
			return *f, nil
		}
		if wait < 0 {
			return frame.Frame{}, io.EOF
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return frame.Frame{}, ctx.Err()
		}
	}
}

// idle is how long a reader sleeps when nothing is on its way: a change wakes it.
const idle = time.Hour

// take gives the frame that is due, or says how long to wait for the next one; a negative
// time means that there is none.
func (c *conn) take() (f *frame.Frame, wait time.Duration, changed chan struct{}) {
	r := c.recording
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(c.coming) == 0 {
		if c.over {
			return nil, -1, nil
		}
		return nil, idle, c.changed
	}
	next := c.coming[0]
	if wait = time.Until(next.due); wait > 0 && !c.over {
		return nil, wait, c.changed
	}
	c.coming = c.coming[1:]
	c.seq++
	next.Seq, next.At = c.seq, next.due.Sub(c.began)
	if next.of != nil {
		next.of.delivered = true
	}
	if next.Kind == frame.KindEnd {
		delete(c.open, next.Exchange)
		if next.Exchange == 0 {
			c.over, c.coming = true, nil
		}
	}
	return &next.Frame, 0, nil
}

// Send plays the turn of the recording that has the same frame.
func (c *conn) Send(ctx context.Context, out frame.Outgoing) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	f, err := c.Picture(out)
	if err != nil {
		return 0, err
	}
	if c.way != sse {
		exchange, _, err := c.begin(f, out.For)
		return exchange, err
	}
	stream, err := c.Picture(c.Opening(out.Header))
	if err != nil {
		return 0, err
	}
	if !c.listens() {
		wait, err := c.stream(stream, out.For)
		pause(ctx, wait)
		if err != nil {
			return 0, err
		}
	}
	exchange, accepted, err := c.begin(f, out.For)
	pause(ctx, min(accepted, mostAccept))
	return exchange, err
}

// mostAccept is how long a sender waits for the server to accept a frame over HTTP+SSE, as
// package wire does.
const mostAccept = 250 * time.Millisecond

func pause(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// begin plays a request, and says when the head of its answer comes.
func (c *conn) begin(f frame.Frame, of string) (exchange int, accepted time.Duration, err error) {
	c.recording.mu.Lock()
	defer c.recording.mu.Unlock()
	if c.over {
		return 0, 0, errOver
	}
	if c.way != stdio {
		c.exchanges++
		c.open[c.exchanges] = true
	}
	t, err := c.play(f, of, c.exchanges)
	if err != nil {
		c.end(c.exchanges, err.Error())
		return 0, 0, err
	}
	return c.exchanges, t.until(frame.KindHead), nil
}

func (c *conn) listens() bool {
	c.recording.mu.Lock()
	defer c.recording.mu.Unlock()
	return c.open[0] || c.over
}

// stream opens the stream of HTTP+SSE, and says when the server names its URI. Where it
// names none, it says when the stream ends, and nothing can be sent.
func (c *conn) stream(f frame.Frame, of string) (time.Duration, error) {
	c.recording.mu.Lock()
	defer c.recording.mu.Unlock()
	c.open[0] = true
	t, err := c.play(f, of, 0)
	if err != nil {
		return 0, err
	}
	for _, a := range t.owns {
		if a.SSE != nil && a.SSE.Event == "endpoint" {
			return a.afterOwner, nil
		}
	}
	return t.until(frame.KindEnd), errOver
}

// until is when the first frame of a kind comes for a turn; 0 where none does.
func (t *turn) until(kind frame.Kind) time.Duration {
	for _, a := range t.owns {
		if a.Kind == kind.String() {
			return a.afterOwner
		}
	}
	return 0
}

var errOver = errors.New("the connection is closed")

// end ends an exchange; the mutex is held.
func (c *conn) end(exchange int, why string) {
	if !c.open[exchange] {
		return
	}
	delete(c.open, exchange)
	c.coming = slices.DeleteFunc(c.coming, func(d *delivery) bool {
		return d.of != nil && d.Exchange == exchange && d.due.After(time.Now())
	})
	f := frame.New(frame.Received, frame.KindEnd, nil)
	f.Exchange, f.End = exchange, &frame.End{Err: why}
	c.put(&delivery{Frame: f, due: time.Now()})
}

// Abort ends an exchange over HTTP.
func (c *conn) Abort(exchange int) {
	c.recording.mu.Lock()
	defer c.recording.mu.Unlock()
	if exchange > 0 && !c.over {
		c.end(exchange, frame.Aborted)
	}
}

// CloseInput and Terminate end a recorded process as they did when it was recorded: the
// frames that came behind them follow the last request.
func (c *conn) CloseInput() error { return c.release(inputOver) }

// Terminate is like CloseInput.
func (c *conn) Terminate() error { return c.release(terminated) }

func (c *conn) release(what string) error {
	c.recording.mu.Lock()
	defer c.recording.mu.Unlock()
	if !c.over {
		c.leave(what)
	}
	return nil
}

// leave lets the frames follow that came after the end of the recorded connection: its end,
// and before that what still came for requests that were played here. It reports whether
// there is an end; the mutex is held.
func (c *conn) leave(what string) bool {
	now, end := time.Now(), c.recording.end(c.source, what)
	for _, l := range c.recording.after[c.source] {
		if l.over == what && l.Kind != frame.KindEnd.String() && l.owner != nil && l.owner.on == c {
			c.put(&delivery{Frame: l.entry.frame(l.owner.ids, l.owner.texts).Redacted(c.Hide), due: now.Add(l.after)})
		}
	}
	if end != nil {
		c.put(&delivery{Frame: end.entry.frame(nil, nil).Redacted(c.Hide), due: now.Add(end.after)})
	}
	return end != nil
}

// end is how a connection ended that the kit ended: the recorded one, or else any.
func (r *Recording) end(source int, what string) *later {
	for _, from := range append([]int{source}, slices.Sorted(maps.Keys(r.after))...) {
		for i := range r.after[from] {
			if l := &r.after[from][i]; l.over == what && l.Kind == frame.KindEnd.String() {
				return l
			}
		}
	}
	return nil
}

// Close ends the connection as the recorded one ended.
func (c *conn) Close(context.Context) error {
	c.recording.mu.Lock()
	defer c.recording.mu.Unlock()
	if c.over {
		return nil
	}
	for _, exchange := range slices.Sorted(maps.Keys(c.open)) {
		if exchange > 0 {
			c.end(exchange, "closed by the kit")
		}
	}
	now := time.Now()
	c.coming = slices.DeleteFunc(c.coming, func(d *delivery) bool { return d.due.After(now) })
	if !c.leave(closed) {
		f := frame.New(frame.Received, frame.KindEnd, nil)
		f.End = &frame.End{Exited: c.way == stdio}
		c.put(&delivery{Frame: f, due: now})
	}
	return nil
}
