package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// errSlow is why the context of a case ends that takes too long.
var errSlow = errors.New("the case took too long")

// judge runs one case in its column and says what it found.
// It is doubtful when the server was too late for something.
func (g *Gathering) judge(ctx context.Context, s Spec) (f reports.Finding, doubtful bool) {
	held, err := g.place(ctx, s)
	if err != nil {
		return skipped(g.finding(s), interrupted()), false
	}
	defer held.end()
	if f, lost := g.lost(s); lost {
		g.forgo(s)
		return f, false
	}
	defer g.presences[s.Column.Transport].enter(s.Case.ID)()
	began := time.Now()
	sharing := s.Case.Lane == suite.Shared && !g.presences[s.Column.Transport].exclusive
	if sharing {
		f = g.judgeShared(ctx, s)
	}
	// On a shared connection others came before: a violation has to show itself
	// where nobody did, if there is still somebody who could show it.
	if !sharing || complains(f) && g.present(ctx, s) {
		shared := f
		f, doubtful = g.judgeFresh(ctx, s, held)
		if complains(shared) && !complains(f) && !g.present(ctx, s) {
			f = shared // it was the last thing the server did
		}
	}
	f = g.trace(ctx, s, f, held)
	f.DurationMs = time.Since(began).Milliseconds()
	return f, doubtful && complains(f)
}

func complains(f reports.Finding) bool { return f.Status == reports.Fail || f.Status == reports.Warn }

// forgo leaves the connection that was kept ready for a case to others.
func (g *Gathering) forgo(s Spec) {
	if s.Case.Lane == suite.Fresh && !s.Case.Unopened {
		g.rooms[s.Column].pool.drop()
	}
}

// A turn is what a case holds while it runs: rest gives the worker back ahead
// of time, end gives everything back.
type turn struct{ rest, end func() }

// place waits for the turn of a case, where only one may have a process at a
// time also for the end of the case before.
func (g *Gathering) place(ctx context.Context, s Spec) (turn, error) {
	p := g.presences[s.Column.Transport]
	if !p.exclusive {
		return g.placeBeside(ctx, s)
	}
	p.only.Lock()
	held, err := g.placeBeside(ctx, s)
	if err != nil {
		p.only.Unlock()
		return held, err
	}
	return turn{held.rest, func() { held.end(); p.only.Unlock() }}, nil
}

// placeBeside takes what the case's lane asks for: a worker, and the state where
// effects are observed that anybody could have.
func (g *Gathering) placeBeside(ctx context.Context, s Spec) (turn, error) {
	if s.Case.Lane == suite.Waits && s.Column.Transport == requirements.HTTP {
		return turn{func() {}, g.lockState(s)}, ctx.Err()
	}
	if s.Case.Lane == suite.Waits {
		select {
		case g.waiters <- struct{}{}:
			unlock := g.lockState(s)
			return turn{func() {}, func() { unlock(); <-g.waiters }}, nil
		case <-ctx.Done():
			return turn{}, ctx.Err()
		}
	}
	if s.Case.Lane == suite.Shared {
		return g.rooms[s.Column].shared.enter(ctx, g.workers)
	}
	// First the state, then a worker: cases that wait for the one must not keep
	// others from working.
	unlock := g.lockState(s)
	if err := g.workers.take(ctx, len(s.Case.Proves) > 0); err != nil {
		unlock()
		return turn{}, err
	}
	rest := sync.OnceFunc(g.workers.give)
	return turn{rest, func() { rest(); unlock() }}, nil
}

func (g *Gathering) lockState(s Spec) (unlock func()) {
	if s.Case.Observes == "" {
		return func() {}
	}
	if filled, ok := g.rooms[s.Column].roles.Role(s.Case.Observes); ok && probe.Private(filled) {
		return func() {}
	}
	g.state.Lock()
	return g.state.Unlock
}

func (g *Gathering) judgeFresh(ctx context.Context, s Spec, held turn) (f reports.Finding, doubtful bool) {
	f = g.finding(s)
	client, err := g.client(ctx, s)
	if err != nil {
		return g.unopened(ctx, f, err), false
	}
	// The case's own time begins when it has its connection.
	ctx, cancel := context.WithTimeoutCause(ctx, g.caseLimit(), errSlow)
	defer cancel()
	g.serve(client, s)
	outcome := attempt(ctx, s, client)
	if v := (*probe.Violation)(nil); errors.As(outcome, &v) && client.Stillborn() && g.presences[s.Column.Transport].exclusive {
		outcome = probe.Undecide("a second process of the server ends while another one runs, and this takes two")
	}
	f.Notes = g.notes(client.Notes())
	if err := g.leave(ctx, client, held); err != nil && outcome == nil {
		outcome = fmt.Errorf("close the connection: %w", err)
	}
	return g.outcome(ctx, s, f, outcome), late(client, outcome)
}

// serve tells a client which case it is for. A case that is judged again gets
// other nonces: what it left behind the first time must not meet it.
func (g *Gathering) serve(c *probe.Client, s Spec) {
	parts := []string{s.Case.ID, string(s.Column.Revision), string(s.Column.Transport)}
	fu := g.futures[s.key()]
	if fu.tries++; fu.tries > 1 {
		parts = append(parts, strconv.Itoa(fu.tries))
	}
	c.Serve(s.Case.ID, g.plan.nonce(parts...))
}

// leave closes the connection of a case. A server may take seconds over that,
// in which another case can use the worker; how many servers linger at once
// has a bound.
func (g *Gathering) leave(ctx context.Context, c *probe.Client, held turn) error {
	select {
	case g.leaving <- struct{}{}:
		defer func() { <-g.leaving }()
		held.rest()
	default:
	}
	ctx, cancel := parting(ctx)
	defer cancel()
	return c.Close(ctx)
}

func (g *Gathering) judgeShared(ctx context.Context, s Spec) reports.Finding {
	r := g.rooms[s.Column]
	f := g.finding(s)
	ctx, cancel := context.WithTimeoutCause(ctx, g.caseLimit(), errSlow)
	defer cancel()
	if r.live == nil {
		live, err := g.open(ctx, r)
		if err != nil {
			return g.unopened(ctx, f, err)
		}
		r.live = live
	}
	before := len(r.live.Notes())
	g.serve(r.live, s)
	outcome := attempt(ctx, s, r.live)
	r.live.Forget()
	f.Notes = g.notes(r.live.Notes()[before:])
	f = g.outcome(ctx, s, f, outcome)
	if f.Status != reports.Pass && f.Status != reports.Skip {
		closing, cancel := parting(ctx)
		defer cancel()
		_ = r.live.Close(closing)
		r.live = nil
	}
	return f
}

// attempt runs the case's function. A panic is the case's error, and so is the
// end of its goroutine, which functions of testing bring about.
func attempt(ctx context.Context, s Spec, c *probe.Client) error {
	err := errors.New("the case ended its goroutine instead of returning")
	var running sync.WaitGroup
	running.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("the case panicked: %v", r)
			}
		}()
		err = s.Case.Run(ctx, c)
	})
	running.Wait()
	return err
}

func (g *Gathering) outcome(ctx context.Context, s Spec, f reports.Finding, err error) reports.Finding {
	var v *probe.Violation
	var u *probe.Undecided
	var o *probe.OpeningError
	switch {
	case err == nil:
		return passed(f)
	case errors.As(err, &v):
		if how, ok := probe.TurnedAway(v.Frames); ok {
			return skipped(f, g.turnedAway(how))
		}
		if v.Polled() {
			return skipped(f, reports.Reason{Kind: reports.Undecided, Text: "the server closed the stream ahead of its answer, for the client to take it up again, which is not done here yet"})
		}
		return g.broken(s, f, v)
	case errors.As(err, &u):
		kind := reports.Undecided
		if u.Unseen {
			kind = reports.NotSeen
		}
		return skipped(f, reports.Reason{Kind: kind, Text: g.redact(u.Reason)})
	case errors.As(err, &o):
		return g.unopened(ctx, f, err)
	case cutShort(ctx):
		return skipped(f, interrupted())
	case errors.Is(err, context.DeadlineExceeded):
		return skipped(f, reports.Reason{Kind: reports.Undecided, Text: fmt.Sprintf("no verdict within %s", g.caseLimit())})
	default:
		return g.unjudged(f, err)
	}
}

func (g *Gathering) turnedAway(how string) reports.Reason {
	return reports.Reason{Kind: reports.Undecided, Text: "the server turned the kit away with " + g.redact(how) +
		", which says nothing of this rule; show credentials, lower --jobs, or raise its limits"}
}

// cutShort tells the end of the run from that of the time one case has.
func cutShort(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSlow)
}

// unopened blames the case that owns the opening, when the target can no
// longer be opened in mid-run.
func (g *Gathering) unopened(ctx context.Context, f reports.Finding, err error) reports.Finding {
	if errors.Is(err, context.Canceled) || cutShort(ctx) {
		return skipped(f, interrupted())
	}
	if o := (*probe.OpeningError)(nil); errors.As(err, &o) {
		if how, ok := probe.TurnedAway(o.Reply.Evidence()); ok {
			return skipped(f, g.turnedAway(how))
		}
	}
	owner := g.owner()
	if owner == "" || owner == f.Case {
		return g.unjudged(f, err)
	}
	return skipped(f, blocked(owner, "no connection could be opened: "+g.redact(err.Error())))
}

// owner is the case that owns the opening, wherever it applies.
func (g *Gathering) owner() string {
	for _, s := range g.plan.Suites {
		for _, c := range s.Cases {
			if proves(c, suite.Opening().Any[0]) {
				return c.ID
			}
		}
	}
	return ""
}

// blocker waits for the cases that prove the needs of this one, and names the
// one that did not pass; or what blocked that one, since one root cause is
// one finding.
func (g *Gathering) blocker(ctx context.Context, s Spec) (root string, err error) {
	for _, need := range s.Case.Needs {
		for _, word := range need.Any {
			if !g.holds(s, word) {
				continue
			}
			root, err = g.proof(ctx, s, word)
			if err != nil || root == "" {
				break // this word alone fulfils the need
			}
		}
		if err != nil || root != "" {
			return root, err
		}
	}
	return "", nil
}

func (g *Gathering) proof(ctx context.Context, s Spec, word suite.Word) (root string, err error) {
	for _, p := range g.specs {
		// Cases that prove something wait for earlier ones only, so that no two
		// wait for each other.
		if len(s.Case.Proves) > 0 && p.index >= s.index {
			continue
		}
		if p.Column != s.Column || p.Case.ID == s.Case.ID || p.Case.Watch != nil || !proves(p.Case, word) {
			continue
		}
		if p.Case.Lane == suite.Alone {
			continue // it runs when all others are done, and cannot be waited for
		}
		f, err := g.await(ctx, p)
		if err != nil {
			return "", err
		}
		switch {
		case f.Status == reports.Pass:
		case f.Status != reports.Skip:
			return f.Case, nil
		case f.Reason != nil && f.Reason.Kind == reports.Blocked:
			return f.Reason.BlockedBy, nil
		}
	}
	return "", nil
}

func proves(c suite.Case, word suite.Word) bool {
	return slices.ContainsFunc(c.Proves, func(n suite.Need) bool { return slices.Contains(n.Any, word) })
}
