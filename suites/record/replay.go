package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
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
		recording: r, way: way, Look: look, began: time.Now(), changed: make(chan struct{}),
		streams: map[string]int{}, playing: map[int]*turn{}, open: map[int]bool{},
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
	exchanges int            // HTTP: how many were begun
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
		pause(ctx, c.stream(stream, out.For))
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

// stream opens the stream of HTTP+SSE, and says when the server names its URI.
func (c *conn) stream(f frame.Frame, of string) time.Duration {
	c.recording.mu.Lock()
	defer c.recording.mu.Unlock()
	c.open[0] = true
	t, err := c.play(f, of, 0)
	if err != nil {
		return 0
	}
	return t.until(frame.KindEvent)
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

// play sends a frame and lets the server's frames follow; the mutex is held.
func (c *conn) play(f frame.Frame, of string, exchange int) (*turn, error) {
	r, now := c.recording, time.Now()
	f.Exchange = exchange
	e := entry{For: of, Text: string(f.Raw()), HTTP: f.HTTP}
	names := keys(c.way, e, r.sessions)
	t, again := r.find(names, of, c)
	if t != nil && c.way == sse && t.entry.HTTP != nil && f.HTTP != nil {
		f.HTTP.Path = t.entry.HTTP.Path // the server announced it
	}
	c.put(&delivery{Frame: f.Redacted(c.Hide), due: now})
	if t == nil {
		return nil, c.stray(f)
	}
	if again {
		t = t.copied()
	}
	c.source, c.recorded = t.entry.Conn, t.entry.At
	if !again {
		r.last[of] = t.entry.At
	}
	t.played, t.on, t.exchange = true, c, exchange
	t.ids, t.texts = differences(t.entry.Text+string(t.entry.Bytes), e.Text)
	if t.stands() {
		c.streams[names[0]], t.key = exchange, names[0]
	}
	c.playing[exchange] = t
	if t.deletes() {
		for _, each := range c.playing {
			for _, a := range each.parts {
				c.deliver(a, now.Add(a.after), false)
			}
		}
	}
	for _, a := range t.owns {
		switch {
		case a.cause == t:
		case a.cause.played:
			c.deliver(a, now.Add(a.after), false)
		default:
			c.deliver(a, now.Add(a.afterOwner+grace), true)
		}
	}
	for _, a := range t.causes {
		if a.owner.played && a.owner.on != nil {
			c.deliver(a, now.Add(a.after), false)
		}
	}
	return t, nil
}

// grace is how much later than recorded a frame comes whose cause was not played.
const grace = time.Second

// find gives the turn for a request. Of those for the same case it is the next one that was
// not played yet; of those for others it is the one nearest in time. Again is true for a
// turn that stays for others, or is played once more. The mutex is held.
func (r *Recording) find(names []string, of string, c *conn) (t *turn, again bool) {
	for i, name := range names {
		found := r.byKey[name]
		switch {
		case len(found) == 0:
		case foreign(i):
			return slices.MinFunc(found, func(a, b *turn) int { return cmp.Compare(distance(a, c), distance(b, c)) }), true
		default:
			if t := r.next(found, of, c); t != nil {
				return t, false
			}
			if i == 0 {
				return found[len(found)-1], true
			}
		}
	}
	return nil, false
}

// next is the first turn that was not played yet. Turns on the recorded connection that the
// replay is on come first, and before those the turns behind the last one of the case: what
// the case knew already, it did not ask again.
func (r *Recording) next(found []*turn, of string, c *conn) *turn {
	var best *turn
	last, begun := r.last[of]
	rank := func(t *turn) int {
		n := 0
		if someone(of) && (!begun || t.entry.At > last) {
			n += 2
		}
		if t.entry.Conn == c.source {
			n++
		}
		return n
	}
	for _, t := range found {
		if !t.played && (best == nil || rank(t) > rank(best)) {
			best = t
		}
	}
	return best
}

// distance is how far apart a turn and the last request of a connection were recorded.
func distance(t *turn, c *conn) time.Duration { return (t.entry.At - c.recorded).Abs() }

// copied is a turn that is played beside the turn itself, with the frames that belong to
// its own request.
func (t *turn) copied() *turn {
	t.copies++
	c := &turn{entry: t.entry, number: t.copies}
	for _, a := range t.owns {
		c.add(a.entry, c)
	}
	for _, a := range t.parts {
		c.parts = append(c.parts, &arrival{entry: a.entry, owner: c, cause: a.cause, after: a.after})
	}
	return c
}

// distinct makes what a server says only once differ in a frame that is played again: the
// ids of sessions and events.
func (r *Recording) distinct(f *frame.Frame, mark string) {
	if f.SSE != nil && f.SSE.ID != "" {
		event := *f.SSE
		event.ID += mark
		event.Lines = slices.Clone(event.Lines)
		for i, line := range event.Lines {
			if name, _, _ := strings.Cut(line, ":"); name == "id" {
				event.Lines[i] += mark
			}
		}
		f.SSE = &event
	}
	if f.HTTP != nil && f.HTTP.Header.Get(sessionHeader) != "" {
		head := *f.HTTP
		head.Header = head.Header.Clone()
		session := head.Header.Get(sessionHeader) + mark
		head.Header.Set(sessionHeader, session)
		r.sessions[session], f.HTTP = true, &head
	}
}

// deliver puts a frame of the server on its way; the mutex is held.
func (c *conn) deliver(a *arrival, due time.Time, late bool) {
	to, exchange := a.owner.on, a.owner.exchange
	if on := a.cause.on; on != nil && on != to && a.owner.stands() {
		if stream, ok := on.streams[a.owner.key]; ok { // the stream of the connection that the cause was sent on
			to, exchange = on, stream
		}
	}
	if to.over {
		return
	}
	for i, d := range to.coming {
		if d.of == a && d.late {
			to.coming = slices.Delete(to.coming, i, i+1)
			break
		}
	}
	if a.delivered {
		return
	}
	a.delivered = !late
	f := a.frame(a.owner.ids, a.owner.texts)
	if a.owner.number > 0 {
		c.recording.distinct(&f, fmt.Sprintf("~%d", a.owner.number))
	}
	f.Exchange = exchange
	if a.Exchange == 0 {
		f.Exchange = 0
	}
	to.put(&delivery{Frame: f.Redacted(to.Hide), due: due, of: a, late: late})
}

// stray notes a request that the recording does not hold; the mutex is held.
func (c *conn) stray(f frame.Frame) error {
	what := f.Message().Method
	if what == "" && f.HTTP != nil {
		what = f.HTTP.Method
	}
	c.recording.strays = append(c.recording.strays, what)
	return &frame.Unrecorded{Method: what}
}

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
		c.end(exchange, "aborted by the kit")
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

// frame is the frame of an entry with the ids and texts of the replay.
func (e entry) frame(ids, texts map[string]string) frame.Frame {
	raw := e.Bytes
	if raw == nil {
		raw = []byte(renewed(e.Text, ids, texts))
	}
	kind := frame.KindMessage
	for _, k := range frame.Kinds() {
		if k.String() == e.Kind {
			kind = k
		}
	}
	f := frame.New(frame.Received, kind, raw)
	f.Exchange, f.Truncated, f.HTTP, f.SSE, f.End, f.Framing = e.Exchange, e.Cut, e.HTTP, e.SSE, e.End, e.Framing
	if e.Size > 0 {
		f.Size = e.Size
	}
	if e.SSE != nil && string(raw) != e.Text {
		f.SSE = e.SSE.With(e.Text, string(raw))
	}
	return f
}
