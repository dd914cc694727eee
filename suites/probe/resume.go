package probe

import (
	"net/http"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// The shortest pause before a reconnection, even if a server that closes each stream at once
// asks for none, and the pause that it grows to while resumed streams bring nothing.
const (
	shortestPause = 50 * time.Millisecond
	longestPause  = time.Second
	leastPause    = 10 * time.Millisecond // where the server asks for less than the shortest one
)

// A continued is the event stream of a request. A server may close its connection before the
// answer: then the client comes back by GET, and the stream continues behind the last event.
type continued struct {
	at     *Stream       // the newest connection
	closed bool          // the newest connection is over, without the answer
	ended  time.Time     // when it was over
	event  string        // the last event; empty where nothing can be resumed
	retry  time.Duration // the pause that the server asks for
	pause  time.Duration // the shortest pause of the kit
}

// wait is how long the client stays away before it comes back.
func (l *continued) wait() time.Duration { return max(l.retry, l.pause) }

// due is when the client comes back.
func (l *continued) due() time.Time { return l.ended.Add(l.wait()) }

// ends notes that the newest connection is over.
func (l *continued) ends(at time.Time, resumed bool) {
	if l.closed {
		return
	}
	l.closed, l.ended = true, at
	event, retry, more := l.at.LastEvent()
	if retry > 0 {
		l.retry = retry
	}
	switch {
	case more:
		l.event, l.pause = event, shortestPause
		if l.retry > 0 {
			l.pause = min(shortestPause, max(l.retry, leastPause))
		}
	case resumed:
		l.pause = min(2*l.pause, longestPause)
	}
}

// comesBack reports whether the client of a request comes back when the server closes its
// event stream before the answer.
func comesBack(p *Pending) bool {
	r := p.reply
	return r.exchange > 0 && !r.answersElsewhere() && p.how.url == "" && protocol.Resumable().At(r.client.Revision()) && r.polled()
}

// hear waits for a fitting frame since the request, and comes back to the event stream
// meanwhile.
func hear(p *Pending, atMost limit, fits func(Seen) bool) (Seen, bool) {
	return hearWith(p.reply.client, []*Pending{p}, atMost, fits)
}

// AwaitAny is Pending.Await for several requests in flight: it waits for a frame since the first of
// them, and comes back to all of their event streams.
func AwaitAny(c *Client, all []*Pending, atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	found, came := hearWith(c.caller, all, within(atMost), fits)
	if !came {
		c.Must(c.unreadError())
	}
	return found, came
}

func hearWith(c *caller, all []*Pending, atMost limit, fits func(Seen) bool) (Seen, bool) {
	began, next := time.Now(), c.Mark()
	for _, p := range all {
		next = min(next, p.reply.from)
	}
	for {
		closes := false
		first, spent := firstDue(all), time.Since(began)
		until := func() time.Duration {
			left := atMost() - spent
			if first != nil {
				left = min(left, first.stream.due().Sub(began)-spent)
			}
			return left
		}
		found, came, late, err := c.listens(c.live(), next, until, func(s Seen) bool {
			next++
			if fits(s) {
				return true
			}
			for _, p := range all {
				closes = breaksOff(p, s) || closes
			}
			return closes
		})
		c.Must(err)
		switch {
		case closes:
		case came || !late:
			return found, came
		case first == nil || atMost() <= time.Since(began):
			c.timedOut.Store(true)
			return Seen{}, false
		default:
			reopen(first)
		}
	}
}

// firstDue is the request to whose event stream the client comes back next; nil for none.
func firstDue(all []*Pending) *Pending {
	var first *Pending
	for _, p := range all {
		if p.stream.closed && p.stream.event != "" && (first == nil || p.stream.due().Before(first.stream.due())) {
			first = p
		}
	}
	return first
}

// Streams are the exchange of the request, and the connections on which the client came back to
// its event stream, in their order.
func (p *Pending) Streams() []*Stream {
	r := p.reply
	return append([]*Stream{{client: r.client, from: r.from, exchange: r.exchange}}, r.resumed...)
}

// AwaitOwn is Await for a fitting frame on the streams of the request. It ends with the last of
// these.
func (p *Pending) AwaitOwn(atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	fit := false
	found, _ := p.Await(atMost, func(s Seen) bool {
		own := s.Exchange != 0 && slices.ContainsFunc(p.Streams(), func(each *Stream) bool { return each.exchange == s.Exchange })
		fit = own && fits(s)
		last := own && s.Exchange == p.stream.at.exchange && s.Kind == frame.KindEnd && !breaksOff(p, s)
		return fit || last || ends(0)(s)
	})
	if !fit {
		return Seen{}, false
	}
	return found, true
}

// breaksOff reports whether a frame ends the newest connection of the event stream, so that the
// client is to come back for the answer.
func breaksOff(p *Pending, s Seen) bool {
	r, stream := p.reply, &p.stream
	if s.Kind != frame.KindEnd || s.End != nil && s.End.Err == frame.Aborted || r.exchange == 0 || s.Exchange != stream.at.exchange {
		return false
	}
	if r.answersElsewhere() || p.how.url != "" || !protocol.Resumable().At(r.client.Revision()) ||
		slices.ContainsFunc(r.client.Since(r.from), func(s Seen) bool { return p.Answers(s) || s.Exchange == r.exchange && s.Unread() != "" }) {
		return false
	}
	resumed := stream.at.exchange != r.exchange
	if resumed && (s.End.Cut() || !stream.at.streams()) {
		return false // the server did not resume the stream
	}
	stream.ends(s.heard, resumed)
	return stream.event != ""
}

// streams reports whether the response is an event stream.
func (s *Stream) streams() bool { return slices.ContainsFunc(s.Frames(), Seen.Streams) }

// reopen comes back for the rest of the event stream, as whoever sent the request.
func reopen(p *Pending) {
	r, stream, header := p.reply, &p.stream, http.Header{}
	if session := sessionGiven(&r.reaction); session != "" {
		header.Set(protocol.HeaderSession, session)
	}
	for name, values := range p.how.header {
		if name = http.CanonicalHeaderKey(name); name != "Accept" && name != "Content-Type" {
			header[name] = values
		}
	}
	header.Set(protocol.HeaderLastEvent, stream.event)
	r.client.stays(r.id, time.Since(stream.ended))
	stream.at, stream.closed = r.client.Begin(Outgoing{Method: http.MethodGet, Header: header}), false
	r.resumed = append(r.resumed, stream.at)
}

// sessionGiven is the session that the answer to initialize opens, which the client does not
// know as its own before it has read that answer.
func sessionGiven(r *reaction) string {
	if session, _ := r.client.agreement(); session != "" {
		return ""
	}
	head, ok := r.client.Find(r.from, func(s Seen) bool { return s.Kind == frame.KindHead && s.Exchange == r.exchange && s.HTTP != nil })
	if !ok {
		return ""
	}
	return head.HTTP.Header.Get(protocol.HeaderSession)
}

// follow resumes streams that the server closes before the answer: it waits as
// long as the server asks, and resumes after the last event. A server may close a
// resumed stream too before that has brought anything. The answer is lost if it is on
// none of the streams that are resumed until the patience is over. Where the server
// refuses to resume, or asks for a pause beyond the patience, nobody knows.
func follow(p *Pending) {
	r, c, stream := p.reply, p.reply.client, &p.stream
	patience := r.patience
	if p.vain > 0 {
		patience = 0 // MustAwait came back already
	}
	until := time.Now().Add(patience)
	for {
		if stream.at.exchange == r.exchange {
			stream.ends(r.end.heard, false)
		}
		if stream.closed {
			if stream.event == "" || stream.wait() > r.patience {
				return
			}
			if !time.Now().Before(until) {
				loses(p)
				return
			}
			c.Pause(time.Until(stream.due()))
			reopen(p)
		}
		switch rest := continues(p, until); {
		case rest.got != nil:
			r.got, r.at, r.end, r.open = rest.got, rest.at, nil, false
			return
		case rest.streamEnded():
			r.open = false
			stream.ends(rest.end.heard, true)
		case rest.Silent() && rest.streams():
			c.giveUp(stream.at.exchange)
			if p.how.limited {
				r.end = nil // the stream is open, and the answer may still come
				return
			}
			r.open = true
			stream.ends(time.Now(), true)
		default:
			return
		}
	}
}

// loses ends the wait for an answer that no stream brought.
func loses(p *Pending) {
	r := p.reply
	if r.lost = !p.how.limited && len(r.resumed) > 0; r.lost && p.vain == 0 {
		missed(r.client, p.of, time.Since(p.began))
	}
}

// continues waits for the answer on the newest connection. A short wait leaves the server a moment
// for it, whatever the pause before took.
func continues(p *Pending, until time.Time) *Reply {
	r, at := p.reply, p.stream.at
	least := r.client.setup.Waits.Event
	switch {
	case p.vain > 0:
		least = 0
	case p.how.limited:
		least = min(least, shortest)
	}
	rest := &Reply{account: account{reaction{
		client: r.client, from: at.from, id: r.id, exchange: at.exchange, goodRequest: r.goodRequest,
		patience: max(time.Until(until), least),
	}}}
	(&Pending{reply: rest, resumed: true}).wait()
	return rest
}
