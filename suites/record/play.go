package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// play sends a frame and lets the server's frames follow; the mutex is held.
func (c *conn) play(f frame.Frame, of string, exchange int) (*turn, error) {
	r, now := c.recording, time.Now()
	f.Exchange = exchange
	e := entry{For: of, Text: string(f.Raw()), HTTP: f.HTTP}
	known := keys(c.way, e, r.sessions)
	t, again := r.find(known, of, c)
	if t != nil && c.way == sse && t.entry.HTTP != nil && f.HTTP != nil {
		f.HTTP.Path = t.entry.HTTP.Path // the server announced it
	}
	c.put(&delivery{Frame: f.Redacted(c.Hide), due: now})
	if t == nil {
		return nil, c.stray(f)
	}
	first := t
	if again {
		t = first.copied()
	}
	first.newest = t
	c.source, c.recorded, c.played = t.entry.Conn, t.entry.At, now
	if !again {
		r.last[of] = t.entry.At
	}
	t.played, t.on, t.exchange = true, c, exchange
	t.ids, t.texts = differences(t.entry.Text+string(t.entry.Bytes), e.Text)
	if t.stands() {
		t.key = known[0].text
		c.streams[t.key] = exchange
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
// not played yet; of those for others it is the nearest one. Again is true for a turn that
// stays for others, or is played once more. The mutex is held.
func (r *Recording) find(known []key, of string, c *conn) (t *turn, again bool) {
	for i, k := range known {
		found := r.byKey[k.text]
		if k.refused {
			found = slices.DeleteFunc(slices.Clone(found), func(t *turn) bool { return !t.refused })
		}
		switch {
		case len(found) == 0:
		case k.foreign:
			return nearest(found, c), true
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

// nearest is the turn nearest in time to the last request of a connection. Turns that were
// answered come first: a request that its case cancelled has no answer for another one. Of
// these, results come first: what was sent too early was refused for this one.
func nearest(found []*turn, c *conn) *turn {
	for _, lacks := range []func(t *turn) bool{
		func(t *turn) bool { return !t.replied },
		func(t *turn) bool { return t.refused },
	} {
		if better := slices.DeleteFunc(slices.Clone(found), lacks); len(better) > 0 {
			found = better
		}
	}
	return slices.MinFunc(found, func(a, b *turn) int { return cmp.Compare(distance(a, c), distance(b, c)) })
}

// distance is how far apart a turn and the last request of a connection were recorded.
func distance(t *turn, c *conn) time.Duration { return (t.entry.At - c.recorded).Abs() }

// copied is a turn that is played beside the turn itself, with the frames that belong to
// its own request.
func (t *turn) copied() *turn {
	t.copies++
	c := &turn{entry: t.entry, number: t.copies}
	for _, a := range t.owns {
		c.add(a.entry, c).names = a.names
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
	if !late && !a.owner.stands() {
		for _, before := range a.owner.before(a) {
			c.deliver(before, due, false)
		}
	}
	if before := a.owner.latest; before != nil && before.At <= a.At && due.Before(before.due) {
		due = before.due // the frames of one request keep their order
	}
	if !late {
		a.due, a.owner.latest = due, a
	}
	a.delivered = !late
	ids, texts := a.owner.ids, a.owner.texts
	if a.names != nil && a.names.newest != nil {
		ids, texts = both(a.names.newest.ids, ids), both(a.names.newest.texts, texts)
	}
	f := a.frame(ids, texts)
	if reuses(to.events, f, a.Conn) {
		c.recording.distinct(&f, fmt.Sprintf("~c%d", a.Conn))
	}
	if a.owner.number > 0 {
		c.recording.distinct(&f, fmt.Sprintf("~%d", a.owner.number))
	}
	f.Exchange = exchange
	if a.Exchange == 0 {
		f.Exchange = 0
	}
	to.put(&delivery{Frame: f.Redacted(to.Hide), due: due, of: a, late: late})
}

// before are the frames of a turn before one of them that did not come yet.
func (t *turn) before(a *arrival) []*arrival {
	for t.gone < len(t.owns) && t.owns[t.gone].delivered {
		t.gone++
	}
	return slices.Clone(t.owns[t.gone : t.gone+max(0, slices.Index(t.owns[t.gone:], a))])
}

// both are the entries of two maps; those of the second one count.
func both(first, second map[string]string) map[string]string {
	all := maps.Clone(first)
	maps.Copy(all, second)
	return all
}

// reuses reports whether another recorded connection had an event with the same id. They
// are one connection here.
func reuses(events map[string]int, f frame.Frame, source int) bool {
	if f.SSE == nil || f.SSE.ID == "" {
		return false
	}
	first, known := events[f.SSE.ID]
	if !known {
		events[f.SSE.ID] = source
	}
	return known && first != source
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
