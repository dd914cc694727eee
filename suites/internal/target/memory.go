package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
)

// Memory is an in-process stand-in for a server over stdio. Serve gets the
// three streams and returns its exit code; term is closed when it should end
// as on SIGTERM, ctx ends when it is killed. A panic is a crash with code 2.
type Memory struct {
	Serve func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int
}

var _ Launcher = Memory{}

// Launch starts Serve in a goroutine that the Process owns. Once killed, it
// counts as gone at its next use of a stream, since no goroutine can be ended
// from outside.
func (m Memory) Launch(ctx context.Context) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start the server in memory: %w", err)
	}
	if m.Serve == nil {
		return nil, errors.New("start the server in memory: there is none")
	}
	in, out := newPipe(), newPipe()
	term, killed := make(chan struct{}), make(chan struct{})
	// The server lives on when the context of its start has ended.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	p := &Process{
		Stdin:  writeEnd{in},
		Stdout: readEnd{out},
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
			in.close(&in.noRead)
			in.close(&in.noWrite)
			out.close(&out.noWrite)
			return nil
		}),
	}
	go func() {
		defer close(p.done)
		defer end()
		code := m.run(life, term, readEnd{in}, writeEnd{out}, p.stderr)
		select {
		case <-killed:
			p.code, p.signal = -1, "SIGKILL"
		default:
			p.code = code
		}
		in.close(&in.noRead)
		out.close(&out.noWrite)
		close(p.exited)
	}()
	return p, nil
}

func (m Memory) run(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) (code int) {
	defer func() {
		if cause := recover(); cause != nil {
			// The tail never fails to take it.
			_, _ = fmt.Fprintf(errw, "panic: %v\n%s", cause, debug.Stack())
			code = 2
		}
	}()
	return m.Serve(ctx, term, in, out, errw)
}
