package target

import (
	"io"
	"sync"
)

// stderrLimit is how many of the last bytes of stderr are kept.
const stderrLimit = 64 << 10

// A tail keeps the last bytes written to it. Writing never blocks or fails, so
// it drains a server that floods stderr.
type tail struct {
	mu    sync.Mutex
	ring  []byte
	next  int  // the place of the next byte once the ring is full
	lost  bool // earlier bytes were dropped
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

// String returns the kept text. It begins with "..." where earlier text was
// dropped, so that half a word does not look like a whole one.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := string(t.ring[t.next:]) + string(t.ring[:t.next])
	if t.lost {
		return "..." + kept
	}
	return kept
}
