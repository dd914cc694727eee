package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
)

// A StdioConn is a connection over the stdin and stdout of a process.
type StdioConn struct {
	process *target.Process
	options Options
	queue   *queue

	writes  chan write
	input   sync.Once
	noInput chan struct{} // closed after stdin
	over    chan struct{} // closed when nobody writes or waits any longer
	closing sync.Once
	closed  error
	workers sync.WaitGroup
}

// A write is one Send on its way to the writer.
type write struct {
	frame frame.Frame
	bytes []byte
	cut   int        // as in Outgoing
	done  chan error // has room for the only answer
}

// DialStdio starts the server and connects to it. The context limits the start;
// the connection lives until Close.
func DialStdio(ctx context.Context, launcher target.Launcher, options Options) (*StdioConn, error) {
	options = options.filled()
	queue := newQueue(options)
	process, err := launcher.Launch(ctx)
	if err != nil {
		return nil, err
	}
	c := &StdioConn{
		process: process,
		options: options,
		queue:   queue,
		writes:  make(chan write),
		noInput: make(chan struct{}),
		over:    make(chan struct{}),
	}
	c.workers.Go(c.write)
	c.workers.Go(c.read)
	return c, nil
}

// Began is from when the times of frames count.
func (c *StdioConn) Began() time.Time { return c.queue.began }

// Send writes the text and a newline in one write, or in two where it is cut. When ctx
// ends first, the bytes written so far remain, and later frames wait behind the rest.
func (c *StdioConn) Send(ctx context.Context, out frame.Outgoing) (int, error) {
	line := append(make([]byte, 0, len(out.Text)+1), out.Text...)
	w := write{
		frame: frame.New(frame.Sent, frame.KindMessage, slices.Clip(line)),
		bytes: line,
		cut:   out.Cut,
		done:  make(chan error, 1),
	}
	if !out.Unterminated {
		w.bytes = append(w.bytes, '\n')
	}
	ctx, cancel := c.options.Pace.waitWithin(ctx, c.queue.closing)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("write to stdin: %w", err)
	}
	select {
	case <-c.noInput:
		return 0, fmt.Errorf("write to stdin: %w", ErrClosed)
	default:
	}
	select {
	case c.writes <- w:
	case <-c.noInput:
		return 0, fmt.Errorf("write to stdin: %w", ErrClosed)
	case <-ctx.Done():
		return 0, fmt.Errorf("write to stdin: the server does not read it: %w", ctx.Err())
	}
	select {
	case err := <-w.done:
		return 0, err
	case <-ctx.Done():
		return 0, fmt.Errorf("write to stdin: the server does not read it: %w", ctx.Err())
	}
}

// Next returns the next frame.
func (c *StdioConn) Next(ctx context.Context) (frame.Frame, error) { return c.queue.next(ctx) }

// Abort does nothing: written bytes cannot be recalled.
func (c *StdioConn) Abort(int) {}

// CloseInput closes stdin. A Send that is still waiting fails.
func (c *StdioConn) CloseInput() error {
	var err error
	c.input.Do(func() {
		close(c.noInput)
		err = c.process.Stdin.Close()
	})
	return err
}

// Terminate sends SIGTERM to the server and its group.
func (c *StdioConn) Terminate() error { return c.process.Terminate() }

// Close stops the server and all its children and waits for them. The end of
// ctx makes it faster, but does not stop it.
func (c *StdioConn) Close(ctx context.Context) error {
	c.closing.Do(func() {
		close(c.queue.closing)
		// The server may have closed its end; Stop reports any real problem.
		_ = c.CloseInput()
		c.closed = c.process.Stop(ctx, c.options.Grace, c.options.Outlived)
		close(c.over)
		if c.closed != nil {
			// A process still holds stdout; the reader must not wait for it.
			c.closed = errors.Join(c.closed, c.process.Stdout.Close())
		}
		c.workers.Wait()
	})
	return c.closed
}

// write is the only writer to stdin. It records a frame before its bytes go
// out, so that no answer comes before its request.
func (c *StdioConn) write() {
	for {
		select {
		case w := <-c.writes:
			c.queue.sent(w.frame)
			err := c.put(w)
			if path, ok := errors.AsType[*fs.PathError](err); ok {
				err = path.Err // the name of a pipe tells nothing
			}
			if err != nil {
				err = fmt.Errorf("write to stdin: %w", err)
			}
			w.done <- err
		case <-c.noInput:
			return
		case <-c.over:
			return
		}
	}
}

// cutPause is the pause between two pieces of a frame: a server that reads at once
// gets them separately, also on a busy machine.
const cutPause = 50 * time.Millisecond

func (c *StdioConn) put(w write) error {
	if w.cut > 0 {
		if _, err := c.process.Stdin.Write(w.bytes[:w.cut]); err != nil {
			return err
		}
		select {
		case <-time.After(cutPause):
		case <-c.over:
		}
	}
	_, err := c.process.Stdin.Write(w.bytes[w.cut:])
	return err
}

// read is the only reader of stdout, and reports how stdout ended.
func (c *StdioConn) read() {
	lines := newLineReader(c.process.Stdout, c.options.Limits.Frame)
	defer lines.free()
	line, size, err := lines.next()
	for ; err == nil; line, size, err = lines.next() {
		if !c.queue.received(lineFrame(line, size)) {
			c.drain(lines)
		}
	}
	select {
	case <-c.process.Done():
	case <-c.over:
	}
	// It has ended by itself or was closed already.
	_ = c.process.Stdout.Close()
	c.queue.end(c.ending(line, size, err))
}

// drainPause is the pause between two pieces of output that nobody reads.
const drainPause = time.Millisecond

// drain discards the output of a flooding server while the server has time to
// end. The pauses save two cores of work.
func (c *StdioConn) drain(lines *lineReader) {
	c.queue.drop(lines.skip())
	timer := time.NewTimer(drainPause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.process.Done():
	case <-c.over:
	}
}

// ending says how the connection ended, once the process has ended.
func (c *StdioConn) ending(rest []byte, size int, err error) frame.Frame {
	f := frame.New(frame.Received, frame.KindEnd, nil)
	f.Size, f.Truncated = size, size > len(rest)
	f.End = &frame.End{Unterminated: rest, Stderr: c.process.Stderr()}
	if n := len(f.End.Stderr) - c.options.Limits.Stderr; n > 0 {
		f.End.Stderr = "..." + f.End.Stderr[n:]
	}
	select {
	case <-c.process.Exited():
		f.End.Exited, f.End.ExitCode, f.End.Signal = true, c.process.ExitCode(), c.process.Signal()
	default:
	}
	if !errors.Is(err, io.EOF) {
		f.End.Err = fmt.Sprintf("read stdout: %v", err)
	}
	if n := c.queue.lost(); n > 0 {
		f.End.Err = fmt.Sprintf("%d frames came while the connection was closing and were not kept", n)
	}
	return f
}
