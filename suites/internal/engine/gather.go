package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Gathering is a run under way: the target is known, what applies is
// planned, and findings come in.
type Gathering struct {
	plan        Plan
	target      reports.Target
	columns     []Column
	surveys     map[Column]*probe.Survey
	rooms       map[Column]*room
	presences   map[requirements.Transport]*presence
	extensionOf map[string]string // suite name to the extension it belongs to
	redact      func(string) string

	specs       []Spec
	futures     map[specKey]*future
	await       func(context.Context, Spec) (reports.Finding, error) // how a case gets at another's finding
	workers     *workers
	leaving     chan struct{} // cases that close their connection without a worker
	starts      gate          // servers that are starting
	waiters     chan struct{} // cases that let time pass beside a process of their own
	state       sync.Mutex    // held by a case that observes effects anybody could have
	telling     sync.Mutex
	connections atomic.Int64 // begun so far
	held        atomic.Int64 // bytes that conversations keep
	working     sync.WaitGroup
	cut         context.CancelFunc
}

// A room is what the cases of one column share.
type room struct {
	column Column
	setup  probe.Setup
	dial   func(context.Context) (probe.Link, error) // the connection that a case begins with
	roles  roles.Set
	tower  *tower
	pool   *pool
	active sync.WaitGroup // cases of the column that may still open connections

	shared relay         // the shared lane
	live   *probe.Client // its one connection
}

// A future is a finding that may not be there yet.
type future struct {
	spec    Spec
	done    chan struct{}
	finding reports.Finding
	tries   int // how often the case was judged; one goroutine at a time does
}

// Specs lists what the run will judge, in suite order.
func (g *Gathering) Specs() []Spec { return g.specs }

// Columns lists the columns, the first being the one a reader wants to see.
func (g *Gathering) Columns() []Column { return g.columns }

// Start begins to judge. Only Await, Report and Close may follow.
func (g *Gathering) Start(ctx context.Context) {
	ctx, g.cut = g.plan.within(ctx)
	var quick, alone []Spec
	for _, s := range g.specs {
		switch {
		case s.Case.Watch != nil:
		case s.Case.Lane == suite.Alone:
			alone = append(alone, s)
		default:
			quick = append(quick, s)
		}
	}
	// What waits starts first, what others rest on next.
	slices.SortStableFunc(quick, func(a, b Spec) int { return urgency(a) - urgency(b) })
	for _, r := range g.rooms {
		g.fillPool(ctx, r, quick)
	}
	var crowd sync.WaitGroup
	var open doubts
	for _, s := range quick {
		g.rooms[s.Column].active.Add(1)
		crowd.Add(1)
		g.working.Go(func() {
			defer crowd.Done()
			g.run(ctx, s, &open)
		})
	}
	for _, s := range alone {
		g.rooms[s.Column].active.Add(1)
	}
	g.working.Go(func() {
		crowd.Wait()
		g.resolve(ctx, &open)
		for _, s := range alone {
			g.run(ctx, s, nil)
		}
	})
	for _, col := range g.columns {
		g.working.Go(func() { g.finish(ctx, col) })
	}
}

func urgency(s Spec) int {
	switch {
	case s.Case.Lane == suite.Waits:
		return 0
	case len(s.Case.Proves) > 0:
		return 1
	default:
		return 2
	}
}

func (g *Gathering) fillPool(ctx context.Context, r *room, quick []Spec) {
	wanted := 0
	if g.presences[r.column.Transport].exclusive {
		quick = nil // nothing is opened ahead
	}
	for _, s := range quick {
		if g.rooms[s.Column] == r && s.Case.Lane == suite.Fresh && !s.Case.Unopened {
			if _, unmet := g.unmet(s); !unmet {
				wanted++
			}
		}
	}
	r.pool = newPool(ctx, wanted, max(1, min(4, g.plan.Jobs/2)), func(ctx context.Context) (*probe.Client, error) {
		return g.open(ctx, r)
	})
}

// finish closes what a column shared and settles its watchers.
func (g *Gathering) finish(ctx context.Context, col Column) {
	r := g.rooms[col]
	r.active.Wait()
	ctx, cancel := parting(ctx)
	defer cancel()
	r.pool.drain(ctx)
	if r.live != nil {
		_ = r.live.Close(ctx)
	}
	for _, s := range g.specs {
		if s.Column == col && s.Case.Watch != nil {
			g.deliver(s, g.settle(r.tower, s))
		}
	}
}

// run judges one case when its turn has come. What it finds by silence in a
// crowd is left open, except by cases that others wait for: those are judged
// again at once.
func (g *Gathering) run(ctx context.Context, s Spec, open *doubts) {
	f, ready := g.ready(ctx, s)
	if ready {
		var doubtful bool
		f, doubtful = g.judge(ctx, s)
		switch {
		case doubtful && open != nil && len(s.Case.Proves) == 0:
			open.add(s, f)
			return // whoever resolves it delivers it
		case doubtful && open != nil:
			f, _ = g.judge(ctx, s)
		}
	} else if f.Reason != nil && f.Reason.Kind == reports.Blocked {
		g.forgo(s)
	}
	g.deliver(s, f)
	g.rooms[s.Column].active.Done()
}

// ready waits for what the case rests on. It reports false with the finding
// when the case cannot be judged.
func (g *Gathering) ready(ctx context.Context, s Spec) (reports.Finding, bool) {
	f := g.finding(s)
	if why, unmet := g.unmet(s); unmet {
		return skipped(f, why), false
	}
	root, err := g.blocker(ctx, s)
	switch {
	case err != nil:
		return skipped(f, interrupted()), false
	case root != "":
		return skipped(f, blocked(root, root+" did not pass, and this case rests on it")), false
	}
	return f, true
}

func (g *Gathering) deliver(s Spec, f reports.Finding) {
	fu := g.futures[s.key()]
	fu.finding = f
	close(fu.done)
	if g.plan.Progress != nil {
		g.telling.Lock()
		defer g.telling.Unlock()
		g.plan.Progress(f)
	}
}

// Await gives the finding of one spec as soon as it is there.
func (g *Gathering) Await(ctx context.Context, s Spec) (reports.Finding, error) {
	select {
	case <-g.futures[s.key()].done:
		return g.futures[s.key()].finding, nil
	case <-ctx.Done():
		return reports.Finding{}, ctx.Err()
	}
}

// Report waits for every finding and adds them up.
func (g *Gathering) Report() reports.Report {
	g.working.Wait()
	findings := make([]reports.Finding, 0, len(g.specs))
	for _, s := range g.specs {
		findings = append(findings, g.futures[s.key()].finding)
	}
	r := reports.Report{
		Format: reports.Format, Kit: g.plan.Kit,
		Run:      reports.Run{Seed: g.plan.Seed, Jobs: g.plan.Jobs, Started: g.plan.Started, DurationMs: time.Since(g.plan.Started).Milliseconds()},
		Target:   g.target,
		Findings: findings,
	}
	g.dialects(&r.Target)
	r.Verdict = g.verdict(findings)
	return r
}

// Close ends whatever still runs, and waits for it.
func (g *Gathering) Close() {
	if g.cut != nil {
		g.cut()
	}
	g.working.Wait()
}

// dialects puts what cases learned of the server's forms into the report.
func (g *Gathering) dialects(t *reports.Target) {
	for _, col := range g.columns {
		known := g.rooms[col].setup.Memory.Known()
		for i, e := range t.Extensions {
			if d := known["dialect:"+e.Name]; d != "" && e.Dialect == "" {
				t.Extensions[i].Dialect = d
			}
		}
	}
}

func interrupted() reports.Reason {
	return reports.Reason{Kind: reports.Interrupted, Text: "the run was cut short"}
}

func blocked(by, text string) reports.Reason {
	return reports.Reason{Kind: reports.Blocked, Text: text, BlockedBy: by}
}
