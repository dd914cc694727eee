package probe

import (
	"context"
)

// ConnectLater is Connect with a connection that dial makes at the first send
// or await. A case that only needs known results then starts no server process.
func ConnectLater(setup Setup, dial func(context.Context) (Link, error)) *Control {
	c := unconnected(setup)
	c.dial = dial
	return &Control{c}
}

// Unreached is the error of dial; nil where dial succeeded or nobody used the
// connection.
func (k *Control) Unreached() error {
	c := k.conversation
	c.reaching.Lock()
	defer c.reaching.Unlock()
	return c.unreached
}

// reach makes the connection where it is still missing. It keeps the error of a
// failed dial and returns it again.
func (c *conversation) reach(ctx context.Context) error {
	c.reaching.Lock()
	defer c.reaching.Unlock()
	if c.dial == nil {
		return c.unreached
	}
	link, err := c.dial(ctx)
	c.dial = nil
	if err != nil {
		c.unreached = err
		c.finish()
		return err
	}
	c.listen(context.WithoutCancel(ctx), link)
	return nil
}

// reached is the connection; nil before it is made.
func (c *conversation) reached() Conn {
	c.reaching.Lock()
	defer c.reaching.Unlock()
	return c.conn
}

// CloseInput closes the server's standard input; over HTTP it does nothing.
func (c *Client) CloseInput() {
	c.must(c.reach(c.live()))
	c.must(c.conn.CloseInput())
}

// Terminate asks the server's process to end; over HTTP it does nothing.
func (c *Client) Terminate() {
	c.must(c.reach(c.live()))
	c.must(c.conn.Terminate())
}
