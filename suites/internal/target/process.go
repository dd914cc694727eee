// Package target starts, reaches and stops the server under test. It trusts
// nothing the server does: a server that hangs, floods, forks or ignores
// signals neither blocks a caller nor outlives Stop.
package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	// linger is how long children that a server left behind may still write.
	linger = 500 * time.Millisecond
	// reap is how long a killed process may take to end, where nobody is in a hurry: the system
	// of a busy machine was seen to need more than five seconds. For a server in memory, which
	// nothing can end, the usual time is enough.
	reap      = 20 * time.Second
	usualReap = 5 * time.Second
)

// A Launcher starts a server that speaks over stdin and stdout. The context
// limits the start; the server lives until it is stopped.
type Launcher interface {
	Launch(ctx context.Context) (*Process, error)
}

// A Process is a running server, or the in-process stand-in for one. Its
// launcher calls Stop, and reads Stdout to its end or closes it.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	name      string
	pid       int
	stderr    *tail
	exited    chan struct{} // closed after code and signal are written
	done      chan struct{}
	code      int
	signal    string
	terminate func() error
	kill      func() error
}

// PID returns the id of the process, 0 for a stand-in.
func (p *Process) PID() int { return p.pid }

// Stderr returns the last part of stderr so far.
func (p *Process) Stderr() string { return p.stderr.String() }

// Exited is closed when the server itself has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Done is closed when the server has ended, its group is gone and Stderr is
// complete. Stdout then ends after the remaining bytes.
func (p *Process) Done() <-chan struct{} { return p.done }

// ExitCode returns the exit code, -1 before the exit and after a signal.
func (p *Process) ExitCode() int {
	select {
	case <-p.exited:
		return p.code
	default:
		return -1
	}
}

// Signal returns the name of the signal that ended the server, or "".
func (p *Process) Signal() string {
	select {
	case <-p.exited:
		return p.signal
	default:
		return ""
	}
}

// Terminate asks the server and its group to end.
func (p *Process) Terminate() error { return p.terminate() }

// Kill ends the server and its group without asking.
func (p *Process) Kill() error { return p.kill() }

// Outlived counts the processes of a server that were still there when their grace was over: after
// the end of stdin, and after the signal. Several goroutines may use it. Nil counts nothing.
type Outlived struct{ input, signal atomic.Int32 }

// graces are how long the next process is waited for. Once a few were still there, the others get
// a moment only.
func (o *Outlived) graces(grace time.Duration) (input, signal time.Duration) {
	const few, moment = 3, 200 * time.Millisecond
	input, signal = grace, grace
	if o != nil && o.input.Load() >= few {
		input = min(grace, moment)
	}
	if o != nil && o.signal.Load() >= few {
		signal = min(grace, moment)
	}
	return input, signal
}

// Stop closes stdin, gives the server grace to end, sends it a signal, gives it
// grace again and then kills it with its whole group. The end of ctx shortens
// the waits, not the killing. The error names what is left.
func (p *Process) Stop(ctx context.Context, grace time.Duration, o *Outlived) error {
	input, signal := o.graces(grace)
	// An error here means that the server closed it first.
	_ = p.Stdin.Close()
	if p.await(ctx, input) {
		return nil
	}
	if o != nil && ctx.Err() == nil {
		o.input.Add(1)
	}
	errTerm := p.Terminate()
	if p.await(ctx, signal) {
		return nil
	}
	if o != nil && ctx.Err() == nil {
		o.signal.Add(1)
	}
	errKill := p.Kill()
	limit := reap
	if ctx.Err() != nil || p.pid == 0 {
		limit = usualReap
	}
	if p.await(context.WithoutCancel(ctx), limit) {
		return nil
	}
	return fmt.Errorf("stop %s: still there after it was killed: %w", p.name,
		errors.Join(errTerm, errKill, context.DeadlineExceeded))
}

// await reports whether the process was done in time.
func (p *Process) await(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
