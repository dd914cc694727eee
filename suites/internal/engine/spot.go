package engine

import (
	"context"
	"errors"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A Spot judges cases when it is asked for them, one at a time: for a Ginkgo
// suite of somebody else's, whose filters and processes say what runs. A
// watcher has seen what ran before it.
type Spot struct{ gathering *Gathering }

// OnTheSpot makes a gathering judge on demand. It takes the place of Start.
func (g *Gathering) OnTheSpot(ctx context.Context) *Spot {
	for _, r := range g.rooms {
		r.pool = newPool(ctx, 0, 1, func(ctx context.Context) (*probe.Client, error) { return g.open(ctx, r) })
	}
	spot := &Spot{g}
	g.await = spot.Await
	return spot
}

// Specs lists what can be asked for, in suite order.
func (s *Spot) Specs() []Spec { return s.gathering.specs }

// Await judges a case, unless that was done before. What the case rests on is
// judged first.
func (s *Spot) Await(ctx context.Context, spec Spec) (reports.Finding, error) {
	g := s.gathering
	fu := g.futures[spec.key()]
	select {
	case <-fu.done:
		return fu.finding, nil
	default:
	}
	var f reports.Finding
	if spec.Case.Watch != nil {
		f = g.settle(g.rooms[spec.Column].tower, spec)
	} else {
		var ready bool
		if f, ready = g.ready(ctx, spec); ready {
			f, _ = g.judge(ctx, spec)
		}
	}
	if err := ctx.Err(); err != nil {
		return reports.Finding{}, err
	}
	g.deliver(spec, f)
	return f, nil
}

// Close ends the connections that cases shared.
func (s *Spot) Close(ctx context.Context) error {
	var errs []error
	for _, r := range s.gathering.rooms {
		r.pool.drain(ctx)
		if r.live != nil {
			errs = append(errs, r.live.Close(ctx))
		}
	}
	return errors.Join(errs...)
}
