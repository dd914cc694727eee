package idempotency

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// dialect is where keys are sent. What passes through another place than the
// canonical one passes with a note.
func dialect(c *probe.Client) proposal.Dialect {
	places := []proposal.Dialect{proposal.Beside, proposal.Header}
	trial := func(d proposal.Dialect) (read, accepted bool) { return try(c, d) }
	d := proposal.LearnDialect(c, "idempotency", places, trial)
	d.NoteOlder(c, "keys", map[proposal.Dialect]string{
		proposal.Beside: "params.idempotency_key or params.idempotencyKey",
		proposal.Header: "the header X-Idempotency-Key",
		proposal.Within: "arguments.idempotency_key",
	}, "_meta.idempotency_key")
	return d
}

// try makes a call twice and looks for metadata of the extension: servers that
// mark replays only are silent the first time.
func try(c *probe.Client, d proposal.Dialect) (read, accepted bool) {
	call := c.Role(roles.StateChange).Call()
	k := &operation{client: c, call: call, dialect: d}
	c.Cleanup(k.undo)
	key := k.key()
	for range 2 {
		reply := k.send(key)
		if _, ok := reply.Result(); !ok {
			return false, accepted
		}
		accepted = accepted || !proposal.Declined(reply)
		_, flagged := k.locate(reply, "was_replay")
		_, echoed := k.locate(reply, "idempotency_key")
		if flagged || echoed {
			return true, accepted
		}
	}
	return false, accepted
}
