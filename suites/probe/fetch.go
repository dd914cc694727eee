package probe

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Fetch makes an HTTP request without a message, such as GET or DELETE, with the
// headers that a good client puts beside one, and waits for the head of the response.
// A stream that begins with it is left at once.
func (c *Client) Fetch(ctx context.Context, method string, options ...Option) (*Reply, error) {
	how, err := c.sending(c.setup.Waits.Answer, options)
	if err != nil {
		return nil, err
	}
	if err := c.reach(ctx); err != nil {
		return nil, err
	}
	r := &Reply{Method: method, client: c, from: c.Mark(), patience: how.patience}
	out := c.outgoing("", how)
	out.Method = method
	r.exchange, err = c.conn.Send(ctx, out)
	if err != nil {
		return r, ctx.Err() // what the connection's last frame says more about
	}
	_, _, err = c.await(ctx, r.from, r.patience, func(s Seen) bool { return r.heads(s) })
	if err != nil || r.end != nil {
		return r, err
	}
	if !r.streams() {
		_, ended, err := c.await(ctx, r.from, c.setup.Waits.Event, ends(r.exchange))
		if ended || err != nil {
			return r, err
		}
	}
	c.conn.Abort(r.exchange)
	_, _, err = c.await(ctx, r.from, c.setup.Waits.Event, ends(r.exchange))
	return r, err
}

// heads keeps what a response begins with, and reports whether that is there.
func (r *Reply) heads(s Seen) bool {
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
