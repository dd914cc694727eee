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
	lost  bool // there was more than is kept
	limit int
}

func newTail(limit int) *tail { return &tail{limit: limit} }

var _ io.Writer = (*tail)(nil)

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	written := len(b)
	if len(b) >= t.limit {
		t.lost = t.lost || len(b) > t.limit || len(t.ring) > 0
		t.ring = append(t.ring[:0], b[len(b)-t.limit:]...)
		t.next = 0
		return written, nil
	}
	if room := t.limit - len(t.ring); room > 0 {
		n := min(room, len(b))
		t.ring = append(t.ring, b[:n]...)
		b = b[n:]
	}
	for len(b) > 0 {
		t.lost = true
		n := copy(t.ring[t.next:], b)
		t.next = (t.next + n) % t.limit
		b = b[n:]
	}
	return written, nil
}

// String returns what is kept. It begins with "..." where something stood
// before that, so that nobody takes half a word for a whole one.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := string(t.ring[t.next:]) + string(t.ring[:t.next])
	if t.lost {
		return "..." + kept
	}
	return kept
}
