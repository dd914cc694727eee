package probe

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// GiveUp ends a request in flight as a client of the revision does: it closes
// the stream of the answer where each request over HTTP stands for itself, and
// sends notifications/cancelled elsewhere.
func (c *caller) GiveUp(request Seen, reason string) {
	c.catchUp() // Settle would take an earlier request for one that starts here
	from := c.Mark()
	if request.Exchange > 0 && protocol.RequestMeta().At(c.setup.Revision) {
		c.conn.Abort(request.Exchange)
		// The answer may have ended by itself, even before GiveUp.
		c.Await(0, c.setup.Waits.Answer, ends(request.Exchange))
	} else {
		params := Object{"requestId": json.RawMessage(request.Message().ID), "reason": reason}
		c.Notify("notifications/cancelled", params)
	}
	c.Settle(from)
}
