package target

import (
	"io"
	"os"
	"sync"
)

// pipeRoom is what a pipe holds before a writer waits, as on Linux. A stand-in
// must wait no sooner than a process would, or it deadlocks where a process
// does not.
const pipeRoom = 64 << 10

// A pipe carries bytes between two goroutines through a bounded buffer. Each
// side can be closed at any time and wakes the other.
type pipe struct {
	mu      sync.Mutex
	changed *sync.Cond
	buffer  []byte
	start   int
	noRead  bool // the reading side is closed
	noWrite bool // the writing side is closed
}

func newPipe() *pipe {
	p := &pipe{}
	p.changed = sync.NewCond(&p.mu)
	return p
}

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.start == len(p.buffer) && !p.noRead && !p.noWrite && len(b) > 0 {
		p.changed.Wait()
	}
	if p.noRead {
		return 0, os.ErrClosed
	}
	if p.start == len(p.buffer) && len(b) > 0 {
		return 0, io.EOF
	}
	n := copy(b, p.buffer[p.start:])
	if p.start += n; p.start == len(p.buffer) {
		p.buffer, p.start = p.buffer[:0], 0
	}
	p.changed.Broadcast()
	return n, nil
}

func (p *pipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	written := 0
	for {
		switch {
		case p.noWrite:
			return written, os.ErrClosed
		case p.noRead:
			return written, io.ErrClosedPipe
		case len(b) == 0:
			return written, nil
		}
		if room := pipeRoom - (len(p.buffer) - p.start); room > 0 {
			n := min(room, len(b))
			p.buffer = append(p.compact(n), b[:n]...)
			b, written = b[n:], written+n
			p.changed.Broadcast()
			continue
		}
		p.changed.Wait()
	}
}

// compact moves what is unread to the front when n more bytes would make the
// buffer grow beyond its bound.
func (p *pipe) compact(n int) []byte {
	if p.start > 0 && len(p.buffer)+n > pipeRoom {
		p.buffer, p.start = p.buffer[:copy(p.buffer, p.buffer[p.start:])], 0
	}
	return p.buffer
}

func (p *pipe) close(side *bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*side = true
	p.changed.Broadcast()
}

// A readEnd is the reading side of a pipe.
type readEnd struct{ *pipe }

func (r readEnd) Read(b []byte) (int, error) { return r.read(b) }

func (r readEnd) Close() error {
	r.close(&r.noRead)
	return nil
}

// A writeEnd is the writing side of a pipe.
type writeEnd struct{ *pipe }

func (w writeEnd) Write(b []byte) (int, error) { return w.write(b) }

func (w writeEnd) Close() error {
	w.close(&w.noWrite)
	return nil
}
