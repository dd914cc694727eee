package server

import "sync"

// A tally counts per name, and forgets the oldest names when there are too many.
// The zero value is empty.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
	names  []string // the oldest first
}

func (t *tally) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	if t.counts[name] == 0 {
		t.names = append(t.names, name)
	}
	t.counts[name]++
	if len(t.names) > maxKept {
		delete(t.counts, t.names[0])
		t.names = t.names[1:]
	}
}

func (t *tally) of(name string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[name]
}
