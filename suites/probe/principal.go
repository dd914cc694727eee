package probe

import (
	"context"
	"errors"
	"net/http"

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
	setup.Dial = func(ctx context.Context) (Link, error) {
		link, err := c.setup.Dial(ctx)
		if err == nil {
			link.Conn = identified{link.Conn, header}
		}
		return link, err
	}
	other := c.begin(setup)
	err := c.Try(other.open)
	if o := (*OpeningError)(nil); errors.As(err, &o) {
		c.Undecide("the server does not let principals." + principal + " in: " + o.Reply.Outcome())
	}
	c.must(err)
	return other
}

func (c *caller) unidentified(principal string) {
	c.Undecide("principals." + principal + " has neither headers nor a token")
}

// identified adds the credentials of one principal to every frame sent. Headers
// that the case sets win.
type identified struct {
	Conn
	header http.Header
}

func (i identified) Send(ctx context.Context, out Outgoing) (int, error) {
	header := i.header.Clone()
	for name, values := range out.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	out.Header = header
	return i.Conn.Send(ctx, out)
}
