// Package room has the garbage collector of a short run wait until there is something to
// collect: by itself it begins at a few MiB, and comes back each time that they have doubled.
package room

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Usual is what a run may take before it is collected. What a run keeps of a server of
// usual size is less than half of that.
const Usual = 30 << 20

// The percentage that the collector has of its own, and the size of the heap at which it
// begins by it.
const (
	own   = 100
	least = 4 << 20
)

// A setting is what a process leaves to its heap.
type setting struct {
	mu      sync.Mutex
	size    int // nothing is left where it is 0
	before  int // the percentage of the collector when nothing was left yet
	watched bool
}

//nolint:gochecknoglobals // there is one heap
var now setting

// Leave lets the heap grow to size between two collections for as long as less than half of
// it is in use, and as it would by itself from then on. What was left before comes back with
// stop. Who sets GOGC knows better.
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

// percent is how much the heap may grow, in percent of what lives there and of the roots,
// as the collector reckons.
func percent(size, live, roots int) int {
	most := size / (least / own) // more, and the collector would begin later still
	if live == 0 {
		return most
	}
	return max(own, min(most, own*(size-live)/(live+roots)))
}

func inUse(name string) int {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64()) //nolint:gosec // fewer than there is memory
}

// A cycle is garbage from its beginning: that it is found says that the collector was there.
type cycle struct{ _ *cycle }

func afterEach(do func()) {
	runtime.SetFinalizer(&cycle{}, func(*cycle) {
		do()
		afterEach(do)
	})
}
