package front

import (
	"sync"
	"testing"
)

func TestTwoWhoListenAtOnceAreToldDifferentThings(t *testing.T) {
	t.Parallel()
	s := newStream("1-")
	var mu sync.Mutex
	starts := map[int]bool{}
	var listeners sync.WaitGroup
	for range 500 {
		listeners.Go(func() {
			reader, seen := s.listen(true)
			_, events, over, _ := s.eventsAfter(reader, seen)
			mu.Lock()
			defer mu.Unlock()
			if starts[seen] {
				t.Errorf("two are told what comes behind event %d", seen)
			}
			starts[seen] = true
			if len(events) != 1 && !over {
				t.Errorf("%d events were there for a reader, want the one that it was primed with", len(events))
			}
		})
	}
	listeners.Wait()
}

// A reader that falls behind gets every event. What it has read is kept for those that
// resume, up to a limit.
func TestSlowReaderMissesNothing(t *testing.T) {
	t.Parallel()
	s := newStream("1-")
	reader := s.take()
	const all = 3 * maxEvents
	for range all {
		s.add("event")
	}
	first, events, _, _ := s.eventsAfter(reader, 0)
	if first != 0 || len(events) != all {
		t.Fatalf("%d events are given behind event %d, want %d from the beginning", len(events), first, all)
	}
	s.eventsAfter(reader, all)
	s.add("event")
	if first, events, _, _ = s.eventsAfter(anyReader, 0); len(events) != maxEvents || first+len(events) != all+1 {
		t.Errorf("%d events are kept behind event %d, want the last %d", len(events), first, maxEvents)
	}
	s.left(reader)
	for range all {
		s.add("event")
	}
	if _, events, _, _ = s.eventsAfter(anyReader, 0); len(events) != maxEvents {
		t.Errorf("%d events are kept where nobody reads, want %d", len(events), maxEvents)
	}
}
