// Package wire carries frames over stdio, HTTP and HTTP+SSE and keeps every byte. It
// adds nothing to what it sends, repairs nothing in what it receives and holds
// a bounded part of both.
package wire

import (
	"errors"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/target"
)

// ErrClosed is wrapped by the error of a Send after Close or CloseInput.
var ErrClosed = errors.New("connection is closed")

// Options are the same for all transports. The zero value is useful.
type Options struct {
	Limits Limits
	// Redact hides credentials in the text of frames for people.
	Redact func(string) string
	// Grace is how long a process may take to end before a stronger means: closing
	// its stdin comes first, then a signal, then killing.
	Grace time.Duration
	// Outlived counts the processes of a server that took longer; nil: nobody does.
	Outlived *target.Outlived
	// Pace is that of all requests to the target; nil: as fast as it goes.
	Pace *Pace
}

// Limits limit the data that a connection holds. Zero fields mean the defaults.
type Limits struct {
	Frame  int   // bytes kept of one frame: 16 MiB
	Unread int64 // memory of unread frames before the server has to wait: 1 MiB
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
