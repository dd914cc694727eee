package probe

import (
	"errors"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// As is Opened with the credentials of another principal on every request. It
// is for HTTP: over stdio an identity belongs to the process.
func (c *Client) As(principal string) *Client {
	header, ok := c.identity(principal)
	if !ok || c.setup.Transport != requirements.HTTP {
		c.unidentified(principal)
	}
	setup := c.setup
	setup.shown = header
	other := c.begin(setup)
	err := c.Try(other.open)
	if o, failed := errors.AsType[*OpeningError](err); failed {
		c.Undecide("the server does not let principals." + principal + " in: " + o.Reply.Outcome())
	}
	c.Must(err)
	return other
}

func (c *caller) unidentified(principal string) {
	c.Undecide("principals." + principal + " has neither headers nor a token")
}
