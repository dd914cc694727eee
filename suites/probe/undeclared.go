package probe

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Undeclared is Opened as a client that knows no extensions: it declares none.
func (c *Client) Undeclared(ctx context.Context) (*Client, error) {
	setup := c.setup
	setup.Capabilities = c.declaring()
	other, err := c.begin(ctx, setup)
	if err != nil {
		return nil, err
	}
	return other, other.open(ctx)
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
	setup := c.setup
	setup.Capabilities = capabilities
	other, err := c.begin(ctx, setup)
	if err != nil {
		return Guise{}, err
	}
	return Guise{Client: other}, other.open(ctx)
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
