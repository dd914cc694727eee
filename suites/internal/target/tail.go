package target

import (
	"io"
	"sync"
)

// stderrLimit is how much of the end of stderr is kept.
const stderrLimit = 64 << 10

// A tail keeps the last bytes written to it. Writing never blocks or fails, so
// a server that floods stderr is only ever read.
type tail struct {
	mu    sync.Mutex
	ring  []byte
	next  int  // where the next byte goes once the ring is full
	full  bool // the ring has reached its limit
	limit int
}

func newTail(limit int) *tail { return &tail{limit: limit} }

var _ io.Writer = (*tail)(nil)

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	written := len(b)
	if len(b) >= t.limit {
		t.ring = append(t.ring[:0], b[len(b)-t.limit:]...)
		t.next, t.full = 0, true
		return written, nil
	}
	if room := t.limit - len(t.ring); room > 0 {
		n := min(room, len(b))
		t.ring = append(t.ring, b[:n]...)
		b = b[n:]
		t.full = len(t.ring) == t.limit
	}
	for len(b) > 0 {
		n := copy(t.ring[t.next:], b)
		t.next = (t.next + n) % t.limit
		b = b[n:]
	}
	return written, nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.full {
		return string(t.ring)
	}
	return string(t.ring[t.next:]) + string(t.ring[:t.next])
}
