// Package wire carries frames over stdio, HTTP and HTTP+SSE and keeps every byte. It
// adds nothing to what it sends, repairs nothing in what it receives and holds
// a bounded part of both.
package wire

import (
	"context"
	"errors"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// The names that Transport returns.
const (
	Stdio = "stdio"
	HTTP  = "http"
	SSE   = "sse"
)

// ErrClosed is wrapped by the error of a Send after Close or CloseInput.
var ErrClosed = errors.New("connection is closed")

// A Conn is one connection to the server under test. Its methods may be called
// by several goroutines; each frame is handed out by Next once.
type Conn interface {
	// Send sends one frame as it is. Over stdio it returns once the frame is
	// written; over HTTP it starts an exchange, which then lives until it is
	// over, aborted, or the connection is closed, whatever becomes of ctx. Over
	// HTTP+SSE it waits until the server has taken the frame, for a moment.
	Send(ctx context.Context, out frame.Outgoing) (exchange int, err error)
	// Next returns every frame, sent ones too, in order. After the end of the
	// connection and its last frame it returns io.EOF.
	Next(ctx context.Context) (frame.Frame, error)
	// Abort ends an exchange over HTTP. Over stdio it does nothing.
	Abort(exchange int)
	// CloseInput closes the stdin of the server. Over HTTP it does nothing.
	CloseInput() error
	// Terminate asks the server to end. Over HTTP it does nothing.
	Terminate() error
	// Close ends everything the connection began and waits for it. Frames that
	// are not read yet stay readable.
	Close(ctx context.Context) error
	// Transport returns Stdio, HTTP or SSE.
	Transport() string
}

// Options are the same for all transports. The zero value is useful.
type Options struct {
	Limits Limits
	// Redact hides credentials in the text of frames for people.
	Redact func(string) string
	// Grace is how long a process may take to end before a stronger means is
	// used: first its stdin is closed, then it is asked, then it is killed.
	Grace time.Duration
}

// Limits bound what a connection holds. Zero fields stand for the defaults.
type Limits struct {
	Frame  int   // bytes kept of one frame: 16 MiB
	Unread int64 // memory of frames that wait for Next before the server has to: 1 MiB
	Header int64 // bytes of the header of an HTTP response: 1 MiB
	Stderr int   // bytes kept of the end of stderr: 64 KiB, and never more
}

func (o Options) filled() Options {
	o.Limits = o.Limits.filled()
	if o.Grace <= 0 {
		o.Grace = time.Second
	}
	return o
}

func (l Limits) filled() Limits {
	if l.Frame <= 0 {
		l.Frame = 16 << 20
	}
	if l.Unread <= 0 {
		l.Unread = 1 << 20
	}
	if l.Header <= 0 {
		l.Header = 1 << 20
	}
	if l.Stderr <= 0 {
		l.Stderr = 64 << 10
	}
	return l
}
