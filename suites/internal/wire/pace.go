package wire

import (
	"sync"
	"time"
)

// A pace spreads the requests to one target over time: each waits for its turn.
type pace struct {
	every time.Duration

	mu   sync.Mutex
	next time.Time // no turn comes before
}

// Limit makes the connections of the pool, and of pools like it, send at most so many
// requests in a second. It is called before the first request; 0 is no limit.
func (p *Pool) Limit(perSecond int) {
	if perSecond > 0 {
		p.pace = &pace{every: time.Second / time.Duration(perSecond)}
	}
}

// wait returns when the request has its turn, or when closing is closed. It takes no
// context: the deadlines of a caller are for the server, and not for the kit's own pace.
func (p *pace) wait(closing <-chan struct{}) {
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
