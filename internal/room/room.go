// Package room makes the garbage collector of a short run wait for a larger heap: by
// itself it begins at a few MiB, and returns each time the heap has doubled.
package room

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Usual is how far the heap of a run may grow before a collection. A run on a server of
// usual size keeps about three quarters of it.
const Usual = 28 << 20

// The default percentage of the collector, and the heap size at which it begins by
// default. A heap that is nearly full of what is in use grows by a quarter at least, since
// the collector would have no rest otherwise.
const (
	own     = 100
	quarter = 25
	least   = 4 << 20
)

// A setting holds the room left to the heap of the process.
type setting struct {
	mu      sync.Mutex
	size    int // 0: the collector runs by default
	before  int // the percentage of the collector before the change
	watched bool
}

//nolint:gochecknoglobals // there is one heap
var now setting

// Leave lets the heap grow to size between two collections, or by a quarter, while less than
// size is in use, and lets it grow by default from then on. Stop restores the earlier setting. A
// GOGC set by the user takes precedence.
func Leave(size int) (stop func()) {
	if _, set := os.LookupEnv("GOGC"); set {
		return func() {}
	}
	before := now.set(size)
	return func() { now.set(before) }
}

func (s *setting) set(size int) (before int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.size = s.size, size
	if before == 0 {
		s.before = debug.SetGCPercent(own)
	}
	s.apply()
	if !s.watched {
		s.watched = true
		afterEach(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.size > 0 {
				s.apply()
			}
		})
	}
	return before
}

func (s *setting) apply() {
	if s.size == 0 {
		debug.SetGCPercent(s.before)
		return
	}
	debug.SetGCPercent(percent(s.size, inUse("/gc/heap/live:bytes"), inUse("/gc/scan/stack:bytes")+inUse("/gc/scan/globals:bytes")))
}

// percent is the allowed growth of the heap, in percent of its live part and the roots,
// as the collector reckons.
func percent(size, live, roots int) int {
	most := size / (least / own) // with more, the collector would begin later still
	switch {
	case live == 0:
		return most
	case live > size:
		return own
	}
	return max(quarter, min(most, 100*(size-live)/(live+roots)))
}

func inUse(name string) int {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64()) //nolint:gosec // smaller than the memory of the machine
}

// A cycle is garbage from its beginning: its finalizer shows that the collector ran.
type cycle struct{ _ *cycle }

func afterEach(do func()) {
	runtime.SetFinalizer(&cycle{}, func(*cycle) {
		do()
		afterEach(do)
	})
}
