package probe

import (
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A Pending is a request in flight, over any transport.
type Pending struct {
	reply   *Reply
	how     sending
	params  Object
	repeats bool // the client sends it again where the server asks for input
	done    bool
	of      request
	began   time.Time
	until   time.Time     // the end of the wait; zero: the patience decides
	vain    time.Duration // how long MustAwait waited for anything; an answer is not awaited any more then
	limit   limit         // of the wait; nil: the patience of the reply
	resumed bool          // it waits on a stream that GET resumed, which may bring more than its answer
	stream  continued     // the connections on which its event stream came so far
	unread  string        // a limit of the kit that a frame exceeds which may be the answer
	unnamed []suspicion   // errors without an id that may be about this request
}

// Start sends a well-formed request and returns while the server works on it. A
// case may start several, and need not wait for the answers.
func (c *caller) Start(method string, params Object, options ...Option) *Pending {
	how := c.sending(c.patience(), options)
	if how.id == "" {
		how.id = c.nextID()
	}
	p := c.start(RequestText(how.id, method, c.Params(params)), how, true)
	p.params, p.repeats = params, true
	return p
}

// StartTool is Start for a call of a role's tool.
func (c *actor) StartTool(t *ToolCall, beside Object, options ...Option) *Pending {
	return c.Start("tools/call", t.Params(beside), options...)
}

func (c *caller) start(text string, how sending, well bool) *Pending {
	ctx, began := c.live(), time.Now()
	m := c.reading(text)
	r := &Reply{Method: m.Method, account: account{reaction{
		client: c, from: c.Mark(), text: text, id: m.ID, goodRequest: well, patience: how.patience,
	}}}
	of := c.awaitsFor(m, text, how.alike)
	send := c.post
	if well {
		send = c.postWell
	}
	var err error
	r.exchange, err = send(ctx, text, how)
	unsent(c, err)
	return &Pending{reply: r, how: how, of: of, began: began, stream: continued{at: &Stream{client: c, from: r.from, exchange: r.exchange}}}
}

// ID is the id of the request as JSON text.
func (p *Pending) ID() string { return p.reply.id }

// Sent is the sent request; false where the connection took it no more.
func (p *Pending) Sent() (Seen, bool) {
	r := p.reply
	return r.client.Await(r.from, r.client.setup.Waits.Answer, func(s Seen) bool {
		m := s.Message()
		return s.Dir == frame.Sent && m.Method == r.Method && m.HasID && m.ID == r.id
	})
}

// Evidence is the sent request.
func (p *Pending) Evidence() []frame.Frame {
	sent, ok := p.Sent()
	if !ok {
		return nil
	}
	return []frame.Frame{sent.Frame}
}

// Await waits at most the time given for a fitting frame since the request. It
// reports false when none came or none can come any more. Like a client, it comes back to an
// event stream that the server closes before the answer; in no time it only looks.
func (p *Pending) Await(atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	found, came := hear(p, within(atMost), fits)
	if !came {
		p.reply.client.Must(p.reply.client.unreadError())
	}
	return found, came
}

// MustAwait is Await for what every sound server says to the request, its answer or a message
// before that: what comes and what does not is kept for the verdict, as for Reply.
func (p *Pending) MustAwait(atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	began, c := time.Now(), p.reply.client
	found, came := hear(p, func() time.Duration { return allowance(c, p.of, atMost) }, fits)
	switch {
	case !came && c.ended() != nil:
		ended(c, p.of)
	case !came:
		c.Must(c.unreadError())
		p.vain = time.Since(began)
		missed(c, p.of, p.vain)
	case len(p.of.kinds) > 0 && found.Kind == frame.KindMessage && !p.Answers(found):
		c.setup.Patience.answered(p.of, time.Since(began))
	}
	return found, came
}

// Answers reports whether a frame answers the request, alone or in an array. As in Reply, "1"
// answers 1, and so does what the exchange of the request carries under any id.
func (p *Pending) Answers(s Seen) bool {
	own := p.reply.exchange != 0 && s.Exchange == p.reply.exchange
	return s.Dir == frame.Received && s.Kind == frame.KindMessage && slices.ContainsFunc(Singles(s.Message()), func(m frame.Message) bool {
		return m.Responds() && (own || m.HasID && sameID(m.ID, p.reply.id))
	})
}

// Closed reports whether the exchange of the request is over, with or without its answer. The
// answer may come on another connection then, where the client resumes the stream.
func (p *Pending) Closed() bool {
	r := p.reply
	return r.exchange != 0 && slices.ContainsFunc(r.client.Since(r.from), func(s Seen) bool {
		return s.Kind == frame.KindEnd && s.Exchange == r.exchange
	})
}

// Reply waits for the answer. Silence and a crash are answers too.
func (p *Pending) Reply() *Reply {
	if !p.done {
		p.done = true
		if p.reply = p.awaitAnswer(); p.repeats {
			p.reply = p.answered(p.reply)
		}
	}
	return p.reply
}

// Cancel ends the request as a client of the revision does: it closes the stream of
// the answer where each request over HTTP stands for itself, and sends
// notifications/cancelled elsewhere. It waits until that must have had its effect.
func (p *Pending) Cancel(reason string) {
	if sent, ok := p.Sent(); ok {
		p.reply.client.GiveUp(sent, reason)
	}
}

// awaitAnswer waits for the answer, without repeating the request.
func (p *Pending) awaitAnswer() *Reply {
	r := p.reply
	if p.how.barrier {
		p.awaitBarrier()
		if comesBack(p) {
			r.patience = r.client.setup.Waits.Event
			follow(p)
		}
		return r
	}
	full, most := r.patience, r.patience
	if !p.until.IsZero() {
		most = max(0, min(full, time.Until(p.until)))
	}
	r.patience = most
	p.limit = func() time.Duration {
		if p.vain > 0 {
			r.patience = p.vain
			return 0
		}
		if !p.how.limited { // other requests may be awaited in vain meanwhile
			r.patience = min(most, allowance(r.client, p.of, full))
			if p.blamed() {
				r.patience = min(r.patience, r.client.setup.Patience.short(p.of))
			}
		}
		return r.patience
	}
	p.waitTelling()
	if r.got != nil && r.id != "" && r.exchange == 0 && !sameID(r.ID(), r.id) {
		awaitOwn(p)
	}
	if r.Silent() {
		r.client.giveUp(r.exchange)
		if !p.how.limited && p.vain == 0 {
			missed(r.client, p.of, time.Since(p.began))
		}
	}
	if r.Died() && !r.Unreached() {
		ended(r.client, p.of)
	}
	if comesBack(p) {
		follow(p)
	}
	return r
}

// waitTelling is wait, which may stop the case, and tells meanwhile what is awaited.
func (p *Pending) waitTelling() {
	defer p.reply.client.setup.Patience.tell(p.reply.Method)()
	p.wait()
}

// wait collects the answer. It decides for all cases what counts as an answer:
// the response to the id; for a malformed frame also a response without a
// readable id; and over HTTP any message that the exchange ends with, unless that
// is the body with which the server refuses to resume a stream.
func (p *Pending) wait() {
	r, c := p.reply, p.reply.client
	atMost := p.limit
	if atMost == nil {
		atMost = within(r.patience)
	}
	c.awaited(r.from, atMost, func(s Seen) bool {
		switch {
		case s.Dir == frame.Sent:
			if r.sent == nil && (string(s.Raw()) == r.text || r.exchange > 0 && s.Exchange == r.exchange) {
				r.sent = &s
			}
		case s.Kind == frame.KindHead && s.Exchange == r.exchange:
			r.head = &s
		case s.Kind == frame.KindMessage:
			return p.take(s)
		case r.answersElsewhere() && s.Exchange == r.exchange && r.acceptsPost(s):
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
			c.Must(c.unreadError())
		}
	}
}

// awaitOwn looks for an answer with the id of the request behind an error without one, which
// may be about a message before the request.
func awaitOwn(p *Pending) {
	p.reply.client.barriers()
	p.reply.goodRequest, p.limit = true, within(0)
	p.wait()
	p.reply.goodRequest = false
}

// take keeps a message that may be the answer and reports whether it surely is.
func (p *Pending) take(s Seen) bool {
	r := p.reply
	if why := s.Unread(); why != "" && (s.Exchange == 0 || s.Exchange == r.exchange) {
		p.unread = why
		return r.client.awaitsOnly(r.id)
	}
	for i, m := range Singles(s.Message()) {
		if !m.Responds() {
			continue
		}
		if s.Exchange == r.exchange && ofGateway(m, r.Status()) {
			r.end = &s // a body, and no answer
			continue
		}
		mine := r.id != "" && m.HasID && sameID(m.ID, r.id)
		unread := !m.HasID || m.ID == "null"
		inExchange := r.exchange != 0 && s.Exchange == r.exchange && !p.resumed
		if !inExchange && (!LooksLikeMessage(m) || !mine && (r.goodRequest || !unread)) {
			if unread && m.Class == frame.Error {
				p.suspect(s)
			}
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
	r, c := p.reply, p.reply.client
	r.patience, r.goodRequest = 0, false
	if r.exchange > 0 && !r.answersElsewhere() {
		// Over HTTP the exchange has an end to wait for.
		r.patience = c.setup.Waits.Event
		p.wait()
	}
	if r.behind = c.barriers(); r.exchange == 0 || r.answersElsewhere() {
		p.limit = within(c.setup.Waits.Overtaken())
		p.wait()
		p.limit = nil
	}
}
