package probe

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// payers is how many answers are on their way at once over HTTP, where each is
// a POST of its own. Over stdio they go one after the other.
const payers = 8

// answer keeps the conversation polite: the server's pings are answered,
// whatever else it asks is refused.
func (c *Client) answer(ctx context.Context, s Seen) {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return
	}
	for _, m := range Singles(s.Message()) {
		if m.Class != frame.Request {
			continue
		}
		text := `{"jsonrpc":"2.0","id":` + m.ID + `,"error":{"code":-32601,"message":"the client does not offer this"}}`
		if m.Method == "ping" {
			text = `{"jsonrpc":"2.0","id":` + m.ID + `,"result":{}}`
		}
		c.owe(ctx, text)
	}
}

// owe has an answer sent beside the reading: a server that does not read its
// input while it writes must not keep us from reading.
func (c *Client) owe(ctx context.Context, text string) {
	most := 1
	if c.setup.Transport != requirements.Stdio {
		most = payers
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owed = append(c.owed, text)
	if c.paying < most {
		c.paying++
		c.pumped.Go(func() { c.pay(ctx) })
	}
}

// pay sends what is owed until nothing is left.
func (c *Client) pay(ctx context.Context) {
	for {
		c.mu.Lock()
		if len(c.owed) == 0 || ctx.Err() != nil {
			c.paying--
			c.mu.Unlock()
			return
		}
		text := c.owed[0]
		c.owed = c.owed[1:]
		c.mu.Unlock()
		mark := c.Mark()
		// A server that no longer listens shows in what follows.
		exchange, err := c.postWell(ctx, text, sending{})
		if err == nil && exchange > 0 {
			_, _, _ = c.await(ctx, mark, c.setup.Waits.Answer, ends(exchange))
			c.conn.Abort(exchange) // if it has not ended, it never may
		}
	}
}

// ends tells the end of an exchange, or of the connection.
func ends(exchange int) func(Seen) bool {
	return func(s Seen) bool { return s.Kind == frame.KindEnd && (s.Exchange == exchange || s.Exchange == 0) }
}
