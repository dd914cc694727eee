// Package bubblelock has a mutex that works in the bubbles of testing/synctest even while
// its owner waits for a server. In a bubble, time passes only when all goroutines wait
// durably; a goroutine that waits for a sync.Mutex does not, so time would stand still.
package bubblelock

import "sync"

// A Mutex is a mutex whose owner may wait for a server.
type Mutex struct {
	mu   sync.Mutex // never locked during a wait
	free *sync.Cond
	held bool
}

// Lock waits until the mutex is free, and takes it.
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

// Unlock frees the mutex.
func (m *Mutex) Unlock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.held {
		panic("bubblelock: a lock is given back that nobody took")
	}
	m.held = false
	m.free.Signal()
}
