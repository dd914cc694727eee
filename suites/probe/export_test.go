package probe

import "context"

// Speaking is a client with a scope of its own, for tests that call it directly: a
// stop ends the test, which the testing package reports as a failure.
func Speaking(ctx context.Context, k *Control) *Client {
	return newClient(k.conversation, &scope{ctx: ctx}, nil)
}

// ControlOf is the engine's end of a client's conversation.
func ControlOf(c *Client) *Control { return &Control{c.conversation} }
