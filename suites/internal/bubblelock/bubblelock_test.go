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

// Those who share the lock wait at the same time, and its owner has it alone.
func TestShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lock bubblelock.Mutex
		var all sync.WaitGroup
		began, alone := time.Now(), false
		for range 5 {
			all.Go(func() {
				lock.RLock()
				defer lock.RUnlock()
				if alone {
					t.Error("the lock has an owner, and is shared")
				}
				time.Sleep(time.Second)
			})
		}
		synctest.Wait()
		all.Go(func() {
			lock.Lock()
			defer lock.Unlock()
			alone = true
			time.Sleep(time.Second)
			alone = false
		})
		synctest.Wait()
		all.Go(func() {
			time.Sleep(1500 * time.Millisecond) // the owner has it
			lock.RLock()
			defer lock.RUnlock()
			if alone {
				t.Error("the lock is shared while it has an owner")
			}
		})
		all.Wait()
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it took %s, want 2s", took)
		}
	})
}

func TestGivenBackTwice(t *testing.T) {
	t.Parallel()
	var owned, shared bubblelock.Mutex
	owned.Lock()
	owned.Unlock() //nolint:staticcheck // nothing is to be kept here
	shared.RLock()
	shared.RUnlock() //nolint:staticcheck // nothing is to be kept here
	for what, giveBack := range map[string]func(){"lock": owned.Unlock, "share": shared.RUnlock} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Errorf("a %s that nobody took was given back", what)
				}
			}()
			giveBack()
		})
	}
}
