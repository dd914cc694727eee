package probe

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A caller asks the server, and waits for what the server makes of it.
type caller struct {
	listener
	composer
	environment
}

// Send writes one frame byte for byte. It adds, checks and repairs nothing;
// over HTTP the frame gets the headers that fit its bytes. Later frames show a
// server that takes nothing any more.
func (c *caller) Send(text string) { c.only(text, c.post) }

// Notify sends a well-formed notification.
func (c *caller) Notify(method string, params Object) {
	c.only(NotificationText(method, params), c.postWell)
}

// only sends and waits for nothing.
func (c *caller) only(text string, send func(context.Context, string, sending) (int, error)) {
	if _, err := send(c.live(), text, sending{}); err != nil {
		c.live()
	}
}

// Ask sends one frame byte for byte and waits for the reaction: the answer to
// its id, an answer without a readable id, the end of its HTTP exchange or of
// the connection.
func (c *caller) Ask(text string, options ...Option) *Reply {
	return c.ask(text, c.sending(c.setup.Waits.Event, options), false)
}

// Call sends a well-formed request and waits for its answer. Silence and a
// crash are answers too.
func (c *caller) Call(method string, params Object, options ...Option) *Reply {
	return c.Start(method, params, options...).Reply()
}

// First sends the request that begins a conversation of the era, and adopts the
// agreement of the answer. Under an id that the case chooses, the id 1 stays
// unused: a server may take it for "1".
func (c *opener) First(options ...Option) *Reply {
	options = append([]Option{WithID(c.nextID())}, options...)
	method := protocol.Opening().At(c.setup.Revision)
	if method != "initialize" {
		return c.Call(method, nil, options...)
	}
	reply := c.Call(method, c.InitializeParams(c.setup.Revision), options...)
	c.Adopt(reply)
	return reply
}

func (c *caller) ask(text string, how sending, well bool) *Reply {
	return c.start(text, how, well).Reply()
}

// Barrier sends a request that every server answers: its answer proves that the
// server dealt with the frames sent before.
func (c *caller) Barrier() *Reply {
	var options []Option
	if c.setup.Memory.leavesBarriers() {
		options = append(options, Within(c.setup.Waits.Event))
	}
	reply := c.Call(protocol.Harmless().At(c.setup.Revision), nil, options...)
	c.setup.Memory.countBarrier(reply.Answered())
	c.mute.Store(!reply.Answered())
	return reply
}
