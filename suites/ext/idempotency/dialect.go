package idempotency

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// dialect is where keys are sent. What passes through another place than the
// canonical one passes with a note.
func dialect(ctx context.Context, c *probe.Client) (proposal.Dialect, error) {
	places := []proposal.Dialect{proposal.Beside, proposal.Header}
	trial := func(ctx context.Context, d proposal.Dialect) (read, accepted bool, err error) { return try(ctx, c, d) }
	d, err := proposal.LearnDialect(ctx, c, "idempotency", places, trial)
	if err == nil {
		d.NoteOlder(c, "keys", map[proposal.Dialect]string{
			proposal.Beside: "params.idempotency_key or params.idempotencyKey",
			proposal.Header: "the header X-Idempotency-Key",
			proposal.Within: "arguments.idempotency_key",
		}, "_meta.idempotency_key")
	}
	return d, err
}

// try makes a call twice and looks for metadata of the extension: servers that
// mark replays only are silent the first time.
func try(ctx context.Context, c *probe.Client, d proposal.Dialect) (read, accepted bool, err error) {
	call, err := c.Role(roles.StateChange).Call()
	if err != nil {
		return false, false, err
	}
	k := &operation{client: c, call: call, dialect: d}
	defer k.undo(ctx)
	key := k.key()
	for range 2 {
		reply, err := k.send(ctx, key)
		if err != nil {
			return false, false, err
		}
		if _, ok := reply.Result(); !ok {
			return false, accepted, nil
		}
		accepted = accepted || !proposal.Declined(reply)
		_, flagged := k.locate(reply, "was_replay")
		_, echoed := k.locate(reply, "idempotency_key")
		if flagged || echoed {
			return true, accepted, nil
		}
	}
	return false, accepted, nil
}
