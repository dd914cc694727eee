package probe

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// awaitAnswer waits for the answer, without repeating the request.
func (p *Pending) awaitAnswer() *Reply {
	r := p.reply
	if p.how.barrier {
		p.awaitBarrier()
		return r
	}
	if p.wait(); r.goodRequest && r.polled() && protocol.Resumable().At(r.client.Revision()) {
		p.follow()
	}
	return r
}

// wait collects the answer. It decides for all cases what counts as an answer:
// the response to the id; for a malformed frame also a response without a
// readable id; and over HTTP any message that the exchange ends with.
func (p *Pending) wait() {
	r := p.reply
	c := r.client
	c.awaited(r.from, r.patience, func(s Seen) bool {
		switch {
		case s.Dir == frame.Sent:
			if r.sent == nil && (string(s.Raw()) == r.text || r.exchange > 0 && s.Exchange == r.exchange) {
				r.sent = &s
			}
		case s.Kind == frame.KindHead && s.Exchange == r.exchange:
			r.head = &s
		case s.Kind == frame.KindMessage:
			return p.take(s)
		case r.answersElsewhere() && s.Exchange == r.exchange && s.Kind != frame.KindMessage && r.acceptsPost(s):
			// The answer comes on the stream.
		case s.Kind == frame.KindBody && s.Exchange == r.exchange && r.exchange != 0:
			r.end = &s
		case s.Kind == frame.KindEnd && (s.Exchange == r.exchange || s.Exchange == 0):
			if r.end == nil || s.End != nil && s.End.Err != "" || s.Exchange == 0 {
				r.end = &s
			}
			return true
		}
		return false
	})
	if r.got == nil && r.end == nil {
		r.end = c.ended()
	}
	if r.got == nil && p.unread != "" {
		c.stopAwaiting(r.id)
		c.Stop(&Unreadable{"the answer to " + r.name() + " is " + p.unread})
	}
	if r.got == nil && r.end == nil {
		if r.flood = c.flood(); r.flood == "" {
			c.must(c.unreadError())
		}
	}
}

// take keeps a message that may be the answer and reports whether it surely is.
func (p *Pending) take(s Seen) bool {
	r := p.reply
	if why := s.Unread(); why != "" && (s.Exchange == 0 || s.Exchange == r.exchange) {
		p.unread = why
		return r.client.awaitsOnly(r.id)
	}
	for i, m := range Singles(s.Message()) {
		if m.Class != frame.Result && m.Class != frame.Error {
			continue
		}
		mine := r.id != "" && m.HasID && sameID(m.ID, r.id)
		unread := !m.HasID || m.ID == "null"
		inExchange := r.exchange != 0 && s.Exchange == r.exchange
		if !inExchange && (!LooksLikeMessage(m) || !mine && (r.goodRequest || !unread)) {
			continue
		}
		r.got, r.at = &s, i
		if mine || !r.goodRequest && unread {
			return true
		}
	}
	return false
}

// sameID compares loosely on purpose: a server that turns 1 into "1" has
// answered; jsonrpc/response-id-echo judges the id.
func sameID(a, b string) bool { return a == b || looseID(a) == looseID(b) }

// awaitBarrier collects the frames that come until the server answers the
// requests behind this one.
func (p *Pending) awaitBarrier() {
	r := p.reply
	c := r.client
	r.patience, r.goodRequest = 0, false
	if r.exchange > 0 && !r.answersElsewhere() {
		// Over HTTP the exchange has an end to wait for.
		r.patience = c.setup.Waits.Event
		p.wait()
	}
	if r.behind = c.barriers(); r.exchange == 0 || r.answersElsewhere() {
		p.wait()
	}
}

// shortestPause is the shortest pause before a reconnection, even if a server that
// closes each stream at once asks for none.
const shortestPause = 50 * time.Millisecond

// follow resumes streams that the server closes before the answer: it waits as
// long as the server asks, and resumes after the last event.
func (p *Pending) follow() {
	r := p.reply
	c, until := r.client, time.Now().Add(r.patience)
	last := &Stream{client: c, from: r.from, exchange: r.exchange}
	for event, retry, ok := last.LastEvent(); ok; {
		wait := max(retry, shortestPause)
		if time.Until(until) < wait {
			return
		}
		c.Pause(wait)
		next := c.Resume(event)
		rest := &Reply{}
		rest.reaction = reaction{
			client: c, from: next.from, id: r.id, exchange: next.exchange, patience: time.Until(until), goodRequest: true,
		}
		(&Pending{reply: rest}).wait()
		if rest.got != nil {
			r.got, r.at, r.end = rest.got, rest.at, nil
			return
		}
		if !rest.streamEnded() {
			return
		}
		// A resumed stream that ends without a frame is over, such as the stream of a
		// cancelled request.
		event, retry, ok = next.LastEvent()
	}
}
