// Package memnet has pipes and network connections inside this program. Clients and a
// server see TCP on loopback. In a bubble of testing/synctest a real socket would stop
// time; these connections do not.
package memnet

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// buffered is how many bytes one direction of a connection holds before a writer waits:
// about as many as the buffers of two sockets.
const buffered = 256 << 10

// waiting is how many connections may wait to be accepted, as on Linux.
const waiting = 4096

// A Dial connects to an address, as the DialContext method of net.Dialer does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// A Listener accepts the connections that its Dial method makes.
type Listener struct {
	at netip.AddrPort

	mu     sync.Mutex
	calls  chan *conn
	closed bool
	port   uint16 // the port of the latest client
}

// Listen listens at an address of loopback.
func Listen(at netip.AddrPort) *Listener {
	return &Listener{at: at, calls: make(chan *conn, waiting)}
}

// Accept waits for the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	c, ok := <-l.calls
	if !ok {
		return nil, l.trouble("accept", net.ErrClosed)
	}
	return c, nil
}

// Close refuses further connections, and closes those that wait to be accepted.
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	close(l.calls)
	for c := range l.calls {
		_ = c.Close() // pipes never fail to close
	}
	return nil
}

// Addr is the address of the listener.
func (l *Listener) Addr() net.Addr { return net.TCPAddrFromAddrPort(l.at) }

// Forwarded is the port that leads to a listener at the given port as well, as on a
// machine that forwards a port.
func Forwarded(port uint16) uint16 { return port + 1 }

// Dial returns a function that connects to the listener, and that leaves every other port
// to the function other. At the ports of the listener, no other address listens.
func (l *Listener) Dial(other Dial) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		switch {
		case err != nil || port != strconv.Itoa(int(l.at.Port())) && port != strconv.Itoa(int(Forwarded(l.at.Port()))):
			return other(ctx, network, address)
		case host != l.at.Addr().String() && host != "localhost":
			return nil, l.trouble("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED))
		}
		return l.dial(ctx)
	}
}

func (l *Listener) dial(ctx context.Context) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, l.trouble("dial", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.port++
	from := net.TCPAddrFromAddrPort(netip.AddrPortFrom(l.at.Addr(), 1024+l.port%60_000))
	asked, ask := NewPipe(buffered)
	answered, answer := NewPipe(buffered)
	if !l.closed {
		select {
		case l.calls <- &conn{in: asked, out: answer, local: l.Addr(), remote: from}:
			return &conn{in: answered, out: ask, local: from, remote: l.Addr()}, nil
		default: // too many wait
		}
	}
	return nil, l.trouble("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED))
}

func (l *Listener) trouble(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: l.Addr(), Err: err}
}

// A conn is one end of a connection.
type conn struct {
	in            Reader
	out           Writer
	local, remote net.Addr
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.remote }

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	return n, c.trouble("read", err)
}

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.out.Write(b)
	return n, c.trouble("write", err)
}

// trouble turns the error of a pipe into the error that a socket would give.
func (c *conn) trouble(op string, err error) error {
	switch {
	case err == nil || err == io.EOF: //nolint:errorlint // the pipe never wraps io.EOF
		return err
	case errors.Is(err, os.ErrClosed):
		err = net.ErrClosed
	case errors.Is(err, io.ErrClosedPipe):
		err = os.NewSyscallError(op, syscall.EPIPE)
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

// Close ends both directions.
func (c *conn) Close() error { return errors.Join(c.out.Close(), c.in.Close()) }

// CloseWrite tells the other end that nothing more will come.
func (c *conn) CloseWrite() error { return c.out.Close() }

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.in.Until(t)
	return nil
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.out.Until(t)
	return nil
}
