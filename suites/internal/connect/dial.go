package connect

import (
	"context"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/record"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Dialer makes connections along one way, with the same limits and the same
// hidden secrets. Several goroutines may use it.
type Dialer struct {
	Way
	options wire.Options
	starts  gate // limits the processes that start at once
}

// New is a dialer along a way. It limits frames to most bytes.
func New(along Way, most int, redact func(string) string) *Dialer {
	options := wire.Options{Limits: wire.Limits{Frame: most}, Redact: redact, Outlived: new(target.Outlived), Pace: along.Pace}
	return &Dialer{Way: along, options: options, starts: newGate()}
}

// Dial makes a connection. Over HTTP it uses the shared TCP connections, or has
// its own.
func (d *Dialer) Dial(ctx context.Context, shared bool) (probe.Conn, error) {
	return d.Record.Conn(string(d.Transport), func() (record.Conn, error) {
		if d.Replay != nil {
			return d.replay(ctx, string(d.Transport), wire.HTTPTarget{URL: d.URL, Header: d.Headers}, d.options)
		}
		return d.dial(ctx, shared)
	})
}

// replay gives a connection to the recorded server.
func (d *Dialer) replay(ctx context.Context, way string, at wire.HTTPTarget, options wire.Options) (record.Conn, error) {
	look := record.Look{Hide: options.Redact, Opening: wire.Opening, Picture: func(out frame.Outgoing) (frame.Frame, error) {
		return frame.New(frame.Sent, frame.KindMessage, []byte(out.Text)), nil
	}}
	if d.Transport != requirements.Stdio || way == documents {
		like, err := wire.DialHTTP(ctx, at, options)
		if err != nil {
			return nil, err
		}
		look.Picture = like.Picture
	}
	return d.Replay.Dial(way, look), nil
}

func (d *Dialer) dial(ctx context.Context, shared bool) (record.Conn, error) {
	at := wire.HTTPTarget{URL: d.URL, Header: d.Headers, Like: d.Pool}
	if shared {
		at.Pool = d.Pool
	}
	switch d.Transport {
	case requirements.HTTP:
		return wire.DialHTTP(ctx, at, d.options)
	case requirements.SSE:
		return wire.DialSSE(ctx, at, d.options)
	case requirements.Stdio:
	}
	started, err := d.starts.enter(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := wire.DialStdio(ctx, d.Launcher, d.options)
	if err != nil {
		started()
		return nil, err
	}
	return newStarting(conn, started), nil
}

// Announces reports whether a GET of the URL opens an event stream that names
// the URI for messages, as HTTP+SSE does. It waits at most as long as given.
func (d *Dialer) Announces(ctx context.Context, within time.Duration) bool {
	if d.Replay != nil {
		return d.Replay.Has(string(requirements.SSE))
	}
	conn, err := wire.DialSSE(ctx, wire.HTTPTarget{URL: d.URL, Header: d.Headers, Pool: d.Pool}, d.options)
	if err != nil {
		return false
	}
	waiting, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	opened := conn.Open(waiting, nil) == nil
	closing, cancel := Closing(ctx)
	defer cancel()
	return conn.Close(closing) == nil && opened
}

// cutShortWait is how long the end of a conversation may take after the run is cut short.
const cutShortWait = 300 * time.Millisecond

// Closing returns a context for the end of a conversation. It has no limit
// until the run is cut short, and then ends after a moment.
func Closing(ctx context.Context) (context.Context, context.CancelFunc) {
	closing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(cutShortWait, cancel) })
	return closing, func() { stop(); cancel() }
}
