package ping

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// duringInitialization pings between the answer to initialize and the
// notification that ends the handshake. A ping that comes earlier still is
// promised an answer nowhere, so what becomes of it is only noted.
func duringInitialization(ctx context.Context, c *probe.Client) error {
	if err := noteFirst(ctx, c); err != nil {
		return err
	}
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
	if later.WantResult() != nil {
		return probe.Undecide("a ping gets no result after the handshake either, which ping/empty-result judges")
	}
	return early.WantResult()
}

func noteFirst(ctx context.Context, c *probe.Client) error {
	other, err := c.Another(ctx)
	if err != nil {
		return err
	}
	reply, err := other.Ask(ctx, other.Compose("ping", nil))
	if err != nil {
		return err
	}
	c.Note("a ping before initialize is met with " + reply.Outcome())
	return nil
}
