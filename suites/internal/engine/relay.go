package engine

import (
	"context"
	"sync"
	"sync/atomic"
)

// A relay lets the cases of a shared connection run one after another. The
// worker is handed from one to the next: if each queued for one behind every
// other case, they would be the long tail of the run.
type relay struct {
	running sync.Mutex
	next    atomic.Int64 // cases that wait for their leg
	worker  bool         // the last case left its worker to the next
}

func (r *relay) enter(ctx context.Context, w *workers) (turn, error) {
	r.next.Add(1)
	r.running.Lock()
	r.next.Add(-1)
	if !r.worker {
		if err := w.take(ctx, true); err != nil {
			r.running.Unlock()
			return turn{}, err
		}
	}
	r.worker = false
	rested := false
	rest := func() {
		if !rested {
			rested = true
			w.give()
		}
	}
	return turn{rest, func() {
		if !rested && r.next.Load() > 0 {
			r.worker = true
		} else {
			rest()
		}
		r.running.Unlock()
	}}, nil
}
