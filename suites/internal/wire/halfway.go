package wire

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"
)

// A Dialing connects to an address, as the DialContext method of net.Dialer does.
type Dialing = func(ctx context.Context, network, address string) (net.Conn, error)

// halfway makes connections on which the answer decides about a request that could not be
// written to its end: a server may answer the beginning, close, and leave the rest unread.
// net/http would drop such an answer, or not, by chance.
func halfway(connect Dialing) Dialing {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := connect(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &halfwayConn{Conn: conn}, nil
	}
}

type halfwayConn struct {
	net.Conn

	begun atomic.Bool // something of the request was written
}

// begins tells a connection that a new request begins.
func begins(conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if own, ok := conn.(*halfwayConn); ok {
		own.begun.Store(false)
	}
}

// Write hides an error behind the beginning of a request: the next Read returns the answer
// or an error of its own. The error of the first write is no answer to anything, and tells
// that the request may be sent on another connection.
func (c *halfwayConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if n > 0 {
		c.begun.Store(true)
	}
	if err != nil && c.begun.Load() {
		return len(b), nil
	}
	return n, err
}
