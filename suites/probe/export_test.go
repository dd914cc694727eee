package probe

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Speaking is a client with a scope of its own, for tests that call it directly: a
// stop ends the test, which the testing package reports as a failure.
func Speaking(ctx context.Context, k *Control) *Client {
	return newClient(k.conversation, &scope{ctx: ctx}, nil)
}

// AskedWith is a request with params.
func AskedWith(method string, params Object) Asked {
	return Asked{Method: method, Frame: frame.New(frame.Sent, frame.KindMessage, []byte(RequestText("1", method, params)))}
}

// ControlOf is the engine's end of a client's conversation.
func ControlOf(c *Client) *Control { return &Control{c.conversation} }
