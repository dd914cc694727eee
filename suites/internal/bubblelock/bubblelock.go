// Package bubblelock has a mutex that works in the bubbles of testing/synctest even while
// its owner waits for a server. In a bubble, time passes only when all goroutines wait
// durably; a goroutine that waits for a sync.Mutex does not, so time would stand still.
package bubblelock

import "sync"

// A Mutex is a mutex whose owner may wait for a server. Like a sync.RWMutex, it has either
// one owner or some who share it.
type Mutex struct {
	mu      sync.Mutex // never locked during a wait
	free    *sync.Cond
	held    bool
	sharing int
}

// Lock waits until nobody has the mutex, and takes it.
func (m *Mutex) Lock() {
	m.wait(func() bool { return m.held || m.sharing > 0 })
	defer m.mu.Unlock()
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
	m.free.Broadcast()
}

// RLock waits until nobody owns the mutex alone, and shares it.
func (m *Mutex) RLock() {
	m.wait(func() bool { return m.held })
	defer m.mu.Unlock()
	m.sharing++
}

// RUnlock gives back a share of the mutex.
func (m *Mutex) RUnlock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sharing == 0 {
		panic("bubblelock: a share is given back that nobody took")
	}
	m.sharing--
	m.free.Broadcast()
}

// wait returns with mu locked, when the mutex is no longer taken.
func (m *Mutex) wait(taken func() bool) {
	m.mu.Lock()
	if m.free == nil {
		m.free = sync.NewCond(&m.mu)
	}
	for taken() {
		m.free.Wait()
	}
}
