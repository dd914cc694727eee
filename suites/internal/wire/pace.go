package wire

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A Pace spreads the requests to one target over time: each waits for its turn. The nil Pace
// lets requests go at once.
type Pace struct {
	every time.Duration

	mu   sync.Mutex
	next time.Time // no turn comes before
}

// NewPace is the pace of at most so many requests in a second; nil for 0, which is no limit.
func NewPace(perSecond int) *Pace {
	if perSecond <= 0 {
		return nil
	}
	return &Pace{every: time.Second / time.Duration(perSecond)}
}

// wait returns when the request has its turn, or when closing is closed. It takes no
// context: the deadlines of a caller are for the server, and not for the kit's own pace.
func (p *Pace) wait(closing <-chan struct{}) {
	if p == nil {
		return
	}
	p.mu.Lock()
	turn := time.Now()
	if p.next.After(turn) {
		turn = p.next
	}
	p.next = turn.Add(p.every)
	p.mu.Unlock()
	until := time.NewTimer(time.Until(turn))
	defer until.Stop()
	select {
	case <-until.C:
	case <-closing:
	}
}

// waitWithin is wait for a caller that goes on with a context: its deadline is later by the
// time that the request waited.
func (p *Pace) waitWithin(ctx context.Context, closing <-chan struct{}) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if p == nil || !limited {
		p.wait(closing)
		return ctx, func() {}
	}
	began := time.Now()
	p.wait(closing)
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx, func() {}
	}
	longer, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline.Add(time.Since(began)))
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			cancel()
		}
	})
	return longer, func() { stop(); cancel() }
}
