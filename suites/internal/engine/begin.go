package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/evidence"
	"github.com/mcp-conform/mcp-conform/suites/internal/needs"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/internal/watching"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// An Unreachable is the error of a target that cannot be judged at all. Its text says
// once what the kit tried and what the operator can do.
type Unreachable struct {
	Text   string
	Stderr string // of a process that ended instead of an answer
}

func (e *Unreachable) Error() string { return e.Text }

// Begin reaches the target, learns what the target offers, and plans the run. The error
// is an *Unreachable, a *config.Error where the configuration names something that the
// target does not have, or the error of the context.
func Begin(ctx context.Context, p Plan) (*Run, error) {
	whole := ctx
	ctx, cancel := p.within(ctx)
	defer cancel()
	r := &Run{plan: p, offer: connect.Offering(p.Plan)}
	for _, way := range p.Ways {
		r.servers = append(r.servers, newServer(r, way))
	}
	var columns []*column
	err := r.find(ctx)
	if err == nil {
		columns, err = r.choose(ctx)
	}
	if err == nil {
		err = r.survey(ctx, columns)
	}
	if err == nil {
		err = r.mistaken(ctx, columns)
	}
	for _, s := range r.servers {
		if s.found != nil {
			r.closing.Go(func() { // no case waits for connections that only discovery used
				ctx, cancel := connect.Closing(whole)
				defer cancel()
				s.found.Close(ctx)
			})
		}
	}
	if err != nil {
		r.closing.Wait()
		for _, col := range columns {
			col.closeKept(ctx, col.takeIdle())
			col.closeKept(ctx, col.spent)
		}
		return nil, err
	}
	r.columns = columns
	r.addJobs()
	for _, col := range columns {
		r.closing.Go(func() { col.closeKept(whole, col.spent) }) // a server that is at work may take long to end
	}
	return r, nil
}

// extraSessions is how many sessions cases open beside the sessions of the seats.
const extraSessions = 4

// find asks every transport at once which revisions it speaks.
func (r *Run) find(ctx context.Context) error {
	trouble, stderr := make([]string, len(r.servers)), ""
	var looking sync.WaitGroup
	for i, s := range r.servers {
		looking.Go(func() {
			found, err := s.versions(ctx)
			s.found = found
			if err == nil {
				err = found.TrySessions(ctx, s.most+extraSessions)
			}
			s.narrow(found.Tolerance.Seats(s.most))
			if found.Together {
				s.narrow(1) // the session of one case would end with that of another
			}
			if found.Hurried {
				s.narrow(1)
				s.patience.Shorten()
			}
			if err != nil {
				trouble[i] = unreachable(s.Way, err.Error(), found)
			} else if len(found.Revisions()) == 0 && !s.lockedOut(ctx) {
				trouble[i] = unreachable(s.Way, found.Unspoken(), found)
			}
		})
	}
	looking.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	trouble = slices.DeleteFunc(trouble, func(t string) bool { return t == "" })
	if len(trouble) == 0 {
		return nil
	}
	slices.Sort(trouble)
	for _, s := range r.servers {
		stderr = cmp.Or(stderr, s.found.Stderr)
	}
	text := strings.Join(append(trouble, evidence.LastWords(stderr)...), "\n")
	return &Unreachable{Text: text, Stderr: stderr}
}

// versions asks which revisions the server speaks. A server that refuses initialize may
// use HTTP+SSE, so the kit then looks for an event stream, as the transports page asks
// clients to do.
func (s *server) versions(ctx context.Context) (*discover.Found, error) {
	wanted := named(s.run.plan.Config.Revisions)
	found, err := s.look().Versions(ctx, wanted...)
	if err != nil || !s.Older || !found.Refused || len(found.Revisions()) > 0 || !s.Announces(ctx, s.run.plan.Timeout) {
		return found, err
	}
	s.Transport = requirements.SSE
	return s.look().Versions(ctx, wanted...)
}

// named lists the revisions that the operator asks for by date, or all revisions.
func named(r config.Revisions) []requirements.Revision {
	return slices.DeleteFunc(slices.Clone(requirements.Revisions()), func(rev requirements.Revision) bool {
		return !r.All && !slices.Contains(r.Dates, string(rev))
	})
}

// unreachable says what the kit tried, what happened, and what the operator can do.
func unreachable(way connect.Way, trouble string, f *discover.Found) string {
	advice := cmp.Or(f.Barrier.Advice(way.URL, way.Login), discover.Advice(way.Transport, trouble, f.Stderr))
	return fmt.Sprintf("the server %s could not be judged: %s\n  %s", way, trouble, advice)
}

// choose makes a column of every revision that the target speaks and the operator wants.
func (r *Run) choose(ctx context.Context) ([]*column, error) {
	wanted := r.plan.Config.Revisions
	var columns []*column
	var spoken []string
	var found []*discover.Found
	for _, s := range r.servers {
		revisions := s.found.Revisions()
		if s.locked {
			revisions = s.behindLogin(wanted)
			r.doubts = append(r.doubts, s.loginWanted(revisions, wanted))
		}
		for _, rev := range revisions {
			spoken = append(spoken, string(rev))
			usual := wanted.Auto() && rev == discover.Usual(s.Transport, revisions)
			if wanted.All || usual || slices.Contains(wanted.Dates, string(rev)) {
				columns = append(columns, &column{Column: Column{Revision: rev, Transport: s.Transport}, server: s})
			}
		}
		r.doubts = append(r.doubts, s.found.Doubts(wanted.All, wanted.Auto())...)
		found = append(found, s.found)
	}
	slices.SortFunc(columns, func(a, b *column) int { return a.Column.Compare(b.Column) })
	unspoken := slices.DeleteFunc(slices.Clone(wanted.Dates), func(date string) bool { return slices.Contains(spoken, date) })
	if len(unspoken) > 0 {
		return nil, &Unreachable{Text: discover.NotSpoken(ctx, unspoken, found)}
	}
	return columns, nil
}

// survey learns what the target offers in each column. The first cases of the column
// use the connection that the survey used.
func (r *Run) survey(ctx context.Context, columns []*column) error {
	errs, surveys := make([]error, len(columns)), make([]*probe.Survey, len(columns))
	var asking sync.WaitGroup
	for i, col := range columns {
		// Parsing a revision's schema takes as long as several cases; here it overlaps
		// with waiting for the server. The first user of the schema gets the error of the
		// parser. Watchers check every message; a run without watchers may not need the schema.
		if specs.Watch(r.plan.applying(col.Column)) {
			asking.Go(func() { r.plan.Schemas.Prepare(string(col.Revision)) })
		}
		look := func() {
			survey, control, err := col.look(ctx)
			if errs[i], surveys[i] = err, survey; err == nil {
				col.keepIdle(ctx, control)
			}
		}
		if col.tolerance().Serial() {
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
		return &Unreachable{Text: err.Error()}
	}
	for _, s := range r.servers {
		var of []*probe.Survey
		for i, col := range columns {
			if col.server == s {
				of = append(of, surveys[i])
			}
		}
		discover.Lend(of)
		if s.Replay == nil { // a recorded server costs nothing
			s.narrow(s.found.Seats(s.most, of))
		}
	}
	for i, col := range columns {
		col.prepare(surveys[i])
	}
	tryTools(ctx, columns)
	for _, col := range columns {
		r.plan.Learned(col.Column, col.survey, col.ground.Roles)
	}
	return ctx.Err()
}

// look says how discovery looks at the transport.
func (s *server) look() discover.Look {
	claims := s.run.plan.Config.Claims
	return discover.Look{
		Transport: s.Transport, Setup: s.setup(nil), Visited: s.visited,
		Extensions: suite.Extensions(s.run.plan.Suites), Forced: claims.Forced, Suppressed: claims.Suppressed,
	}
}

// setup is the part of probe.Setup that all clients of a transport share. Discovery
// passes no watchers.
func (s *server) setup(w *watching.Watchers) probe.Setup {
	p := s.run.plan
	opening := p.StartTimeout
	if s.found != nil {
		opening = discover.Opening(s.found.Started, p.Timeout, p.StartTimeout)
	}
	declared := probe.Object{}
	for _, e := range suite.Extensions(p.Suites) {
		declared[e.Key()] = probe.Object{}
	}
	capabilities := probe.Object{}
	if len(declared) > 0 {
		capabilities["extensions"] = declared
	}
	return probe.Setup{
		Transport: s.Transport, Schemas: p.Schemas, Roles: p.Config.Roles,
		Capabilities: capabilities,
		Kit:          probe.Object{"name": p.Kit.Name, "version": p.Kit.Version},
		Memory:       connect.Memory(p.Plan, s.Transport), Patience: s.patience,
		Owned: p.Book.Owned,
		Nonce: p.nonce(string(s.Transport)),
		Waits: probe.Waits{
			Answer: p.Timeout, Opening: opening, Event: min(cmp.Or(p.Config.Wait.Event, longestWait), p.Timeout),
			DefaultTTL: p.Config.Wait.DefaultTTL,
			Max:        p.Config.Wait.Max, Ping: p.Config.Limits.Ping, Pages: p.Config.Limits.Pages, Reads: p.Config.Limits.Reads,
			Rounds: p.Config.Limits.Rounds,
			Upload: p.Config.Limits.MaxUpload, Depth: p.Config.Limits.Depth,
		},
		Address: s.URL, HTTP2: s.HTTP2(),
		Run: p.commands().Act, Mint: s.run.mint, Hide: p.Secrets.Add, Held: &s.run.keptBytes,
		Documents: s.Documents(p.Config, func() func(probe.Seen) { return s.run.watch(nil) }),
		Offer:     s.run.offer,
		// Every further connection has a TCP connection of its own: otherwise state that
		// the server ties to a TCP connection would not show.
		Dial: func(ctx context.Context) (probe.Link, error) { return s.link(ctx, false, w) },
	}
}

// tryTools lets discovery try its read-only tools on the connections that it left open. Where
// nothing can replace such a connection, the first tool stays.
func tryTools(ctx context.Context, columns []*column) {
	var trying sync.WaitGroup
	for _, col := range columns {
		if col.idle == nil || col.tolerance().Irreplaceable() || !needs.CallsTools(col.server.run.plan.applying(col.Column)) {
			continue
		}
		trying.Go(func() {
			choice := discover.Choose(ctx, col.idle, col.survey, col.ground.Roles)
			if choice.Spoiled {
				col.idle, col.spent = nil, col.idle
			}
			fill(col, choice.Roles)
			col.ground.Chosen = choice.Why
		})
	}
	trying.Wait()
}
