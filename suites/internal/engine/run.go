package engine

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/evidence"
	"github.com/mcp-conform/mcp-conform/suites/internal/sdks"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/internal/tolerance"
	"github.com/mcp-conform/mcp-conform/suites/internal/verdict"
	"github.com/mcp-conform/mcp-conform/suites/internal/watching"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Run knows the target and the cases to judge. Start judges all cases. In a run that
// was not started, Await judges one case.
type Run struct {
	plan    Plan
	servers []*server
	columns []*column
	jobs    []*job // by column, in suite order

	crowded     atomic.Bool // cases run beside one another
	recheck     recheck
	state       bubblelock.Mutex // a case that observes effects other cases could cause has it alone
	telling     sync.Mutex       // findings are told one at a time
	closing     sync.WaitGroup   // connections that are closing behind their cases
	leftover    connect.Leftover
	offer       probe.Offer  // of data for the target, at one origin for all columns
	doubts      []string     // facts that discovery could not learn
	connections atomic.Int64 // how many were opened so far
	keptBytes   atomic.Int64 // how many bytes of frames all conversations keep
	stderr      evidence.Stderr
	working     sync.WaitGroup
	started     bool
	cut         context.CancelFunc
}

// addJobs makes a job of every case that applies to a column, and shows the watchers the
// frames that discovery received.
func (r *Run) addJobs() {
	order := map[string]int{}
	for _, col := range r.columns {
		for spec := range r.plan.applying(col.Column) {
			spec.Index = len(r.jobs)
			j := &job{Spec: spec, col: col, done: make(chan struct{})}
			r.jobs = append(r.jobs, j)
			order[j.Case.ID] = 1 + spec.Index // 0 stands for frames before the first case
			col.add(j)
		}
	}
	for _, col := range r.columns {
		col.watchers.Order(order)
		for _, control := range []*probe.Control{col.idle, col.spent} {
			if control != nil {
				control.Join(col.setup, col.watchers.Link())
			}
		}
	}
}

// Specs lists the cases that the run judges, by column and in suite order.
func (r *Run) Specs() []specs.Spec {
	all := make([]specs.Spec, len(r.jobs))
	for i, j := range r.jobs {
		all[i] = j.Spec
	}
	return all
}

// Start begins to judge all cases. Only Await, Report and Close may follow.
func (r *Run) Start(ctx context.Context) {
	ctx, r.cut = r.plan.within(ctx)
	r.started = true
	r.crowded.Store(true)
	if left := r.skipUnmet(); r.plan.Planned != nil {
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
		r.judgeAlone(ctx)
		r.finish(ctx)
	})
}

// skipUnmet skips the cases whose needs the server does not meet, and counts the cases
// that will run.
func (r *Run) skipUnmet() (left int) {
	for _, j := range r.jobs {
		if j.Case.Watch != nil {
			continue // finish settles the watchers after the last frame
		}
		if why, unmet := j.col.unmet(j.Spec); unmet && j.claim() {
			j.deliver(skipped(j.Blank(), why))
			continue
		}
		left++
	}
	return left
}

// judgeAlone repeats, one by one, the cases that the recheck keeps, and judges the cases of
// lane Alone: the one on lost requests first, and the others last.
func (r *Run) judgeAlone(ctx context.Context) {
	if len(r.recheck.jobs) > 0 {
		for _, s := range r.servers {
			s.health.connected() // a case that got no connection beside others may get one now
			if s.found.Tolerance == tolerance.Many {
				s.closeSeats(ctx) // an idle session may be one too many
			}
		}
		r.closing.Wait()
	}
	alone := func(last bool) {
		for _, j := range r.jobs {
			if j.Case.Lane == suite.Alone && (last || j.Case.ID == allAnswered) && j.claim() {
				r.recheck.prepare(j)
				j.decide(ctx)
			}
		}
	}
	alone(false)
	caused := r.recheck.resolve(ctx)
	alone(true)
	for _, j := range caused {
		j.deliver(leftTo(j, j.finding))
	}
}

// finish closes the shared connections, so that the watchers see every frame, and then
// settles the watchers.
func (r *Run) finish(ctx context.Context) {
	ctx, cancel := connect.Closing(ctx)
	defer cancel()
	for _, s := range r.servers {
		s.closeSeats(ctx)
	}
	for _, col := range r.columns {
		col.closeKept(ctx, col.takeIdle())
	}
	r.closing.Wait()
	for _, j := range r.jobs {
		if r.started && j.Case.Watch != nil && j.claim() {
			j.deliver(settled(j))
		}
	}
}

// Await gives the finding of one case. In a run that was not started, Await first judges
// the cases that this case depends on, and then the case.
func (r *Run) Await(ctx context.Context, s specs.Spec) (reports.Finding, error) {
	j := r.jobs[s.Index]
	switch {
	case r.started: // the schedule judges the case
	case j.Case.Watch != nil:
		if j.claim() {
			j.deliver(settled(j)) // the watcher saw only the cases judged so far
		}
	default:
		j.start(ctx)
	}
	return j.wait(ctx)
}

// Report waits for every finding and adds them up.
func (r *Run) Report() reports.Report {
	r.working.Wait()
	return r.SoFar()
}

// SoFar adds up the findings that there are. A case without one was not judged.
func (r *Run) SoFar() reports.Report {
	findings := make([]reports.Finding, len(r.jobs))
	for i, j := range r.jobs {
		select {
		case <-j.done:
			findings[i] = j.finding
		default:
			findings[i] = skipped(j.Blank(), interrupted()).Map(r.plan.Secrets.Hide)
		}
	}
	sdks.Note(findings)
	report := reports.Report{
		Format: reports.Format, Kit: r.plan.Kit,
		Run: reports.Run{
			Seed: r.plan.Seed, Jobs: r.plan.Jobs, Started: r.plan.Started, DurationMs: time.Since(r.plan.Started).Milliseconds(),
		},
		Findings: findings,
	}
	sum := verdict.Sum{Plan: r.plan.Plan, Book: r.plan.Book}
	for _, s := range r.servers {
		sum.Transports = append(sum.Transports, verdict.Transport{Name: s.Transport, Revisions: s.found.Revisions(), Eras: s.found.Eras()})
	}
	for _, col := range r.columns {
		sum.Columns = append(sum.Columns, verdict.Column{Place: col.Column, Survey: col.survey, Memory: col.setup.Memory})
	}
	why := slices.Clone(r.doubts)
	if text := r.leftover.Text(); text != "" {
		why = append(why, text)
	}
	report = sum.Of(report, strings.Join(why, "\n"))
	if text := r.recheck.died.Text(); text != "" {
		report.Verdict.Remark(r.plan.Secrets.Hide(text))
	}
	return report
}

// Close ends the cases that still run, and waits for them.
func (r *Run) Close(ctx context.Context) {
	if r.cut != nil {
		r.cut()
	}
	r.working.Wait()
	if !r.started {
		r.finish(ctx)
	}
}

// closeBehind closes a connection while the next case already runs, since a server may
// take seconds to end. The channel leaving bounds how many connections close at once.
func (r *Run) closeBehind(ctx context.Context, s *server, c *probe.Control) {
	closing, cancel := connect.Closing(ctx)
	end := func() {
		defer cancel()
		r.leftover.Add(c.Close(closing))
	}
	if s.found.Tolerance.ClosesFirst() || !r.crowded.Load() {
		end()
		s.found.Parted(ctx)
		return
	}
	select {
	case s.leaving <- struct{}{}:
		r.closing.Go(func() { end(); <-s.leaving })
	default:
		end()
	}
}

// watch gives the function that sees the frames of one new connection.
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
