package probe

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// GiveUp ends a request that is still being served, as a client of the revision
// does: where a request over HTTP stands for itself it closes the stream of the
// answer, elsewhere it says notifications/cancelled.
func (c *Client) GiveUp(request Seen, reason string) {
	from := c.Mark()
	if request.Exchange > 0 && protocol.RequestMeta().At(c.setup.Revision) {
		c.conn.Abort(request.Exchange)
		// The answer may have ended by itself, even before it was to be given up.
		c.Await(0, c.setup.Waits.Answer, ends(request.Exchange))
	} else {
		params := Object{"requestId": json.RawMessage(request.Message().ID), "reason": reason}
		c.Notify("notifications/cancelled", params)
	}
	c.Settle(from)
}
