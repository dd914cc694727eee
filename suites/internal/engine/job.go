package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/internal/tolerance"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A job is one case in one column. The first caller that asks for the finding judges the
// case; later callers wait.
type job struct {
	specs.Spec
	col *column

	claimed atomic.Bool
	done    chan struct{}
	finding reports.Finding   // set before done is closed
	tries   int               // how often the case was judged, by one goroutine at a time
	mute    bool              // the case found that the server answers nothing; set before done is closed
	free    bool              // the case failed, and blocks nothing; set before done is closed
	missed  []probe.Miss      // requests that the case awaited in vain, the last time that it was judged
	cut     bool              // an exchange over HTTP was cut off, the last time that the case was judged on a fresh connection
	late    bool              // the recheck judges the case again
	left    bool              // the last violation is left to the case of a cause
	causes  []probe.Elsewhere // the cases to which the last violation is left, if one of them fails too
	behind  bool              // the case on lost requests: behind such a request the server still answered others
}

// claim reports whether the caller has to judge the case.
func (j *job) claim() bool { return j.claimed.CompareAndSwap(false, true) }

// start judges the case unless another goroutine has claimed it.
func (j *job) start(ctx context.Context) {
	if j.claim() {
		j.decide(ctx)
	}
}

// wait waits for the finding.
func (j *job) wait(ctx context.Context) (reports.Finding, error) {
	select {
	case <-j.done:
		return j.finding, ctx.Err()
	case <-ctx.Done():
		return reports.Finding{}, ctx.Err()
	}
}

func (j *job) deliver(f reports.Finding) {
	r := j.col.server.run
	j.finding = f.Map(r.plan.Secrets.Hide) // it is shown from now on
	close(j.done)
	if r.plan.Progress != nil {
		r.telling.Lock()
		defer r.telling.Unlock()
		r.plan.Progress(j.finding)
	}
}

// decide judges the case and delivers the finding. A complaint about a late answer has to
// be repeated while no other case runs, so the recheck delivers it. Other cases wait for
// a case that proves something, so such a case is repeated at once.
func (j *job) decide(ctx context.Context) {
	if why, skip := j.hindrance(ctx); skip {
		j.deliver(skipped(j.Blank(), why))
		return
	}
	f, late := j.judge(ctx)
	r := j.col.server.run
	if (late || complains(f) && caused(j)) && j.deferrable() {
		j.late = late
		r.recheck.add(j, f) // the recheck delivers the finding
		return
	}
	const quick, most = 1000, 3 // a refusal comes at once, and silence costs the whole time limit
	for tries := 0; late && !ends(j) && r.crowded.Load() && (tries == 0 || tries < most && f.DurationMs < quick); tries++ {
		pause(ctx)
		f, late = j.judge(ctx)
	}
	if late && j.Suite.Extension.Name != "" {
		j.col.awaitCore(ctx)
	}
	j.deliver(leave(ctx, j, r.recheck.settle(ctx, j, f, false)))
}

// judge waits for the turn of the case, runs the case, and gives the finding. late means
// that the case complains, and that the server missed a deadline.
func (j *job) judge(ctx context.Context) (f reports.Finding, late bool) {
	s := j.col.server
	seat, release, err := j.acquire(ctx)
	if err != nil {
		return skipped(j.Blank(), interrupted()), false
	}
	defer release()
	if f, lost, forGood := s.health.lost(j); lost {
		return f, !forGood && j.deferrable()
	}
	defer s.health.started(j.Case.ID)()
	began := time.Now()
	f, late = j.attempt(ctx, seat)
	late = late && !j.left // a second complaint would be left, too
	if late && isBlocked(f) && len(j.missed) == 0 {
		s.slowDown()
		if j.deferrable() {
			return f, true // the recheck repeats the case before the server is blamed
		}
	}
	release() // the case that owns the opening may want the seat
	f = s.health.blame(ctx, j, f)
	if f.Status != reports.Skip {
		f.Notes = append(f.Notes, j.col.ground.Notes(j.Case)...)
	}
	f.DurationMs = time.Since(began).Milliseconds()
	if s.health.noticedBy(j) {
		return f, false // a repetition would find nothing that listens, and be blocked by this very case
	}
	return f, late && f.Status != reports.Pass || contended(j, f)
}

// contended reports whether another case may be the reason for the finding.
func contended(j *job, f reports.Finding) bool {
	return j.Case.Contends && j.deferrable() && (complains(f) || f.Reason != nil && f.Reason.Kind == reports.Undecided)
}

// deferrable reports whether the recheck may repeat the case: other cases still run, and
// none of them waits for this case.
func (j *job) deferrable() bool {
	return j.col.server.run.crowded.Load() && len(j.Case.Proves) == 0
}

// isBlocked reports whether the case could not begin.
func isBlocked(f reports.Finding) bool { return f.Reason != nil && f.Reason.Kind == reports.Blocked }

// pause lets a busy machine catch up.
func pause(ctx context.Context) {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
}

// attempt runs the case on the connection of the seat. Other cases have used that
// connection, so attempt repeats a complaint on a fresh connection, if the server is
// still there. It also repeats a skip that left the connection unusable.
func (j *job) attempt(ctx context.Context, seat *seat) (f reports.Finding, late bool) {
	irreplaceable := j.col.tolerance().Irreplaceable() // the server opens no fresh connection
	waits := j.Case.Lane == suite.Waits && irreplaceable
	shared := (j.Case.Lane == suite.Shared || j.Case.Lane == suite.Alone || waits) && !j.Case.Raw
	if !shared || seat == nil {
		return j.onFresh(ctx, seat)
	}
	r := j.col.server.run
	rechecks := r.started && !r.crowded.Load() && len(r.recheck.jobs) > 0
	if (rechecks || len(j.missed) > 0) && !irreplaceable {
		return j.onFresh(ctx, seat) // where answers were late, an answer is awaited in full only once
	}
	first, late := j.onShared(ctx, seat)
	if irreplaceable {
		if complains(first) && j.col.server.There(ctx) {
			return j.onShared(ctx, seat)
		}
		return first, late
	}
	if late {
		return first, late
	}
	lost := first.Status == reports.Skip && seat.control != nil && seat.control.Over()
	if !complains(first) && !lost || !j.col.server.There(ctx) {
		return first, false
	}
	mute, free := j.mute, j.free
	again, late := j.onFresh(ctx, seat)
	if !complains(again) && !j.col.server.There(ctx) {
		j.mute, j.free = mute, free
		return first, false // it was the last thing the server did
	}
	for _, note := range j.col.sessions(j, true) {
		if slices.Contains(first.Notes, note) && !slices.Contains(again.Notes, note) {
			again.Notes = append(again.Notes, note)
		}
	}
	return again, late
}

func complains(f reports.Finding) bool { return f.Status == reports.Fail || f.Status == reports.Warn }

// acquire waits for the lock on the state, where the case observes effects that other
// cases could cause, and for a seat. The lock comes first: a case that waits for the lock
// must not occupy a seat. A case that lets time pass needs no seat, unless it has to use the
// one connection that there is, or the server ignores requests beside others.
func (j *job) acquire(ctx context.Context) (at *seat, release func(), err error) {
	s := j.col.server
	unlock := func() {}
	switch {
	case j.isolates(j.Case.Observes):
		s.run.state.Lock()
		unlock = s.run.state.Unlock
	case j.isolates(j.Case.Disturbs), meddles(j):
		s.run.state.RLock()
		unlock = s.run.state.RUnlock
	}
	back := func() {}
	switch {
	case j.Case.Lane != suite.Waits || s.found.Hurried || j.col.tolerance().ClosesFirst() || j.col.tolerance().Irreplaceable():
		at, err = s.takeSeat(ctx, j)
		back = func() { s.leaveSeat(ctx, at) }
	case j.Column.Transport == requirements.Stdio:
		select {
		case s.waiting <- struct{}{}:
			back = func() { <-s.waiting }
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return at, sync.OnceFunc(func() { back(); unlock() }), nil
}

// isolates reports whether several cases could cause the effects by which a role is observed.
func (j *job) isolates(name roles.Name) bool {
	if name == "" {
		return false
	}
	filled, ok := j.col.ground.Roles.Role(name)
	ownState := j.Column.Transport == requirements.Stdio && j.col.server.run.plan.Config.Target.Own && !filled.Commands()
	return !ownState && (!ok || !filled.Private() || j.col.ground.Roles.SeesAll())
}

// meddles reports whether the case uses a role whose calls change what another role observes.
func meddles(j *job) bool {
	return slices.ContainsFunc(j.col.shared, func(name roles.Name) bool {
		return j.isolates(name) && slices.ContainsFunc(j.Case.Needs, func(n suite.Need) bool { return n.Asks(name) })
	})
}

// onShared runs the case on the connection of the seat. The seat keeps that connection
// after a pass or a skip, and after a warning about answers that came.
func (j *job) onShared(ctx context.Context, seat *seat) (f reports.Finding, late bool) {
	j.mute, j.free, j.left = false, false, false
	tolerates := j.col.tolerance()
	control, err := j.col.live(ctx, seat)
	if excuse := tolerates.Reopening(err); excuse != nil {
		return j.outcome(ctx, excuse), false
	}
	if err != nil {
		return j.unopened(ctx, err), tooLate(err) || j.col.crowdedOut(err, nil)
	}
	before := len(control.Notes())
	outcome := j.run(ctx, control)
	crowded := j.col.crowdedOut(outcome, control) // seen in the conversations that it detaches below
	excuse := tolerates.Excuse(outcome, control)
	outcome = cmp.Or(excuse, outcome)
	ended := control.SessionEnded()
	gone := tolerates.Irreplaceable() && outcome != nil && j.col.server.There(ctx) && control.SessionGone(ctx)
	if gone {
		excuse, outcome = tolerance.Over(), tolerance.Over()
	}
	spoiled := ended || probe.Loses(control) || tolerates.Displaces() && control.Opens()
	control.Forget()
	f = j.outcome(ctx, outcome)
	if excuse == nil {
		f.Notes = slices.Concat(control.Notes()[before:], f.Notes)
	}
	f.Notes = append(f.Notes, j.col.sessions(j, ended)...)
	for _, other := range control.Detach() {
		j.col.server.run.closeBehind(ctx, j.col.server, other)
	}
	if gone {
		j.col.server.run.closeBehind(ctx, j.col.server, control)
		seat.control, seat.of = nil, nil
	}
	sound := f.Status == reports.Pass || f.Status == reports.Skip || complains(f) && len(j.missed) == 0
	if errors.Is(outcome, errSlow) || !sound || spoiled {
		j.col.drop(ctx, seat)
	}
	return f, rests(j, outcome) && j.col.server.run.crowded.Load() || crowded
}

// ends reports whether the connection ended while the case waited for an answer: more time would
// not help.
func ends(j *job) bool { return slices.ContainsFunc(j.missed, probe.Miss.Ended) }

// rests reports whether the outcome of the case may rest on an answer that did not come.
func rests(j *job, outcome error) bool { return outcome != nil && len(j.missed) > 0 }

// onFresh runs the case on a connection of its own. Where an exchange over HTTP was cut off,
// and the server listens all the same, it may have been started anew in between: then the
// case meets it again.
func (j *job) onFresh(ctx context.Context, seat *seat) (f reports.Finding, late bool) {
	f, late = onceFresh(ctx, j, seat)
	if j.cut && (complains(f) || isBlocked(f)) && j.col.server.There(ctx) {
		return onceFresh(ctx, j, seat)
	}
	return f, late
}

func onceFresh(ctx context.Context, j *job, seat *seat) (f reports.Finding, late bool) {
	s := j.col.server
	j.cut, j.mute, j.free, j.left = false, false, false, false
	tolerates := j.col.tolerance()
	giveUp := func() { // the seat's conversation ends before another one begins
		if tolerates.Serial() && seat != nil {
			j.col.drop(ctx, seat)
		}
	}
	open := j.col.open
	if j.Case.Raw {
		open = j.col.rawLater(giveUp)
	} else {
		giveUp()
	}
	control, err := j.col.openTwice(ctx, open)
	if excuse := tolerates.Opening(err); excuse != nil {
		return j.outcome(ctx, excuse), false
	}
	if err != nil {
		return j.unopened(ctx, err), tooLate(err) || j.col.crowdedOut(err, nil)
	}
	outcome := j.run(ctx, control)
	j.cut = probe.CutOff(control)
	if err := control.Unreached(); err != nil && ctx.Err() == nil {
		s.run.closeBehind(ctx, s, control)
		return j.unopened(ctx, err), false
	}
	excuse := tolerates.Excuse(outcome, control)
	outcome = cmp.Or(excuse, tolerates.ExcuseFresh(outcome, control), outcome)
	ended := control.SessionEnded()
	f = j.outcome(ctx, outcome)
	if excuse == nil { // an excused case was disturbed, and so were its notes
		f.Notes = slices.Concat(control.Notes(), f.Notes)
	}
	f.Notes = append(f.Notes, j.col.sessions(j, ended)...)
	s.run.closeBehind(ctx, s, control)
	_, violates := errors.AsType[*probe.Violation](outcome)
	return f, violates && (control.TimedOut() || ended) || rests(j, outcome) || j.col.crowdedOut(outcome, control)
}

// sessions are the notes about the sessions of the server: on the case that owns the
// opening how many it bears, and on every case whose session was over too soon that it was: nobody can see why.
func (c *column) sessions(j *job, ended bool) []string {
	switch note := c.tolerance().Note(); {
	case note != "" && j == c.opener:
		return []string{note}
	case ended && !c.tolerance().Displaces():
		return []string{"the session was over before the case was (HTTP status 404 for its id): the server ended it by itself, " +
			"or together with another, which http/session-ended-alone judges"}
	}
	return nil
}

// errSlow is the cause when the context of a case ends because the case took too long.
var errSlow = errors.New("the case took too long")

// run lets the case speak to the server. Its own time begins when it has its
// connection. A case that is judged again gets other nonces: what it left
// behind the first time must not meet it.
func (j *job) run(ctx context.Context, c *probe.Control) error {
	r := j.col.server.run
	p := r.plan
	limit := p.caseLimit(max(j.col.setup.Waits.Answer, j.col.setup.Waits.Opening))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	parts := []string{j.Case.ID, string(j.Column.Revision), string(j.Column.Transport)}
	if j.tries++; j.tries > 1 {
		parts = append(parts, strconv.Itoa(j.tries))
	}
	c.Serve(j.Case.ID, p.nonce(parts...), !r.started || r.crowded.Load() && len(j.Case.Proves) > 0)
	var err error
	j.missed, err = probe.Judge(ctx, c, j.Case.Run)
	j.behind = len(j.missed) > 0 && j.Case.ID == allAnswered && probe.StillAnswers(ctx, c)
	if err != nil && errors.Is(context.Cause(ctx), errSlow) && errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(errSlow, &probe.Undecided{Reason: fmt.Sprintf("no verdict within %s", limit)})
	}
	return err
}
