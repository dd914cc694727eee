package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An Unreachable target cannot be judged at all. It is said once, with what
// was tried and what to do.
type Unreachable struct{ Text string }

func (e *Unreachable) Error() string { return e.Text }

// Begin reaches the target, learns what it is, and plans the run. Its error
// is an *Unreachable, or that of the context.
func Begin(ctx context.Context, p Plan) (*Gathering, error) {
	ctx, cancel := p.within(ctx)
	defer cancel()
	g := &Gathering{
		plan: p, redact: p.Config.Redactor(),
		surveys: map[Column]*probe.Survey{}, rooms: map[Column]*room{},
		presences:   map[requirements.Transport]*presence{},
		extensionOf: map[string]string{}, futures: map[specKey]*future{},
		workers: newWorkers(p.Jobs), leaving: make(chan struct{}, 4*max(0, p.Jobs-1)),
		starts: newGate(), waiters: make(chan struct{}, processes),
	}
	g.await = g.Await
	for _, s := range p.Suites {
		g.extensionOf[s.Name] = s.Extension.Name
	}
	looks, found, err := g.reach(ctx)
	if err != nil {
		return nil, err
	}
	if err := g.choose(found); err != nil {
		return nil, err
	}
	if err := g.survey(ctx, looks, found); err != nil {
		return nil, err
	}
	g.describe(found)
	g.lay()
	for tr, f := range found {
		g.presences[tr].exclusive = f.Exclusive
	}
	return g, nil
}

// reach looks at every transport at once.
func (g *Gathering) reach(ctx context.Context) (map[requirements.Transport]discover.Look, map[requirements.Transport]discover.Found, error) {
	looks := map[requirements.Transport]discover.Look{}
	found := map[requirements.Transport]discover.Found{}
	var mu sync.Mutex
	var looking sync.WaitGroup
	var trouble []string
	for _, r := range g.plan.Reach {
		look := g.look(r)
		looks[r.Transport] = look
		looking.Go(func() {
			f, err := look.Versions(ctx)
			mu.Lock()
			defer mu.Unlock()
			found[r.Transport] = f
			if err != nil {
				trouble = append(trouble, unreachable(r, err.Error()))
			} else if len(f.Revisions()) == 0 {
				trouble = append(trouble, unreachable(r, f.Unspoken()+"\n  "+strings.Join(f.Tried, "\n  ")))
			}
		})
	}
	looking.Wait()
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if len(trouble) > 0 {
		slices.Sort(trouble)
		return nil, nil, &Unreachable{g.redact(strings.Join(trouble, "\n"))}
	}
	return looks, found, nil
}

// unreachable says what was tried, what came of it, and what to do.
func unreachable(r Reach, trouble string) string {
	return fmt.Sprintf("the server %s could not be judged: %s\n  %s", r, trouble, discover.Advice(r.Transport, trouble))
}

func (g *Gathering) look(r Reach) discover.Look {
	l := discover.Look{Transport: r.Transport, Forced: map[string]bool{}, Suppressed: map[string]bool{}}
	for _, s := range g.plan.Suites {
		if s.Extension.Name != "" && !slices.Contains(l.Extensions, s.Extension.Name) {
			l.Extensions = append(l.Extensions, s.Extension.Name)
		}
	}
	for _, name := range g.plan.Config.Claims.Forced {
		l.Forced[name] = true
	}
	for _, name := range g.plan.Config.Claims.Suppressed {
		l.Suppressed[name] = true
	}
	l.Setup = g.setup(r, l.Extensions, nil)
	return l
}

// setup is what all clients of a transport are told; tower is nil while
// nobody watches.
func (g *Gathering) setup(r Reach, extensions []string, t *tower) probe.Setup {
	cfg := g.plan.Config
	declared := probe.Object{}
	for _, e := range extensions {
		declared[discover.Prefix+discover.Token(e)] = probe.Object{}
	}
	capabilities := probe.Object{}
	if len(declared) > 0 {
		capabilities["extensions"] = declared
	}
	return probe.Setup{
		Transport: r.Transport, Schemas: g.plan.Schemas, Roles: cfg.Roles,
		Capabilities: capabilities,
		Kit:          probe.Object{"name": g.plan.Kit.Name, "version": g.plan.Kit.Version},
		Memory:       &probe.Memory{},
		Nonce:        g.plan.nonce(string(r.Transport)),
		Waits: probe.Waits{
			Answer: g.plan.Timeout, Event: min(cfg.Wait.Event, g.plan.Timeout), DefaultTTL: cfg.Wait.DefaultTTL,
			Max: cfg.Wait.Max, Ping: cfg.Limits.Ping, Pages: cfg.Limits.Pages, Reads: cfg.Limits.Reads,
		},
		Run: g.act, Held: &g.held,
		// A further connection is one of its own down to TCP: what a server ties
		// to a connection would not show otherwise.
		Dial: func(ctx context.Context) (probe.Link, error) { return g.link(ctx, r, nil, t) },
	}
}

// link makes a connection that the tower watches; over HTTP it shares those of
// the client, or has its own where there is none.
func (g *Gathering) link(ctx context.Context, r Reach, shared *http.Client, t *tower) (probe.Link, error) {
	conn, err := g.dial(ctx, r, shared)
	if err != nil {
		return probe.Link{}, err
	}
	return probe.Link{Conn: conn, Watch: g.watch(t)}, nil
}

// watch is who sees the frames of one new connection.
func (g *Gathering) watch(t *tower) func(probe.Seen) {
	var watchers func(probe.Seen)
	if t != nil {
		watchers = t.link()
	}
	if g.plan.Trace == nil {
		return watchers
	}
	number := int(g.connections.Add(1))
	return func(s probe.Seen) {
		g.plan.Trace(number, s)
		if watchers != nil {
			watchers(s)
		}
	}
}

// choose turns what the target speaks and what was asked for into columns.
func (g *Gathering) choose(found map[requirements.Transport]discover.Found) error {
	wanted := g.plan.Config.Revisions
	var spoken []string
	for _, r := range g.plan.Reach {
		revisions := found[r.Transport].Revisions()
		for _, rev := range revisions {
			spoken = append(spoken, string(rev))
			newest := rev == revisions[len(revisions)-1]
			if wanted.All || slices.Contains(wanted.Dates, string(rev)) || wanted.Auto() && newest {
				g.columns = append(g.columns, Column{rev, r.Transport})
			}
		}
	}
	sortColumns(g.columns)
	unspoken := slices.DeleteFunc(slices.Clone(wanted.Dates), func(date string) bool { return slices.Contains(spoken, date) })
	if len(unspoken) == 0 {
		return nil
	}
	slices.Sort(spoken)
	return &Unreachable{fmt.Sprintf("the server does not speak %s; it speaks %s",
		strings.Join(unspoken, ", "), strings.Join(slices.Compact(spoken), ", "))}
}

// survey learns what the target offers in each column.
func (g *Gathering) survey(ctx context.Context, looks map[requirements.Transport]discover.Look, found map[requirements.Transport]discover.Found) error {
	surveys := make([]*probe.Survey, len(g.columns))
	errs := make([]error, len(g.columns))
	var asking sync.WaitGroup
	for i, col := range g.columns {
		// Compiling a revision's schema takes as long as several cases; here it
		// overlaps with waiting. Whoever needs it sees its error.
		asking.Go(func() { _, _ = g.plan.Schemas.Core(string(col.Revision)) })
		look := func() { surveys[i], errs[i] = looks[col.Transport].Survey(ctx, col.Revision, found[col.Transport]) }
		if found[col.Transport].Exclusive {
			look() // one after the other
		} else {
			asking.Go(look)
		}
	}
	asking.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := errors.Join(errs...); err != nil {
		return &Unreachable{g.redact(err.Error())}
	}
	for i, col := range g.columns {
		g.surveys[col] = surveys[i]
	}
	return nil
}

// describe writes down what the target is.
func (g *Gathering) describe(found map[requirements.Transport]discover.Found) {
	t := reports.Target{Given: g.redact(g.plan.Given)}
	for _, r := range g.plan.Reach {
		t.Transports = append(t.Transports, string(r.Transport))
		for _, rev := range found[r.Transport].Revisions() {
			if !slices.Contains(t.Revisions, rev) {
				t.Revisions = append(t.Revisions, rev)
			}
		}
		for _, era := range found[r.Transport].Eras() {
			if !slices.Contains(t.Eras, era) {
				t.Eras = append(t.Eras, era)
			}
		}
	}
	slices.Sort(t.Revisions)
	for _, col := range g.columns {
		survey := g.surveys[col]
		if t.Name == "" {
			name, _ := survey.ServerInfo["name"].(string)
			version, _ := survey.ServerInfo["version"].(string)
			t.Name, t.Version = g.redact(name), g.redact(version)
		}
		for _, s := range g.plan.Suites {
			claim, ok := survey.Claims[s.Extension.Name]
			known := slices.ContainsFunc(t.Extensions, func(e reports.Extension) bool { return e.Name == s.Extension.Name })
			if ok && !known {
				t.Extensions = append(t.Extensions, reports.Extension{Name: s.Extension.Name, Claim: string(claim.Strength), Where: g.redact(claim.Where)})
			}
		}
	}
	g.target = t
}

// lay prepares a room for each column, and a future for each finding.
func (g *Gathering) lay() {
	g.specs = g.plan.specs(g.columns)
	order := map[string]int{}
	for _, s := range g.specs {
		g.futures[s.key()] = &future{spec: s, done: make(chan struct{})}
		order[s.Case.ID] = 1 + s.index // 0 is what was said ahead of any case
	}
	for _, r := range g.plan.Reach {
		g.presences[r.Transport] = newPresence(r)
		for _, col := range g.columns {
			if col.Transport != r.Transport {
				continue
			}
			g.rooms[col] = g.furnish(col, r, order)
		}
	}
}

func (g *Gathering) furnish(col Column, r Reach, order map[string]int) *room {
	survey := g.surveys[col]
	t := &tower{order: order}
	rm := &room{column: col, tower: t}
	rm.dial = func(ctx context.Context) (probe.Link, error) {
		return g.link(ctx, r, &http.Client{Transport: r.Pool}, t)
	}
	rm.setup = g.setup(r, g.look(r).Extensions, t)
	rm.setup.Revision, rm.setup.Survey = col.Revision, survey
	pin(rm.setup.Memory, g.plan.Config.Dialects)
	rm.roles = discover.Fill(g.plan.Config.Roles, survey, col.Revision.Modern(), g.plan.AllowSideEffects)
	rm.setup.Roles = rm.roles
	survey.Traits[probe.Launched] = r.Launcher != nil || len(g.plan.Config.Target.Start) > 0
	survey.Traits[probe.Durable] = g.plan.Config.Target.Durable
	g.rooms[col] = rm // holds, asked below, looks here
	for _, s := range g.specs {
		if s.Column != col || s.Case.Watch == nil {
			continue
		}
		if _, unmet := g.unmet(s); !unmet {
			t.tallies = append(t.tallies, &tally{spec: s})
		}
	}
	return rm
}

// caseLimit is how long one case may take: longer than its longest wait and
// a handful of answers that never come.
func (g *Gathering) caseLimit() time.Duration {
	return 6*g.plan.Timeout + 2*g.plan.Config.Wait.Max
}

func (r Reach) String() string {
	if r.Launcher != nil {
		return "over stdio"
	}
	return "at " + r.URL
}
