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

func unconnected(setup Setup) *conversation {
	return &conversation{
		column: column{setup: setup}, ledger: newLedger(), changed: make(chan struct{}), once: map[string]any{},
	}
}

func (c *conversation) listen(ctx context.Context, link Link) {
	ctx, stop := context.WithCancel(ctx)
	c.mu.Lock()
	c.conn, c.watch, c.stop = link.Conn, link.Watch, stop
	most := c.setup.most()
	c.mu.Unlock()
	c.pumped.Go(func() { c.pump(ctx, most) })
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
