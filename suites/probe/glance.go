package probe

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// CallAs is Call under an id of the case's own, given as JSON text.
func (c *Client) CallAs(ctx context.Context, id, method string, params Object) (*Reply, error) {
	return c.ask(ctx, Request(id, method, c.Params(params)), nil, c.setup.Waits.Answer, true)
}

// Glance sends one frame byte for byte and a few requests behind it that every
// server answers, and takes what came for the frame until then: no silence is
// sat out. It is for frames that may be passed over in silence. What came says
// nothing when the last request behind it was not answered.
func (c *Client) Glance(ctx context.Context, text string) (reply, behind *Reply, err error) {
	m := frame.Read([]byte(text))
	reply = &Reply{client: c, Method: m.Method, from: c.Mark(), text: text}
	exchange, err := c.post(ctx, text, nil)
	if err != nil && ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if exchange > 0 {
		// Over HTTP the exchange has an end of its own to wait for.
		reply.patience = c.setup.Waits.Event
		if err := reply.wait(ctx, m.ID, exchange, false); err != nil {
			return nil, nil, err
		}
	}
	// Servers work on several messages at once, so the first of these may
	// overtake what comes for the frame.
	for range 3 {
		behind, err = c.Barrier(ctx)
		if err != nil {
			return nil, nil, err
		}
		if !behind.Answered() {
			break
		}
	}
	if exchange == 0 {
		err = reply.wait(ctx, m.ID, exchange, false)
	}
	return reply, behind, err
}
