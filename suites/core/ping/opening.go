package ping

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// duringInitialization pings between the answer to initialize and the notification that
// ends the handshake.
func duringInitialization(c *probe.Client) error {
	opening := c.Initialize()
	if _, ok := opening.Result(); !ok {
		return &probe.OpeningError{Reply: opening}
	}
	early := c.Call("ping", nil)
	c.Initialized()
	if early.WantResult() == nil {
		return nil
	}
	if later := c.Call("ping", nil); later.WantResult() != nil {
		c.Undecide("a ping gets no result after the handshake either, which ping/empty-result judges")
	}
	return early.WantResult()
}
