package probe

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Fetch makes an HTTP request without a message, such as GET or DELETE, with
// the headers of a good client, and waits for the head of the response. It
// leaves an event stream at once.
func (c *caller) Fetch(method string, options ...Option) *Reply {
	how := c.sending(c.setup.Waits.Answer, options)
	c.Must(c.reach(c.live()))
	r := &Reply{Method: method, account: account{reaction{client: c, from: c.Mark(), patience: how.patience}}}
	out := c.outgoing("", how)
	out.Method = method
	var err error
	if r.exchange, err = put(c.live(), c.conversation, out); err != nil {
		unsent(c, err)
		return r
	}
	if c.awaited(r.from, within(r.patience), heads(&r.reaction)); r.end != nil {
		return r
	}
	if !r.streams() {
		if _, ended := c.awaited(r.from, within(c.setup.Waits.Event), ends(r.exchange)); ended {
			return r
		}
	}
	c.conn.Abort(r.exchange)
	c.awaited(r.from, within(c.setup.Waits.Event), ends(r.exchange))
	return r
}

// heads keeps the head of a response, and reports whether it has come.
func heads(r *reaction) func(Seen) bool {
	return func(s Seen) bool {
		switch {
		case s.Dir == frame.Sent && s.Exchange == r.exchange:
			r.sent = &s
		case s.Kind == frame.KindHead && s.Exchange == r.exchange:
			r.head = &s
			return true
		case ends(r.exchange)(s):
			r.end = &s
			return true
		}
		return false
	}
}
