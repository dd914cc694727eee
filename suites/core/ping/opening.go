package ping

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// duringInitialization pings between the answer to initialize and the
// notification that ends the handshake.
func duringInitialization(ctx context.Context, c *probe.Client) error {
	opening, err := c.Initialize(ctx)
	if err != nil {
		return err
	}
	if _, ok := opening.Result(); !ok {
		return &probe.OpeningError{Reply: opening}
	}
	early, err := c.Call(ctx, "ping", nil)
	if err != nil {
		return err
	}
	if err := c.Initialized(ctx); err != nil {
		return err
	}
	if early.WantResult() == nil {
		return nil
	}
	later, err := c.Call(ctx, "ping", nil)
	if err != nil {
		return err
	}
	never := probe.Undecide("a ping gets no result after the handshake either, which ping/empty-result judges")
	if err := probe.Otherwise(later.WantResult(), never); err != nil {
		return err
	}
	return early.WantResult()
}
