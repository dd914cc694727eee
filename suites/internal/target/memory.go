package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/internal/memnet"
)

// pipeRoom is how much a pipe holds before a writer waits, as on Linux. A
// server in memory must wait no sooner than a process, or it deadlocks where a
// process does not.
const pipeRoom = 64 << 10

// Memory is an in-process stand-in for a server over stdio. Serve gets the
// three streams and returns its exit code; term is closed instead of SIGTERM,
// ctx ends instead of SIGKILL. A panic is a crash with code 2.
type Memory struct {
	Serve func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int
}

var _ Launcher = Memory{}

// Launch starts Serve in a goroutine that the Process owns. After a kill, it
// counts as gone at its next use of a stream, since nothing can end a goroutine
// from outside.
func (m Memory) Launch(ctx context.Context) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start the server in memory: %w", err)
	}
	if m.Serve == nil {
		return nil, errors.New("start the server in memory: there is none")
	}
	in, stdin := memnet.NewPipe(pipeRoom)
	stdout, out := memnet.NewPipe(pipeRoom)
	term, killed := make(chan struct{}), make(chan struct{})
	// The server outlives the context of its start.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	p := &Process{
		Stdin:  stdin,
		Stdout: stdout,
		name:   "the server in memory",
		stderr: newTail(stderrLimit),
		exited: make(chan struct{}),
		done:   make(chan struct{}),
		terminate: sync.OnceValue(func() error {
			close(term)
			return nil
		}),
		kill: sync.OnceValue(func() error {
			close(killed)
			end()
			return errors.Join(in.Close(), stdin.Close(), out.Close())
		}),
	}
	go func() {
		defer close(p.done)
		defer end()
		code := m.run(life, term, in, out, p.stderr)
		select {
		case <-killed:
			p.code, p.signal = -1, "SIGKILL"
		default:
			p.code = code
		}
		_, _ = in.Close(), out.Close() // pipes never fail to close
		close(p.exited)
	}()
	return p, nil
}

func (m Memory) run(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) (code int) {
	defer func() {
		if cause := recover(); cause != nil {
			// The tail never fails to write.
			_, _ = fmt.Fprintf(errw, "panic: %v\n%s", cause, debug.Stack())
			code = 2
		}
	}()
	return m.Serve(ctx, term, in, out, errw)
}
