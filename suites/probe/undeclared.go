package probe

import (
	"errors"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Undeclared is Opened as a client that knows no extensions: it declares none.
func (c *Client) Undeclared() *Client { return c.openedAs(c.declaring()) }

// openedAs is Opened as a client with other capabilities. Where only those keep it out,
// other rules say so.
func (c *Client) openedAs(capabilities Object) *Client {
	setup := c.setup
	setup.Capabilities = capabilities
	other := c.begin(setup)
	err := c.Try(other.open)
	if failed := (*OpeningError)(nil); errors.As(err, &failed) {
		if usual := c.Try(func() { c.Opened() }); usual == nil {
			c.Undecide("no connection could be opened by a client with the capabilities " + JSON(capabilities) + ": " + err.Error())
		}
	}
	c.must(err)
	return other
}

// declaring are the capabilities of a client like this one that knows these
// extensions and no other.
func (c *conversation) declaring(keys ...string) Object {
	capabilities := c.setup.Capabilities.Without("extensions").Without("experimental")
	if len(keys) == 0 {
		return capabilities
	}
	extensions := Object{}
	for _, key := range keys {
		extensions[key] = Object{}
	}
	return capabilities.With("extensions", extensions)
}

// Declaring is this client, knowing the extensions with these keys and no other.
func (c *Client) Declaring(keys ...string) *Client { return c.With(c.declaring(keys...)) }

// With is this client with other capabilities. Where each request says what its client
// can do, that takes no connection of its own.
func (c *Client) With(capabilities Object) *Client {
	if !protocol.RequestMeta().At(c.setup.Revision) {
		return c.openedAs(capabilities)
	}
	return &Client{conversation: c.conversation, scope: c.scope, declares: capabilities}
}

// Capabilities are what this client declares of itself.
func (c *Client) Capabilities() Object { return c.capabilities() }

func (c *Client) capabilities() Object {
	if c.declares != nil {
		return c.declares
	}
	return c.setup.Capabilities
}
