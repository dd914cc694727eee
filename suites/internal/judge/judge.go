// Package judge carries out a plan: it has the target started, the engine run, and gives
// the report.
package judge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/evidence"
	"github.com/mcp-conform/mcp-conform/suites/internal/pages"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// A Show shows the findings of a run while they are made, or is nil.
type Show func(context.Context, *engine.Run) error

// Judge returns the report on a server; suites.Judge says more. It returns within ten
// seconds after ctx ends, or the limit of the plan is over.
func Judge(ctx context.Context, p plan.Plan, show Show) (reports.Report, error) {
	j := &judging{plan: complete(p)}
	return j.watched(ctx, show)
}

// whole carries the plan out to its end.
func (j *judging) whole(ctx context.Context, show Show) (reports.Report, error) {
	p := j.plan
	starting, cancel := ctx, context.CancelFunc(func() {})
	if p.Limit > 0 {
		starting, cancel = context.WithDeadline(ctx, p.Started.Add(p.Limit))
	}
	ready, err := Prepare(starting, p)
	cancel()
	if err != nil {
		return reports.Report{}, err
	}
	defer ready.Target.Stop()
	r, err := ready.report(ctx, show, func(run *engine.Run) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.prepared, j.run = ready, run
	})
	p.Record.Over(ready.Secrets.All())
	return r.Map(ready.Secrets.Hide), err
}

// report is the report of a run before secrets are hidden. The function begun gets the run.
func (p *Prepared) report(ctx context.Context, show Show, begun func(*engine.Run)) (reports.Report, error) {
	if p.Target.Trouble != "" {
		r := p.unjudged(p.Target.Trouble)
		_, r.Stderr = p.Target.Ended(0)
		return r, nil
	}
	var refusals evidence.Refusals
	p.Trace = refusals.Beside(p.Trace)
	run, err := engine.Begin(ctx, p.Plan)
	if u := (*engine.Unreachable)(nil); errors.As(err, &u) {
		r := p.unjudged(u.Text)
		r.Stderr = u.Stderr
		p.died(&r, 200*time.Millisecond)
		return r, nil
	}
	if mistake := (*config.Error)(nil); errors.As(err, &mistake) {
		return reports.Report{}, mistake
	}
	if err != nil {
		return p.cutShort(err), nil
	}
	begun(run)
	run.Start(ctx)
	defer run.Close(ctx)
	if show != nil {
		err = show(ctx, run)
	}
	r := run.Report()
	if err != nil {
		mark(p.Shard, &r, p.Suites, !p.Part)
		return reports.Settle(r, reports.Policy{Incomplete: err.Error()}), nil
	}
	if !p.ending(ctx, &r) {
		refusals.Say(&r)
		p.died(&r, 0)
	}
	return r, nil
}

// ending completes the report on a run, and says whether the run was cut short, and why.
func (p *Prepared) ending(ctx context.Context, r *reports.Report) (cut bool) {
	mark(p.Shard, r, p.Suites, !p.Part)
	if p.Given == "" && p.Again == "" {
		// The caller did not say how a command line names this target.
		for i := range r.Findings {
			r.Findings[i].Again = ""
		}
	}
	switch {
	case ctx.Err() != nil:
		r.Verdict.Text = reports.Interruption(true)
	case p.Limit > 0 && time.Since(p.Started) >= p.Limit:
		r.Verdict.Text = fmt.Sprintf("cut short after %s, the limit of this run: these are the findings so far, the rest was not judged", p.Limit)
	default:
		return false
	}
	return true
}

// died adds to the report that the server started for the run has ended, and
// why: that explains other findings.
func (p *Prepared) died(r *reports.Report, within time.Duration) {
	text, stderr := p.Target.Ended(within)
	if text == "" {
		return
	}
	if r.Verdict.Status == reports.Unjudged {
		text += "\n" + r.Verdict.Text
	}
	r.Verdict.Text, r.Stderr = text, stderr
}

func (p *Prepared) unjudged(text string) reports.Report {
	return reports.Settle(reports.Report{
		Format: reports.Format, Kit: p.Kit,
		Run:     reports.Run{Seed: p.Seed, Jobs: p.Jobs, Started: p.Started, DurationMs: time.Since(p.Started).Milliseconds()},
		Target:  reports.Target{Given: p.Given},
		Verdict: reports.Verdict{Status: reports.Unjudged, Text: text},
	}, reports.Policy{})
}

func (p *Prepared) cutShort(err error) reports.Report {
	if p.Limit > 0 && errors.Is(err, context.DeadlineExceeded) {
		return p.unjudged(fmt.Sprintf("cut short after %s, the limit of this run, before anything was judged", p.Limit))
	}
	return p.unjudged("cut short before anything was judged: " + err.Error())
}

// Begin starts the engine, for callers that ask for the findings one by one.
// Its error holds no secret.
func (p *Prepared) Begin(ctx context.Context) (*engine.Run, error) {
	if p.Target.Trouble != "" {
		return nil, errors.New(p.Secrets.Hide(p.Target.Trouble))
	}
	run, err := engine.Begin(ctx, p.Plan)
	if err == nil {
		return run, nil
	}
	if text := p.Secrets.Hide(err.Error()); text != err.Error() {
		return nil, errors.New(text)
	}
	return nil, err
}

// complete fills in the kit's own suites and defaults.
func complete(p plan.Plan) plan.Plan {
	if p.Jobs == 0 {
		p.Jobs = 8
	}
	if rate := p.Config.Limits.Rate; rate > 0 {
		// No request waits longer than about half a second for its turn.
		p.Jobs = min(p.Jobs, max(1, rate/2))
	}
	if p.Timeout == 0 {
		p.Timeout = 10 * time.Second
	}
	if p.StartTimeout == 0 {
		p.StartTimeout = 6 * p.Timeout
	}
	if p.Started.IsZero() {
		p.Started = time.Now()
	}
	if p.Epoch.IsZero() {
		p.Epoch = p.Started.Round(0)
	}
	if p.Version == "" {
		p.Version = "devel"
	}
	return p
}

// Prepared is a plan in the form of the engine, and its target.
type Prepared struct {
	engine.Plan
	Target *connect.Target
}

// Prepare checks a plan and starts its target.
func Prepare(ctx context.Context, p plan.Plan) (*Prepared, error) {
	p = complete(p)
	book, err := bookOf(&p)
	if err != nil {
		return nil, err
	}
	to, err := connect.To(ctx, p)
	if err != nil {
		return nil, err
	}
	part := p.Selected != nil
	p.Config, p.Selected = to.Config, shardSelection(p.Shard, p.Suites, p.Selected)
	return &Prepared{Target: to, Plan: engine.Plan{
		Plan: p, Book: book, Schemas: schemas.Load(), Secrets: config.NewSecrets(p.Config),
		Ways: to.Ways, Mint: to.Mint, Part: part, Lasting: lasting(p),
		Kit: kitOf(p),
	}}, nil
}

// kitOf is the program that carries out a plan, as every report names it.
func kitOf(p plan.Plan) reports.Kit { return reports.Kit{Name: "mcp-conform", Version: p.Version} }

// bookOf is the book of a plan's suites, or of the kit's own where the plan names none.
func bookOf(p *plan.Plan) (*specs.Book, error) {
	if p.Suites == nil {
		own := ownBook()
		if p.Suites = own.Suites; own.Rules != nil {
			return own, nil
		}
	}
	rules, err := pages.Checked(p.Suites)
	if err != nil {
		return nil, err
	}
	return specs.NewBook(p.Suites, rules), nil
}

// ownBook is the book of the kit's own suites, which all runs share.
//
//nolint:gochecknoglobals // see above
var ownBook = sync.OnceValue(func() *specs.Book { return specs.NewBook(pages.Own().Suites, pages.Own().Catalogue) })

// lasting reports whether the server, or its state, outlives the run.
func lasting(p plan.Plan) bool {
	t := p.Config.Target
	return p.Local == nil && (t.Durable || t.URL != "" && len(t.Start) == 0)
}
