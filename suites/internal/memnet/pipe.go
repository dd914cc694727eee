package memnet

import (
	"io"
	"os"
	"sync"
	"time"
)

// A pipe is a bounded buffer that behaves like a pipe or a socket of the operating system.
// Each side can be closed at any time and wakes the other.
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

// A limit bounds how long one side waits.
type limit struct {
	over  bool
	timer *time.Timer // runs while the limit is not over
}

// A Reader is the reading side of a pipe.
type Reader struct{ *pipe }

// A Writer is the writing side of a pipe.
type Writer struct{ *pipe }

// NewPipe makes a pipe that holds room bytes before a writer waits.
func NewPipe(room int) (Reader, Writer) {
	p := &pipe{room: room}
	p.changed = sync.NewCond(&p.mu)
	return Reader{p}, Writer{p}
}

// Read waits for bytes, the end of the pipe, or the limit.
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

// Close closes the reading side: further writes fail.
func (r Reader) Close() error {
	r.change(func() { r.noRead = true })
	return nil
}

// Until makes reads fail that wait beyond a time. The zero time removes the limit.
func (r Reader) Until(t time.Time) { r.until(&r.reading, t) }

// Write waits until the pipe has taken all bytes.
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

// Close closes the writing side: reads return the remaining bytes, and then io.EOF.
func (w Writer) Close() error {
	w.change(func() { w.noWrite = true })
	return nil
}

// Until makes writes fail that wait beyond a time. The zero time removes the limit.
func (w Writer) Until(t time.Time) { w.until(&w.writing, t) }

// compact moves the unread bytes to the front of the buffer if n more bytes would make the
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
