package probe

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
)

// A line is the connection to the server, which may be made at its first use.
type line struct {
	reaching  bubblelock.Mutex // held while the connection is made
	conn      Conn
	dial      func(context.Context) (Conn, error) // nil once the connection is made or has failed
	unreached error
}

// reach makes the connection where it is still missing. It keeps the error of a
// failed dial and returns it again.
func (l *line) reach(ctx context.Context) error {
	l.reaching.Lock()
	defer l.reaching.Unlock()
	if l.dial != nil {
		l.conn, l.unreached = l.dial(ctx)
		l.dial = nil
	}
	return l.unreached
}

// reached is the connection; nil before it is made.
func (l *line) reached() Conn {
	l.reaching.Lock()
	defer l.reaching.Unlock()
	return l.conn
}

// ConnectLater is Connect with a connection that dial makes at the first send
// or await. A case that only needs known results then starts no server process.
func ConnectLater(setup Setup, dial func(context.Context) (Link, error)) *Control {
	c := unconnected(setup)
	c.dial = func(ctx context.Context) (Conn, error) {
		link, err := dial(ctx)
		if err != nil {
			c.finish()
			return nil, err
		}
		c.listen(context.WithoutCancel(ctx), link)
		return link.Conn, nil
	}
	return &Control{c}
}

// Unreached is the error of dial; nil where dial succeeded or nobody used the
// connection.
func (k *Control) Unreached() error {
	k.reaching.Lock()
	defer k.reaching.Unlock()
	return k.unreached
}

// CloseInput closes the server's standard input; over HTTP it does nothing.
func (c *caller) CloseInput() {
	c.Must(c.reach(c.live()))
	c.Must(c.conn.CloseInput())
}

// Terminate asks the server's process to end; over HTTP it does nothing.
func (c *caller) Terminate() {
	c.Must(c.reach(c.live()))
	c.Must(c.conn.Terminate())
}
