// Package patient is a lock for what takes long: one that is held while somebody
// waits for a server. In the bubbles of testing/synctest, where waits take no time,
// whoever waits for a sync.Mutex does not count as waiting, and time would stand still.
package patient

import "sync"

// A Mutex is a sync.Mutex that may be held over waits.
type Mutex struct {
	mu   sync.Mutex // never held over a wait itself
	free *sync.Cond
	held bool
}

// Lock waits until nobody holds the lock, and takes it.
func (m *Mutex) Lock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.free == nil {
		m.free = sync.NewCond(&m.mu)
	}
	for m.held {
		m.free.Wait()
	}
	m.held = true
}

// Unlock gives back what Lock took.
func (m *Mutex) Unlock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.held {
		panic("patient: a lock is given back that nobody took")
	}
	m.held = false
	m.free.Signal()
}
