package probe

import (
	"errors"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Undeclared is Opened as a client that declares no extensions.
func (c *Client) Undeclared() *Client { return c.openedAs(c.declaring()) }

// openedAs is Opened as a client with other capabilities. It ends the case
// undecided where the server refuses such a client: other cases judge that.
func (c *Client) openedAs(capabilities Object) *Client {
	setup := c.setup
	setup.Capabilities = capabilities
	other := c.begin(setup)
	err := c.Try(other.open)
	if _, failed := errors.AsType[*OpeningError](err); failed {
		if usual := c.Try(func() { c.Opened() }); usual == nil {
			c.Undecide("no connection could be opened by a client with the capabilities " + JSON(capabilities) + ": " + err.Error())
		}
	}
	c.Must(err)
	return other
}

// Declaring is this client with exactly the extensions with these keys.
func (c *Client) Declaring(keys ...string) *Client { return c.With(c.declaring(keys...)) }

// With is this client with other capabilities. It needs no connection of its
// own where each request carries the capabilities.
func (c *Client) With(capabilities Object) *Client {
	if !protocol.RequestMeta().At(c.setup.Revision) {
		return c.openedAs(capabilities)
	}
	return newClient(c.conversation, c.scope, capabilities)
}
