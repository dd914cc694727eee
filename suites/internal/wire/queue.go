package wire

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// draining is how long a closing connection waits for a slow reader before it
// assumes that nobody reads.
const draining = 200 * time.Millisecond

// A queue keeps the frames of one connection in order until they are read.
// Received frames wait while too many are unread; then the server has to wait.
type queue struct {
	began  time.Time
	limit  int64
	redact func(string) string

	mu      sync.Mutex
	frames  []frame.Frame
	head    int
	seq     int
	unread  int64
	dropped int
	ended   bool
	waiting int
	closing chan struct{} // closed when nobody has to wait for room any longer
	changed chan struct{} // closed and replaced when waiters should look again
}

func newQueue(o Options) *queue {
	return &queue{began: time.Now(), limit: o.Limits.Unread, redact: o.Redact,
		closing: make(chan struct{}), changed: make(chan struct{})}
}

// sent adds a frame without waiting: unread frames never delay a sender.
func (q *queue) sent(f frame.Frame) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put(f)
}

// received adds a frame once there is room. While the connection closes and
// nobody reads, it counts and drops frames beyond the bound; it reports whether
// it kept this one.
func (q *queue) received(f frame.Frame) (kept bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.unread > q.limit {
		select {
		case <-q.closing:
			if q.dropped > 0 || !q.drained() {
				q.dropped++
				return false
			}
		default:
			q.wait(q.closing)
		}
	}
	q.put(f)
	return true
}

// drop counts frames that are dropped before they are made.
func (q *queue) drop(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped += n
}

// drained waits a moment until a reader has made room.
func (q *queue) drained() bool {
	late := make(chan struct{})
	timer := time.AfterFunc(draining, func() { close(late) })
	defer timer.Stop()
	for q.unread > q.limit {
		select {
		case <-late:
			return false
		default:
			q.wait(late)
		}
	}
	return true
}

// end adds the last frame; after it Next returns io.EOF.
func (q *queue) end(f frame.Frame) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put(f)
	q.ended = true
}

// over reports whether the last frame was added.
func (q *queue) over() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended
}

// lost returns the number of dropped frames.
func (q *queue) lost() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}

func (q *queue) put(f frame.Frame) {
	if q.ended {
		return
	}
	q.seq++
	f.Seq, f.At = q.seq, time.Since(q.began)
	if q.redact != nil {
		f = f.Redacted(q.redact)
	}
	q.frames = append(q.frames, f)
	q.unread += f.Cost()
	q.wake()
}

func (q *queue) next(ctx context.Context) (frame.Frame, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return frame.Frame{}, err
		}
		if q.head < len(q.frames) {
			break
		}
		if q.ended {
			return frame.Frame{}, io.EOF
		}
		q.wait(ctx.Done())
	}
	f := q.frames[q.head]
	q.frames[q.head] = frame.Frame{}
	if q.head++; q.head == len(q.frames) {
		q.frames, q.head = q.frames[:0], 0
	}
	full := q.unread > q.limit
	q.unread -= f.Cost()
	if full && q.unread <= q.limit {
		q.wake()
	}
	return f, nil
}

// wait releases the lock until a change or until stop is closed.
func (q *queue) wait(stop <-chan struct{}) {
	changed := q.changed
	q.waiting++
	q.mu.Unlock()
	select {
	case <-changed:
	case <-stop:
	}
	q.mu.Lock()
	q.waiting--
}

// wake makes every waiter look again.
func (q *queue) wake() {
	if q.waiting == 0 {
		return
	}
	close(q.changed)
	q.changed = make(chan struct{})
}
