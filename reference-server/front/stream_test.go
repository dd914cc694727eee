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
