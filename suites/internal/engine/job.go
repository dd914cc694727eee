package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A job is one case in one column: a finding that is made once, by whoever
// asks for it first.
type job struct {
	Spec
	col *column

	claimed atomic.Bool
	done    chan struct{}
	finding reports.Finding // set before done is closed
	tries   int             // how often the case was judged; one goroutine at a time does
	mute    bool            // it found that the server answers nothing; set before done is closed
}

// claim reports whether the caller is the one to judge.
func (j *job) claim() bool { return j.claimed.CompareAndSwap(false, true) }

// start judges the case unless somebody else does.
func (j *job) start(ctx context.Context) {
	if j.claim() {
		j.decide(ctx)
	}
}

// wait gives the finding once it is made.
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

// decide comes to the finding. A complaint that followed something late counts
// when it is repeated alone; others wait for what proves something, so that is
// repeated at once.
func (j *job) decide(ctx context.Context) {
	if why, skip := j.held(ctx); skip {
		j.deliver(skipped(j.blank(), why))
		return
	}
	f, late := j.judge(ctx)
	r := j.col.server.run
	switch {
	case late && j.deferrable():
		r.recheck.add(j, f) // whoever resolves it delivers it
		return
	case late && r.crowded.Load():
		rest(ctx)
		f, _ = j.judge(ctx)
	}
	j.deliver(f)
}

// judge runs the case when its turn has come, and says what it found. It is
// late when it complains and the server was too late for something.
func (j *job) judge(ctx context.Context) (f reports.Finding, late bool) {
	s := j.col.server
	seat, release, err := j.hold(ctx)
	if err != nil {
		return skipped(j.blank(), interrupted()), false
	}
	defer release()
	if f, lost, forGood := s.standing.lost(j); lost {
		return f, !forGood && j.deferrable()
	}
	defer s.standing.enter(j.Case.ID)()
	began := time.Now()
	f, late = j.attempt(ctx, seat)
	if late && undecided(f) {
		s.crowd()
		if j.deferrable() {
			return f, true // nobody is blamed before it was tried alone
		}
	}
	release() // the case that owns the opening may want the seat
	f = s.standing.blame(ctx, j, f)
	f.DurationMs = time.Since(began).Milliseconds()
	return f, late && (complains(f) || undecided(f))
}

// deferrable reports whether a doubt can be resolved when nothing else runs: nobody
// waits for what the case proves.
func (j *job) deferrable() bool {
	return j.col.server.run.crowded.Load() && len(j.Case.Proves) == 0
}

// undecided reports whether the case could not begin.
func undecided(f reports.Finding) bool { return f.Reason != nil && f.Reason.Kind == reports.Blocked }

// rest lets a busy machine catch up.
func rest(ctx context.Context) {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
}

// attempt lets the case run on the connection that is there. Others were on it
// before, so a complaint has to be repeated where nobody was, if there is
// still a server that could show it; so has a skip on a connection that is of no
// use any more.
func (j *job) attempt(ctx context.Context, seat *seat) (f reports.Finding, late bool) {
	shared := (j.Case.Lane == suite.Shared || j.Case.Lane == suite.Alone) && !j.Case.Raw
	if !shared || seat == nil {
		return j.onFresh(ctx, seat)
	}
	first, late := j.onShared(ctx, seat)
	if j.col.lone() && complains(first) { // no other connection can be had to try it on
		return j.onShared(ctx, seat)
	}
	if late || j.col.lone() {
		return first, late
	}
	lost := first.Status == reports.Skip && seat.control != nil && seat.control.Over()
	if !complains(first) && !lost || !j.col.server.There(ctx) {
		return first, false
	}
	again, late := j.onFresh(ctx, seat)
	if !complains(again) && !j.col.server.There(ctx) {
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

// urgency orders the jobs of a column; what starts first has the least. Ahead of
// other connections come those that are there, and on them what others rest on and
// what the server offers: most findings are about that.
func (s Spec) urgency() int {
	urgency := 0
	if s.Case.Lane == suite.Fresh || s.Case.Raw {
		urgency = beside
	}
	switch {
	case len(s.Case.Proves) > 0:
		return urgency
	case slices.ContainsFunc(s.Case.Needs, func(n suite.Need) bool { return n.Any[0].Kind == suite.CapabilityKind }):
		return urgency + 1
	default:
		return urgency + 2
	}
}

// beside is the least urgency of what opens a connection of its own.
const beside = 3

// hold waits for what the case needs: the state, where it observes effects that
// anybody could have, and a seat. First the state: a case that waits for it must
// not keep others from working. A case that lets time pass needs no seat.
func (j *job) hold(ctx context.Context) (at *seat, release func(), err error) {
	s := j.col.server
	unlock := func() {}
	if j.changesState() {
		s.run.state.Lock()
		unlock = s.run.state.Unlock
	}
	back := func() {}
	switch {
	case j.Case.Lane != suite.Waits || s.exclusive || s.few:
		at, err = s.sit(ctx, j.col)
		back = func() { s.leave(ctx, at) }
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

// changesState reports whether the case observes effects that others could have.
func (j *job) changesState() bool {
	if j.Case.Observes == "" {
		return false
	}
	filled, ok := j.col.ground.Roles.Role(j.Case.Observes)
	return !ok || !private(filled)
}

// private reports whether no other call's effects can be seen by the role's
// observers, so that nothing has to be locked.
func private(filled roles.Filled) bool {
	all := filled.Observers()
	return len(all) > 0 && !slices.ContainsFunc(all, func(o roles.Observe) bool { return !o.Private() })
}

// onShared runs the case on the connection of the seat. After anything but a
// pass or a skip that connection is not used any more.
func (j *job) onShared(ctx context.Context, seat *seat) (f reports.Finding, late bool) {
	control, err := j.col.live(ctx, seat)
	if o := (*probe.OpeningError)(nil); errors.As(err, &o) && j.col.lone() {
		return j.outcome(ctx, over()), false
	} else if o != nil && j.col.server.few {
		return j.outcome(ctx, taken()), false
	}
	if err != nil {
		return j.unopened(ctx, err), tooLate(err)
	}
	before := len(control.Notes())
	excused, outcome := j.col.excuse(j.run(ctx, control), control)
	ended := control.SessionEnded()
	gone := j.col.lone() && outcome != nil && control.SessionGone(ctx)
	if gone {
		excused, outcome = true, over()
	}
	spoiled := ended || j.col.server.single && control.Opens()
	control.Forget()
	f = j.outcome(ctx, outcome)
	if !excused {
		f.Notes = slices.Concat(control.Notes()[before:], f.Notes)
	}
	f.Notes = append(f.Notes, j.col.sessions(j, ended)...)
	for _, other := range control.Detach() {
		j.col.server.run.part(ctx, j.col.server, other)
	}
	if gone {
		j.col.server.run.part(ctx, j.col.server, control)
		seat.control, seat.of = nil, nil
	}
	if errors.Is(outcome, errSlow) || f.Status != reports.Pass && f.Status != reports.Skip || spoiled {
		j.col.drop(ctx, seat)
	}
	return f, false
}

// onFresh runs the case on a connection of its own.
func (j *job) onFresh(ctx context.Context, seat *seat) (f reports.Finding, late bool) {
	s := j.col.server
	alone := func() { // what bears no second process gives up the one that is there
		if s.exclusive && seat != nil {
			j.col.drop(ctx, seat)
		}
	}
	open := j.col.open
	if j.Case.Raw {
		open = j.col.later(alone)
	} else {
		alone()
	}
	control, err := j.col.twice(ctx, open)
	if o := (*probe.OpeningError)(nil); (j.col.lone() || s.few) && errors.As(err, &o) {
		return j.outcome(ctx, taken()), false
	}
	if err != nil {
		return j.unopened(ctx, err), tooLate(err)
	}
	outcome := j.run(ctx, control)
	if err := control.Unreached(); err != nil && ctx.Err() == nil {
		s.run.part(ctx, s, control)
		return j.unopened(ctx, err), false
	}
	v := (*probe.Violation)(nil)
	if errors.As(outcome, &v) && control.DiedBeforeSpeaking() && s.exclusive {
		outcome = probe.Undecide("a second process of the server ends while another one runs, and this takes two")
	}
	excused, outcome := j.col.excuse(outcome, control)
	ended := control.SessionEnded()
	if errors.As(outcome, &v) && ended && s.single && control.Opens() {
		outcome = probe.Undecide("a new session ends the one before (HTTP status 404 for its id), and this takes two")
	}
	f = j.outcome(ctx, outcome)
	if !excused {
		f.Notes = slices.Concat(control.Notes(), f.Notes)
	}
	f.Notes = append(f.Notes, j.col.sessions(j, ended)...)
	s.run.part(ctx, s, control)
	return f, errors.As(outcome, &v) && (control.TimedOut() || ended)
}

// excuse makes undecided what came of a session or a stream that the server refused,
// where it lets there be only one. What was noted on the way means nothing then.
func (c *column) excuse(outcome error, control *probe.Control) (bool, error) {
	v, o := (*probe.Violation)(nil), (*probe.OpeningError)(nil)
	blames := errors.As(outcome, &v) || errors.As(outcome, &o)
	further := o != nil || v != nil && control.Opens()
	if (c.lone() || c.server.few && further) && control.Unadmitted() {
		return true, taken()
	}
	if c.server.exclusive && blames && control.StreamRefused() {
		return true, probe.Undecide("a stream is refused while another one is open, and this takes two")
	}
	if c.server.single && c.server.Transport == requirements.SSE && errors.As(outcome, &v) && control.Opens() && control.Over() {
		return true, probe.Undecide("a new stream ends the one before, and this takes two")
	}
	return false, outcome
}

func over() error {
	return probe.Undecide("the server ended the session, and begins no other")
}

func taken() error {
	return probe.Undecide("beside the sessions that there are, the server refused a further one, and this takes one of its own")
}

// sessions are the notes about sessions that the server ends: once on the case that
// owns the opening, and wherever it happened.
func (c *column) sessions(j *job, ended bool) []string {
	switch s := c.server; {
	case s.single && j == c.opener:
		return []string{"the server has one session at a time, and a new one ends the one before; so cases ran one after the other"}
	case c.lone() && j == c.opener:
		return []string{"beside the session that there is, the server refused a further one; what takes one of its own is undecided"}
	case s.few && j == c.opener:
		return []string{"beside a few sessions, the server refused a further one; so cases ran one after the other"}
	case ended && !s.single:
		return []string{"the server ended the session by itself (HTTP status 404 for its id)"}
	}
	return nil
}

// errSlow is why the context of a case ends that takes too long.
var errSlow = errors.New("the case took too long")

// run lets the case speak to the server. Its own time begins when it has its
// connection. A case that is judged again gets other nonces: what it left
// behind the first time must not meet it.
func (j *job) run(ctx context.Context, c *probe.Control) error {
	p := j.col.server.run.plan
	limit := p.caseLimit(max(j.col.setup.Waits.Answer, j.col.setup.Waits.Opening))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	parts := []string{j.Case.ID, string(j.Column.Revision), string(j.Column.Transport)}
	if j.tries++; j.tries > 1 {
		parts = append(parts, strconv.Itoa(j.tries))
	}
	c.Serve(j.Case.ID, p.nonce(parts...))
	err := guarded(ctx, j.Spec, c.Client)
	if err != nil && errors.Is(context.Cause(ctx), errSlow) && errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(errSlow, probe.Undecide(fmt.Sprintf("no verdict within %s", limit)))
	}
	return err
}

// guarded runs the case's function. A panic is the case's error, and so is the
// end of its goroutine, which functions of testing bring about.
func guarded(ctx context.Context, s Spec, c *probe.Client) error {
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
