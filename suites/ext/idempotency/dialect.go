package idempotency

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// The places where a key may travel, as letters of a dialect.
const (
	bare     = "B" // _meta.idempotency_key
	prefixed = "P" // the same under the prefix of the proposals
	beside   = "I" // params.idempotency_key, beside name and arguments
	header   = "H" // the header X-Idempotency-Key
	within   = "A" // among the arguments
)

// dialect is where keys are sent: places as letters, the first of which is one
// that the server was seen to read. It is learned once for the column unless
// the configuration pins it. What passes through another place than the
// canonical one passes with a note.
func dialect(ctx context.Context, c *probe.Client) (string, error) {
	carrier, err := c.Learn("dialect:idempotency", func() (string, error) { return learn(ctx, c) })
	if err != nil {
		return "", err
	}
	older := map[string]string{
		beside: "params.idempotency_key or params.idempotencyKey",
		header: "the header X-Idempotency-Key",
		within: "arguments.idempotency_key",
	}
	if place, ok := older[carrier[:1]]; ok {
		c.Note("keys are read from " + place + ", an older form; the canonical place is _meta.idempotency_key")
	}
	return carrier, nil
}

// learn adds one place after the other until an answer shows that the key was
// read. A place that is refused is left out again. Where no answer shows
// anything, all places stay: the effects will tell.
func learn(ctx context.Context, c *probe.Client) (string, error) {
	carrier := bare + prefixed
	places := []string{"", beside}
	if c.Transport() == requirements.HTTP {
		places = append(places, header)
	}
	for _, place := range places {
		read, accepted, err := try(ctx, c, carrier+place)
		switch {
		case err != nil:
			return "", err
		case read:
			return place + carrier, nil
		case accepted:
			carrier += place
		}
	}
	return carrier, nil
}

// try makes a call twice and looks for metadata of the extension: servers that
// mark replays only are silent the first time.
func try(ctx context.Context, c *probe.Client, carrier string) (read, accepted bool, err error) {
	call, err := c.Role(roles.StateChange).Call()
	if err != nil {
		return false, false, err
	}
	k := &operation{client: c, call: call, carrier: carrier}
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
