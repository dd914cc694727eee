package probe

import (
	"context"
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// GiveUp ends a request that is still being served, as a client of the revision
// does: where a request over HTTP stands for itself it closes the stream of the
// answer, elsewhere it says notifications/cancelled.
func (c *Client) GiveUp(ctx context.Context, request Seen, reason string) error {
	from := c.Mark()
	if request.Exchange > 0 && protocol.RequestMeta().At(c.setup.Revision) {
		c.conn.Abort(request.Exchange)
		_, _, err := c.Await(ctx, from, c.setup.Waits.Answer, func(s Seen) bool {
			return s.Kind == frame.KindEnd && (s.Exchange == request.Exchange || s.Exchange == 0)
		})
		if err != nil {
			return err
		}
	} else {
		params := Object{"requestId": json.RawMessage(request.Message().ID), "reason": reason}
		if err := c.Notify(ctx, "notifications/cancelled", params); err != nil {
			return err
		}
	}
	return c.Settle(ctx, from)
}
