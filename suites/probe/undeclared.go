package probe

import (
	"context"
	"errors"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Undeclared is Opened as a client that knows no extensions: it declares none.
func (c *Client) Undeclared(ctx context.Context) (*Client, error) {
	return c.openedAs(ctx, c.declaring())
}

// openedAs is Opened as a client with other capabilities. Where only those keep it out,
// other rules say so.
func (c *Client) openedAs(ctx context.Context, capabilities Object) (*Client, error) {
	setup := c.setup
	setup.Capabilities = capabilities
	other, err := c.begin(ctx, setup)
	if err != nil {
		return nil, err
	}
	err = other.open(ctx)
	if failed := (*OpeningError)(nil); errors.As(err, &failed) {
		if _, usual := c.Opened(ctx); usual == nil {
			return nil, Undecide("no connection could be opened by a client with the capabilities " + JSON(capabilities) + ": " + err.Error())
		}
	}
	return other, err
}

// declaring are the capabilities of a client like this one that knows these
// extensions and no other.
func (c *Client) declaring(keys ...string) Object {
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

// A Guise is the kit as a client that declares other extensions than usual.
type Guise struct {
	*Client
	meta Object // for each request, where that says what its client can do
}

// Declaring is this client, knowing the extensions with these keys and no other.
// Where each request says what its client can do, that takes no connection of its
// own.
func (c *Client) Declaring(ctx context.Context, keys ...string) (Guise, error) {
	capabilities := c.declaring(keys...)
	if protocol.RequestMeta().At(c.setup.Revision) {
		return Guise{Client: c, meta: Object{protocol.MetaCapabilities: capabilities}}, nil
	}
	other, err := c.openedAs(ctx, capabilities)
	return Guise{Client: other}, err
}

// Call is that of the client, in the guise.
func (g Guise) Call(ctx context.Context, method string, params Object, options ...Option) (*Reply, error) {
	return g.Client.Call(ctx, method, g.Clothe(params), options...)
}

// Clothe puts what the guise declares beside the metadata that params have already.
func (g Guise) Clothe(params Object) Object {
	if g.meta == nil {
		return params
	}
	given, _ := params["_meta"].(Object)
	for key, value := range g.meta {
		given = given.With(key, value)
	}
	return params.With("_meta", given)
}
