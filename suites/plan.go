package suites

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Plan says what is to be judged and how. Its zero value with a target is a
// good one.
type Plan struct {
	Config config.Config
	Local  *Local // a server inside this program, instead of the configured target

	Suites   []suite.Suite                          // nil: All
	Selected func(s suite.Suite, c suite.Case) bool // nil: every case
	Named    []string                               // ids of cases whose absence from a revision is reported
	Shard    Shard                                  // which part of the selected cases; the zero value is all of them

	Seed    uint64        // all random choices come from it
	Jobs    int           // cases at once; 0: 8
	Timeout time.Duration // how long one answer is awaited; 0: 10 s
	// StartTimeout is how long the server may take to its first answer; 0: six
	// times the timeout. How long it took then says how long later starts may take.
	StartTimeout time.Duration
	Limit        time.Duration // how long the run may take; 0: for ever

	Processes *Processes // those that the run starts are among them; nil: nobody has to end them at once

	AllowSideEffects bool // call any tool whose arguments can be made up

	Version string // of the program that judges
	Given   string // the target as the user named it
	Again   string // how a command line ends that judges the same target
	Started time.Time

	Planned  func(cases int)       // told once, before the first of them, how many cases will run; watchers come behind those
	Progress func(reports.Finding) // told of every finding as it is made, one at a time
	// Trace is shown every frame of the run, with the number of its
	// connection; several goroutines ask it.
	Trace func(connection int, s probe.Seen)

	catalogue *requirements.Catalogue // that of the suites, if they have been checked
}

// Local is a server that runs inside this program.
type Local struct {
	// Serve stands in for a process: standard input and output, a channel that
	// closes when it is asked to end, and a context that ends when it is killed.
	Serve func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int
	// Handler serves Streamable HTTP at Path, and HTTP+SSE at SSE where that is
	// named; the latter is judged when it is asked for.
	Handler http.Handler
	Path    string
	SSE     string
	// Within has clients connect to the handler without a network, as if it were at port
	// 8080 of loopback: in a bubble of testing/synctest, waits for it take no time then.
	Within bool
	// Everywhere has it listen on all addresses of the machine, instead of on loopback,
	// and not within this program alone.
	Everywhere bool
	// Conn stands between a connection and the handler; nil where nothing does.
	Conn func(net.Conn) net.Conn
	// Login gives what lets clients in that ask the handler at a URL, in place of what
	// the configuration says of the same roles; nil where everybody is let in. Mint
	// gives further tokens.
	Login func(url string) ([]roles.Filled, error)
	Mint  func(ctx context.Context, url, scope, resource string) (string, error)
}

// Judge gives the report on a server. A server that cannot be reached or
// understood is a report too: its verdict is unjudged and says why. The error
// is that of a plan that cannot be carried out. No secret that the run knew of at
// its end stands in the report.
func Judge(ctx context.Context, p Plan) (reports.Report, error) {
	return judge(ctx, p, func(_ context.Context, r *engine.Run) error { return nil })
}

// JudgeWithGinkgo is Judge with every finding shown to Ginkgo as a spec, as
// the command does it. Ginkgo prints nothing.
func JudgeWithGinkgo(ctx context.Context, p Plan) (reports.Report, error) {
	return judge(ctx, p, specs.Run)
}

func judge(ctx context.Context, p Plan, show func(context.Context, *engine.Run) error) (reports.Report, error) {
	p = p.complete()
	starting, cancel := ctx, context.CancelFunc(func() {})
	if p.Limit > 0 {
		starting, cancel = context.WithDeadline(ctx, p.Started.Add(p.Limit))
	}
	plan, stop, err := p.prepare(starting)
	cancel()
	if err != nil {
		return reports.Report{}, err
	}
	defer stop()
	r, err := p.report(ctx, plan, show)
	return r.Map(plan.Secrets.Hide), err
}

// report is the report of a run before secrets are hidden.
func (p Plan) report(ctx context.Context, plan prepared, show func(context.Context, *engine.Run) error) (reports.Report, error) {
	if plan.unreached != "" {
		r := unjudged(plan.Plan, plan.unreached)
		if plan.ended != nil {
			_, r.Stderr = plan.ended(0)
		}
		return r, nil
	}
	run, err := engine.Begin(ctx, plan.Plan)
	if u := (*engine.Unreachable)(nil); errors.As(err, &u) {
		r := unjudged(plan.Plan, u.Text)
		r.Stderr = u.Stderr
		plan.died(&r, 200*time.Millisecond)
		return r, nil
	}
	if mistake := (*config.Error)(nil); errors.As(err, &mistake) {
		return reports.Report{}, mistake
	}
	if err != nil {
		return cutShort(plan.Plan, err), nil
	}
	run.Start(ctx)
	defer run.Close(ctx)
	if err := show(ctx, run); err != nil {
		r := run.Report()
		p.Shard.mark(&r, p.Suites, p.Selected == nil)
		return reports.Settle(r, reports.Policy{Incomplete: err.Error()}), nil
	}
	r := run.Report()
	p.Shard.mark(&r, p.Suites, p.Selected == nil)
	if p.Given == "" && p.Again == "" {
		// Nobody said how this target is named on a command line.
		for i := range r.Findings {
			r.Findings[i].Again = ""
		}
	}
	switch {
	case ctx.Err() != nil:
		r.Verdict.Text = "interrupted: these are the findings so far, the rest was not judged"
	case p.Limit > 0 && time.Since(p.Started) >= p.Limit:
		r.Verdict.Text = fmt.Sprintf("cut short after %s, the limit of this run: these are the findings so far, the rest was not judged", p.Limit)
	default:
		plan.died(&r, 0)
	}
	return r, nil
}

// died says in the report that the server has ended which was started for the run, and
// what of: that explains what else stands there.
func (p prepared) died(r *reports.Report, within time.Duration) {
	if p.ended == nil {
		return
	}
	text, stderr := p.ended(within)
	if text == "" {
		return
	}
	if r.Verdict.Status == reports.Unjudged {
		text += "\n" + r.Verdict.Text
	}
	r.Verdict.Text, r.Stderr = text, stderr
}

func unjudged(p engine.Plan, text string) reports.Report {
	return reports.Settle(reports.Report{
		Format: reports.Format, Kit: p.Kit,
		Run:     reports.Run{Seed: p.Seed, Jobs: p.Jobs, Started: p.Started, DurationMs: time.Since(p.Started).Milliseconds()},
		Target:  reports.Target{Given: p.Given},
		Verdict: reports.Verdict{Status: reports.Unjudged, Text: text},
	}, reports.Policy{})
}

func cutShort(p engine.Plan, err error) reports.Report {
	if p.Limit > 0 && errors.Is(err, context.DeadlineExceeded) {
		return unjudged(p, fmt.Sprintf("cut short after %s, the limit of this run, before anything was judged", p.Limit))
	}
	return unjudged(p, "cut short before anything was judged: "+err.Error())
}

func (p Plan) complete() Plan {
	if p.Suites == nil {
		own := ours()
		p.Suites, p.catalogue = own.suites, own.catalogue
	}
	if p.Jobs == 0 {
		p.Jobs = 8
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
	if p.Version == "" {
		p.Version = "devel"
	}
	return p
}

// prepared is a plan whose target has been started, as far as it had to be.
type prepared struct {
	engine.Plan
	unreached string
	// ended says how the server that was started for the run ended in the midst
	// of it, or within some time, and what it wrote to stderr; empty when it did not.
	// It is nil when none was started.
	ended func(within time.Duration) (text, stderr string)
}

func (p Plan) prepare(ctx context.Context) (prepared, func(), error) {
	p = p.complete()
	catalogue := p.catalogue
	if catalogue == nil {
		var err error
		if catalogue, err = checked(p.Suites); err != nil {
			return prepared{}, nil, err
		}
	}
	plan := prepared{Plan: engine.Plan{
		Suites: p.Suites, Catalogue: catalogue, Schemas: schemas.Load(), Config: p.Config,
		Selected: p.Shard.of(p.Suites, p.Selected), Part: p.Selected != nil, Named: p.Named,
		Seed: p.Seed, Lasting: p.lasting(), Jobs: p.Jobs, Timeout: p.Timeout, StartTimeout: p.StartTimeout, Limit: p.Limit,
		Kit:   reports.Kit{Name: "mcp-conform", Version: p.Version},
		Given: p.Given, Again: p.Again, Started: p.Started,
		AllowSideEffects: p.AllowSideEffects, Environment: environment(p.Config.Target.Env), Family: p.Processes.of(),
		Planned: p.Planned, Progress: p.Progress, Trace: p.Trace,
	}}
	stop, err := p.reach(ctx, &plan)
	plan.Secrets = config.NewSecrets(plan.Config) // the way to the target may come with some
	return plan, stop, err
}

// lasting reports whether the server, or its state, is still there after the run.
func (p Plan) lasting() bool {
	t := p.Config.Target
	return p.Local == nil && (t.Durable || t.URL != "" && len(t.Start) == 0)
}
