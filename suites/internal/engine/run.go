package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/evidence"
	"github.com/mcp-conform/mcp-conform/suites/internal/patient"
	"github.com/mcp-conform/mcp-conform/suites/internal/reach"
	"github.com/mcp-conform/mcp-conform/suites/internal/watching"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Run is a target that is known and what is to be judged about it. Start
// judges everything; without it a case is judged when somebody awaits it.
type Run struct {
	plan    Plan
	servers []*server
	columns []*column
	jobs    []*job // by column, in suite order

	crowded     atomic.Bool // cases run beside one another
	recheck     recheck
	state       patient.Mutex  // held by a case that observes effects anybody could have
	telling     sync.Mutex     // findings are told one at a time
	closing     sync.WaitGroup // connections that are being closed behind their cases
	leftover    reach.Leftover
	doubts      []string     // what discovery could not learn
	connections atomic.Int64 // made so far
	held        atomic.Int64 // bytes that conversations keep
	stderr      evidence.Stderr
	working     sync.WaitGroup
	started     bool
	cut         context.CancelFunc
}

// lay makes a job of every case that applies to a column, and lets the
// watchers see what discovery heard.
func (r *Run) lay() {
	order := map[string]int{}
	for _, col := range r.columns {
		for _, spec := range r.plan.specs(col.Column) {
			spec.index = len(r.jobs)
			j := &job{Spec: spec, col: col, done: make(chan struct{})}
			r.jobs = append(r.jobs, j)
			order[j.Case.ID] = 1 + spec.index // 0 is what was said ahead of any case
			col.add(j)
		}
	}
	for _, col := range r.columns {
		col.watchers.Order(order)
		if col.spare != nil {
			col.spare.Join(col.setup, col.watchers.Link())
		}
	}
}

// Specs lists what the run will judge, by column and in suite order.
func (r *Run) Specs() []Spec {
	specs := make([]Spec, len(r.jobs))
	for i, j := range r.jobs {
		specs[i] = j.Spec
	}
	return specs
}

// Start begins to judge. Only Await, Report and Close may follow.
func (r *Run) Start(ctx context.Context) {
	ctx, r.cut = r.plan.within(ctx)
	r.started = true
	r.crowded.Store(true)
	if left := r.passOver(); r.plan.Planned != nil {
		r.plan.Planned(left)
	}
	var crowd sync.WaitGroup
	for _, s := range r.servers {
		s.schedule(ctx, r.jobs, &crowd)
	}
	r.working.Go(func() {
		crowd.Wait()
		r.closing.Wait()
		r.crowded.Store(false)
		r.alone(ctx)
		r.finish(ctx)
	})
}

// passOver gives the cases that nothing has to be asked for their skips, and counts
// those that will run.
func (r *Run) passOver() (left int) {
	for _, j := range r.jobs {
		if j.Case.Watch != nil {
			continue // settled behind the last frame, all at once
		}
		if why, unmet := j.col.unmet(j.Spec); unmet && j.claim() {
			j.deliver(skipped(j.blank(), why))
			continue
		}
		left++
	}
	return left
}

// alone judges, one by one, what was in doubt because others ran beside it,
// and then the cases that must have the machine to themselves.
func (r *Run) alone(ctx context.Context) {
	r.recheck.resolve(ctx)
	for _, j := range r.jobs {
		if j.Case.Lane == suite.Alone && j.claim() {
			j.decide(ctx)
		}
	}
}

// finish closes what cases shared, so that every frame was seen, and settles
// the watchers.
func (r *Run) finish(ctx context.Context) {
	ctx, cancel := reach.Closing(ctx)
	defer cancel()
	for _, s := range r.servers {
		s.clear(ctx)
	}
	for _, col := range r.columns {
		col.clear(ctx)
	}
	r.closing.Wait()
	for _, j := range r.jobs {
		if r.started && j.Case.Watch != nil && j.claim() {
			j.deliver(settled(j))
		}
	}
}

// Await gives the finding of one case. Where the run was not started, it
// judges the case now, and what it rests on before it.
func (r *Run) Await(ctx context.Context, s Spec) (reports.Finding, error) {
	j := r.jobs[s.index]
	switch {
	case r.started: // each case has its turn
	case j.Case.Watch != nil:
		if j.claim() {
			j.deliver(settled(j)) // it has seen what was judged before
		}
	default:
		j.start(ctx)
	}
	return j.wait(ctx)
}

// Report waits for every finding and adds them up.
func (r *Run) Report() reports.Report {
	r.working.Wait()
	findings := make([]reports.Finding, len(r.jobs))
	for i, j := range r.jobs {
		findings[i] = j.finding
	}
	report := reports.Report{
		Format: reports.Format, Kit: r.plan.Kit,
		Run: reports.Run{
			Seed: r.plan.Seed, Jobs: r.plan.Jobs, Started: r.plan.Started, DurationMs: time.Since(r.plan.Started).Milliseconds(),
		},
		Target:   r.describe(),
		Findings: findings,
	}
	r.dialects(&report.Target)
	var scopes []reports.Scope
	for _, col := range r.columns {
		scopes = append(scopes, r.plan.scope(col.Column, col.survey))
	}
	why := slices.Clone(r.doubts)
	if text := r.leftover.Text(); text != "" {
		why = append(why, text)
	}
	return r.plan.conclude(report, scopes, strings.Join(why, "\n"))
}

// Close ends whatever still runs, and waits for it.
func (r *Run) Close(ctx context.Context) {
	if r.cut != nil {
		r.cut()
	}
	r.working.Wait()
	if !r.started {
		r.finish(ctx)
	}
}

// part closes a connection behind its case, so that others need not wait for a
// server that takes seconds over it. How many servers linger has a bound.
func (r *Run) part(ctx context.Context, s *server, c *probe.Control) {
	closing, cancel := reach.Closing(ctx)
	end := func() {
		defer cancel()
		r.leftover.Add(c.Close(closing))
	}
	if s.exclusive {
		end()
		s.found.Parted(ctx)
		return
	}
	if s.few || !r.crowded.Load() {
		end()
		return
	}
	select {
	case s.leaving <- struct{}{}:
		r.closing.Go(func() { end(); <-s.leaving })
	default:
		end()
	}
}

// watch is who sees the frames of one new connection.
func (r *Run) watch(w *watching.Watchers) func(probe.Seen) {
	var see func(probe.Seen)
	if w != nil {
		see = w.Link()
	}
	if r.plan.Trace == nil {
		return see
	}
	number := int(r.connections.Add(1))
	return func(s probe.Seen) {
		r.plan.Trace(number, s)
		if see != nil {
			see(s)
		}
	}
}

// describe writes down what the target is.
func (r *Run) describe() reports.Target {
	t := reports.Target{Given: r.plan.Given}
	for _, s := range r.servers {
		t.Transports = append(t.Transports, string(s.Transport))
		t.Revisions = append(t.Revisions, s.found.Revisions()...)
		for _, era := range s.found.Eras() {
			if !slices.Contains(t.Eras, era) {
				t.Eras = append(t.Eras, era)
			}
		}
	}
	slices.Sort(t.Revisions)
	t.Revisions = slices.Compact(t.Revisions)
	for _, col := range r.columns {
		if t.Name == "" {
			name, _ := col.survey.ServerInfo["name"].(string)
			version, _ := col.survey.ServerInfo["version"].(string)
			t.Name, t.Version = name, version
		}
		for _, s := range r.plan.Suites {
			claim, ok := col.survey.Claims[s.Extension.Name]
			known := slices.ContainsFunc(t.Extensions, func(e reports.Extension) bool { return e.Name == s.Extension.Name })
			if ok && !known {
				t.Extensions = append(t.Extensions, reports.Extension{
					Name: s.Extension.Name, Claim: string(claim.Strength), Where: claim.Where,
				})
			}
		}
	}
	return t
}

// dialects puts what cases learned of the server's forms into the report.
func (r *Run) dialects(t *reports.Target) {
	for _, col := range r.columns {
		known := col.setup.Memory.Known()
		for i := range t.Extensions {
			e := &t.Extensions[i]
			e.Dialect = cmp.Or(e.Dialect, known["dialect:"+e.Name])
			for key, form := range known {
				if strings.HasPrefix(key, "form:"+e.Name+"/") && form != "" && !slices.Contains(e.Forms, form) {
					e.Forms = append(e.Forms, form)
				}
			}
			slices.Sort(e.Forms)
		}
	}
}
