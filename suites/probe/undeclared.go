package probe

import "context"

// Undeclared is Opened as a client that knows no extensions: it declares none.
func (c *Client) Undeclared(ctx context.Context) (*Client, error) {
	setup := c.setup
	setup.Capabilities = setup.Capabilities.Without("extensions").Without("experimental")
	other, err := c.begin(ctx, setup)
	if err != nil {
		return nil, err
	}
	return other, other.open(ctx)
}
