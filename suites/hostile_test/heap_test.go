package hostile_test

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"
)

// heapMost bounds the memory of all cages together. A run keeps at most 256 MiB of the
// bytes it has read, but few animals come near it at the same time.
const heapMost = 2 * 256 << 20

// A heap records the largest size of the heap while it was watched.
type heap struct {
	before, most uint64
	stop         chan struct{}
	watching     sync.WaitGroup
}

func watchHeap() *heap {
	runtime.GC()
	h := &heap{before: inUse(), stop: make(chan struct{})}
	h.watching.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				h.most = max(h.most, inUse())
			case <-h.stop:
				return
			}
		}
	})
	return h
}

// inUse counts the bytes of the objects that the last garbage collection left: the
// amount of garbage does not matter.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func (h *heap) check(t *testing.T) {
	t.Helper()
	close(h.stop)
	h.watching.Wait()
	t.Logf("%d MiB of the heap were in use at most", h.most>>20)
	if h.most > h.before+heapMost {
		t.Errorf("%d MiB of the heap were in use, want at most %d more than before", h.most>>20, heapMost>>20)
	}
}
