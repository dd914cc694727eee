package connect

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// A gate limits how many servers start at the same time. The start is the most
// expensive part of most servers: a hundred at once would all answer too late,
// and the kit would blame them for its own crowd.
type gate chan struct{}

func newGate() gate { return make(gate, max(4, 2*runtime.NumCPU())) }

// A server with an open request counts as starting until its first message, but
// not for ever: a case may want it to be silent, or want another server beside
// it. A server without a request, such as one kept ready without a handshake,
// soon gives its place to others.
const (
	patience = 3 * time.Second
	unspoken = 100 * time.Millisecond
)

// enter waits for a place. The caller may call release more than once.
func (g gate) enter(ctx context.Context) (release func(), err error) {
	select {
	case g <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return sync.OnceFunc(func() { <-g }), nil
}

// starting is a connection whose server has not said anything yet.
type starting struct {
	record.Conn
	started func()
	idle    *time.Timer
}

func newStarting(c record.Conn, started func()) starting {
	return starting{c, started, time.AfterFunc(unspoken, started)}
}

func (s starting) Send(ctx context.Context, out frame.Outgoing) (int, error) {
	if s.idle.Stop() {
		time.AfterFunc(patience, s.started)
	}
	return s.Conn.Send(ctx, out)
}

func (s starting) Next(ctx context.Context) (frame.Frame, error) {
	f, err := s.Conn.Next(ctx)
	if err != nil || f.Dir == frame.Received {
		s.started()
	}
	return f, err
}

func (s starting) Close(ctx context.Context) error {
	s.started()
	return s.Conn.Close(ctx)
}
