package engine

import (
	"context"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A pool opens connections ahead of the cases that will want them. It never
// opens more than are still wanted.
type pool struct {
	open func(ctx context.Context) (*probe.Client, error)

	mu     sync.Mutex
	wanted int // cases that have not taken their connection yet
	stock  int // connections that are open or being opened and nobody's yet
	ready  chan *probe.Client
	filler sync.WaitGroup
}

// newPool begins to open; depth is how many connections wait at most.
func newPool(ctx context.Context, wanted, depth int, open func(context.Context) (*probe.Client, error)) *pool {
	p := &pool{open: open, wanted: wanted, ready: make(chan *probe.Client, depth)}
	p.filler.Go(func() { p.fill(ctx) })
	return p
}

func (p *pool) fill(ctx context.Context) {
	defer close(p.ready)
	for p.more() {
		c, err := p.open(ctx)
		if err != nil {
			return // whoever wants a connection opens its own and sees why
		}
		select {
		case p.ready <- c:
		case <-ctx.Done():
			closing, cancel := parting(ctx)
			defer cancel()
			_ = c.Close(closing)
			return
		}
	}
}

func (p *pool) more() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted <= p.stock {
		return false
	}
	p.stock++
	return true
}

// take gives a connection on which the opening is done, and tries a second
// time when the first does not come about.
func (p *pool) take(ctx context.Context) (*probe.Client, error) {
	if p.claim() {
		select {
		case c, ok := <-p.ready:
			if ok {
				return c, nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	c, err := p.open(ctx)
	if err != nil && ctx.Err() == nil {
		c, err = p.open(ctx)
	}
	return c, err
}

// claim reports whether the case is to have a connection of the pool: one that
// is ready, or the one being opened when it would be left over otherwise.
func (p *pool) claim() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted--
	if p.stock == 0 || len(p.ready) == 0 && p.stock <= p.wanted {
		return false
	}
	p.stock--
	return true
}

// drop says that a case will not take its connection after all.
func (p *pool) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted--
}

// drain closes what nobody took. The pool's context must be done, or nothing
// wanted any more.
func (p *pool) drain(ctx context.Context) {
	p.mu.Lock()
	p.wanted = 0
	p.mu.Unlock()
	var closing sync.WaitGroup
	for c := range p.ready {
		closing.Go(func() { _ = c.Close(ctx) })
	}
	closing.Wait()
	p.filler.Wait()
}
