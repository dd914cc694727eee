package probe

import (
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
	unread  string // a limit of the kit that a frame exceeds which may be the answer
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
	ctx := c.live()
	m := c.reading(text)
	r := &Reply{Method: m.Method}
	r.reaction = reaction{client: c, from: c.Mark(), text: text, id: m.ID, goodRequest: well, patience: how.patience}
	send := c.post
	if well {
		send = c.postWell
	}
	var err error
	if r.exchange, err = send(ctx, text, how); err != nil {
		c.live() // the connection's last frame tells any other error better
	}
	return &Pending{reply: r, how: how}
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
// reports false when none came or none can come any more.
func (p *Pending) Await(atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	return p.reply.client.Await(p.reply.from, atMost, fits)
}

// Answers reports whether a frame answers the request.
func (p *Pending) Answers(s Seen) bool {
	m := s.Message()
	return s.Dir == frame.Received && s.Kind == frame.KindMessage && (m.Class == frame.Result || m.Class == frame.Error) &&
		frame.SameID(m.ID, p.reply.id)
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
