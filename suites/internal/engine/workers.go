package engine

import (
	"context"
	"slices"
	"sync"
)

// Workers are how many cases run at once. Whoever is urgent gets the next free
// one: what others wait for, and the cases that follow one another on a shared
// connection, which would be the long tail of a run if each of them queued
// behind everybody.
type workers struct {
	mu     sync.Mutex
	free   int
	urgent []chan struct{}
	others []chan struct{}
}

func newWorkers(n int) *workers { return &workers{free: max(1, n)} }

// take waits for a worker.
func (w *workers) take(ctx context.Context, urgent bool) error {
	w.mu.Lock()
	if w.free > 0 {
		w.free--
		w.mu.Unlock()
		return nil
	}
	queue := &w.others
	if urgent {
		queue = &w.urgent
	}
	mine := make(chan struct{})
	*queue = append(*queue, mine)
	w.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	w.mu.Lock()
	at := slices.Index(*queue, mine)
	if at >= 0 {
		*queue = slices.Delete(*queue, at, at+1)
	}
	w.mu.Unlock()
	if at < 0 {
		w.give() // it came after all
	}
	return ctx.Err()
}

// give returns a worker.
func (w *workers) give() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, queue := range []*[]chan struct{}{&w.urgent, &w.others} {
		if len(*queue) > 0 {
			close((*queue)[0])
			*queue = (*queue)[1:]
			return
		}
	}
	w.free++
}
