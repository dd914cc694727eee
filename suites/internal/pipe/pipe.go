// Package pipe carries bytes between goroutines as a pipe or a socket of the operating
// system would.
package pipe

import (
	"io"
	"os"
	"sync"
	"time"
)

// A pipe is a bounded buffer. Each side can be closed at any time and wakes the other.
type pipe struct {
	room int

	mu      sync.Mutex
	changed *sync.Cond
	buffer  []byte
	start   int
	noRead  bool // the reading side is closed
	noWrite bool // the writing side is closed

	reading, writing limit
}

// A limit is how long one side waits.
type limit struct {
	over  bool
	timer *time.Timer // of a limit that is not over yet
}

// A Reader is the reading side of a pipe.
type Reader struct{ *pipe }

// A Writer is the writing side of a pipe.
type Writer struct{ *pipe }

// New makes a pipe that holds so many bytes before a writer waits.
func New(room int) (Reader, Writer) {
	p := &pipe{room: room}
	p.changed = sync.NewCond(&p.mu)
	return Reader{p}, Writer{p}
}

// Read waits until there is something to read.
func (r Reader) Read(b []byte) (int, error) {
	p := r.pipe
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.noRead && !p.reading.over && p.start == len(p.buffer) && !p.noWrite && len(b) > 0 {
		p.changed.Wait()
	}
	switch {
	case p.noRead:
		return 0, os.ErrClosed
	case p.reading.over:
		return 0, os.ErrDeadlineExceeded
	case p.start == len(p.buffer) && len(b) > 0:
		return 0, io.EOF
	}
	n := copy(b, p.buffer[p.start:])
	if p.start += n; p.start == len(p.buffer) {
		p.buffer, p.start = p.buffer[:0], 0
	}
	p.changed.Broadcast()
	return n, nil
}

// Close ends the reading: who writes is told that nobody reads.
func (r Reader) Close() error {
	r.change(func() { r.noRead = true })
	return nil
}

// Until has reads fail that wait beyond a time; the zero time has them wait for ever.
func (r Reader) Until(t time.Time) { r.until(&r.reading, t) }

// Write waits until there is room for everything.
func (w Writer) Write(b []byte) (written int, err error) {
	p := w.pipe
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.noWrite:
			return written, os.ErrClosed
		case p.noRead:
			return written, io.ErrClosedPipe
		case p.writing.over:
			return written, os.ErrDeadlineExceeded
		case len(b) == 0:
			return written, nil
		}
		if room := p.room - (len(p.buffer) - p.start); room > 0 {
			n := min(room, len(b))
			p.buffer = append(p.compact(n), b[:n]...)
			b, written = b[n:], written+n
			p.changed.Broadcast()
			continue
		}
		p.changed.Wait()
	}
}

// Close ends the writing: who reads comes to the end of what there is.
func (w Writer) Close() error {
	w.change(func() { w.noWrite = true })
	return nil
}

// Until has writes fail that wait beyond a time; the zero time has them wait for ever.
func (w Writer) Until(t time.Time) { w.until(&w.writing, t) }

// compact moves what is unread to the front when n more bytes would make the
// buffer grow beyond its bound.
func (p *pipe) compact(n int) []byte {
	if p.start > 0 && len(p.buffer)+n > p.room {
		p.buffer, p.start = p.buffer[:copy(p.buffer, p.buffer[p.start:])], 0
	}
	return p.buffer
}

func (p *pipe) change(something func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	something()
	p.changed.Broadcast()
}

func (p *pipe) until(l *limit, t time.Time) {
	p.change(func() {
		if l.timer != nil {
			l.timer.Stop()
		}
		l.timer, l.over = nil, false
		switch left := time.Until(t); {
		case t.IsZero():
		case left <= 0:
			l.over = true
		default:
			var own *time.Timer
			own = time.AfterFunc(left, func() {
				p.change(func() { l.over = l.over || l.timer == own })
			})
			l.timer = own
		}
	})
}
