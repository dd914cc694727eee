package probe

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Compose returns the bytes that a good client of this revision would send,
// with a fresh id, for a case to change.
func (c *Client) Compose(method string, params Object) string {
	return RequestText(c.nextID(), method, c.Params(params))
}

// Params are the params as a good client of this revision sends them: from
// 2026-07-28 on with the metadata of each request.
func (c *Client) Params(params Object) Object {
	meta := c.meta()
	if meta == nil {
		return params
	}
	if given, ok := params["_meta"].(Object); ok {
		for name, value := range given {
			meta[name] = value
		}
	}
	return params.With("_meta", meta)
}

// meta is the metadata that this revision demands in each request; nil where it
// demands none.
func (c *Client) meta() Object {
	if !protocol.RequestMeta().At(c.setup.Revision) {
		return nil
	}
	return Object{
		protocol.MetaVersion:      string(c.setup.Revision),
		protocol.MetaClientInfo:   c.setup.Kit,
		protocol.MetaCapabilities: c.Capabilities(),
	}
}

// Send writes one frame byte for byte. It adds, checks and repairs nothing;
// over HTTP the frame gets the headers that fit its bytes. Later frames show a
// server that takes nothing any more.
func (c *Client) Send(text string) { c.only(text, c.post) }

// Notify sends a well-formed notification.
func (c *Client) Notify(method string, params Object) {
	c.only(NotificationText(method, params), c.postWell)
}

// only sends and waits for nothing.
func (c *Client) only(text string, send func(context.Context, string, sending) (int, error)) {
	if _, err := send(c.live(), text, sending{}); err != nil {
		c.live()
	}
}

// Ask sends one frame byte for byte and waits for the reaction: the answer to
// its id, an answer without a readable id, the end of its HTTP exchange or of
// the connection.
func (c *Client) Ask(text string, options ...Option) *Reply {
	return c.ask(text, c.sending(c.setup.Waits.Event, options), false)
}

// Call sends a well-formed request and waits for its answer. Silence and a
// crash are answers too.
func (c *Client) Call(method string, params Object, options ...Option) *Reply {
	return c.Start(method, params, options...).Reply()
}

// First sends the request that begins a conversation of the era, and adopts the
// agreement of the answer. Under an id that the case chooses, the id 1 stays
// unused: a server may take it for "1".
func (c *Client) First(options ...Option) *Reply {
	options = append([]Option{WithID(c.nextID())}, options...)
	method := protocol.Opening().At(c.setup.Revision)
	if method != "initialize" {
		return c.Call(method, nil, options...)
	}
	reply := c.Call(method, c.InitializeParams(c.setup.Revision), options...)
	c.Adopt(reply)
	return reply
}

func (c *Client) ask(text string, how sending, well bool) *Reply {
	return c.start(text, how, well).Reply()
}

// Barrier sends a request that every server answers: its answer proves that the
// server dealt with the frames sent before.
func (c *Client) Barrier() *Reply {
	var options []Option
	if c.setup.Memory.leavesBarriers() {
		options = append(options, Within(c.setup.Waits.Event))
	}
	reply := c.Call(protocol.Harmless().At(c.setup.Revision), nil, options...)
	c.setup.Memory.countBarrier(reply.Answered())
	c.mute.Store(!reply.Answered())
	return reply
}
