package probe

import "context"

// AskPatiently is Ask that waits as long as for the answer to a good request.
// It is for frames that have to be answered, above all for the first one on a
// connection, which also waits for the server to start.
func (c *Client) AskPatiently(ctx context.Context, text string) (*Reply, error) {
	return c.ask(ctx, text, nil, c.setup.Waits.Answer, false)
}

// Handshake is Initialize with the case's own params. It takes over whatever
// is agreed on, so that a session begun by it is ended too.
func (c *Client) Handshake(ctx context.Context, params Object) (*Reply, error) {
	reply, err := c.AskPatiently(ctx, Request(c.nextID(), "initialize", params))
	if err != nil {
		return nil, err
	}
	c.Adopt(reply)
	return reply, nil
}
