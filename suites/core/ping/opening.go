package ping

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// duringInitialization pings between the answer to initialize and the
// notification that ends the handshake. No text promises an answer to a ping
// before that, so what comes of it is only noted.
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
	never := probe.Undecide("a ping gets no result after the handshake either, which ping/empty-result judges")
	if err := probe.Otherwise(later.WantResult(), never); err != nil {
		return err
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
	c.Note("a ping before initialize got " + reply.Outcome())
	return nil
}
