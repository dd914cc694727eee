package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// However the takers come, as many connections are opened as are taken.
func TestPoolOpensNoMore(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1, 2, 4} {
		for range 50 {
			const cases = 9
			var opened atomic.Int64
			p := newPool(t.Context(), cases, depth, func(context.Context) (*probe.Client, error) {
				opened.Add(1)
				return &probe.Client{}, nil
			})
			var all sync.WaitGroup
			var same sync.Map
			for range cases {
				all.Go(func() {
					c, err := p.take(t.Context())
					if _, twice := same.LoadOrStore(c, true); err != nil || twice {
						t.Errorf("taken twice: %v, %v", twice, err)
					}
				})
			}
			all.Wait()
			p.drain(t.Context())
			if got := opened.Load(); got != cases {
				t.Fatalf("%d connections were opened for %d cases, %d ahead", got, cases, depth)
			}
		}
	}
}

// A connection that cannot be opened ahead is opened by whoever wants it, who
// tries twice.
func TestPoolCannotOpen(t *testing.T) {
	t.Parallel()
	var opened atomic.Int64
	p := newPool(t.Context(), 2, 2, func(context.Context) (*probe.Client, error) {
		opened.Add(1)
		return nil, errors.New("no")
	})
	p.filler.Wait()
	for range 2 {
		if _, err := p.take(t.Context()); err == nil || err.Error() != "no" {
			t.Errorf("got %v", err)
		}
	}
	p.drain(t.Context())
	if got := opened.Load(); got != 5 {
		t.Errorf("%d attempts, want one ahead and two of each case", got)
	}
}

// A case that is to have the connection being opened stops waiting with its
// run.
func TestPoolIsCutShort(t *testing.T) {
	t.Parallel()
	begun, proceed := make(chan struct{}), make(chan struct{})
	p := newPool(t.Context(), 1, 1, func(ctx context.Context) (*probe.Client, error) {
		close(begun)
		<-proceed
		return nil, ctx.Err()
	})
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.take(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(proceed)
}

// A case that drops out leaves no connection behind that is still to be opened.
func TestPoolDrop(t *testing.T) {
	t.Parallel()
	p := newPool(t.Context(), 0, 1, func(context.Context) (*probe.Client, error) {
		t.Error("a connection nobody wants was opened")
		return nil, errors.New("no")
	})
	p.drop()
	p.drain(t.Context())
}
