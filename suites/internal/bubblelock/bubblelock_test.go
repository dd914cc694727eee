package bubblelock_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
)

// Each holds the lock for a while, one after the other, and time goes on meanwhile.
func TestHeldOverWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lock bubblelock.Mutex
		var all sync.WaitGroup
		began, inside := time.Now(), 0
		for range 5 {
			all.Go(func() {
				lock.Lock()
				defer lock.Unlock()
				if inside++; inside != 1 {
					t.Errorf("%d hold the lock", inside)
				}
				time.Sleep(time.Second)
				inside--
			})
		}
		all.Wait()
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("it took %s, want 5s", took)
		}
	})
}

func TestGivenBackTwice(t *testing.T) {
	t.Parallel()
	var lock bubblelock.Mutex
	lock.Lock()
	lock.Unlock() //nolint:staticcheck // nothing is to be kept here
	defer func() {
		if recover() == nil {
			t.Error("a lock that nobody took was given back")
		}
	}()
	lock.Unlock()
}
