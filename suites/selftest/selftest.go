// Package selftest proves cases with servers that break exactly one rule: it
// judges each of them and compares the cases that spoke with those that had
// to. A case that no broken server can make speak is not a case.
package selftest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/judge"
	"github.com/mcp-conform/mcp-conform/suites/internal/pages"
	"github.com/mcp-conform/mcp-conform/suites/internal/watching"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Subject is one broken server and the cases that have to notice it.
type Subject struct {
	Name   string
	Area   string // the area of the table that counts it
	Breaks requirements.ID
	Kills  []string              // cases that must fail or warn, in each column of the subject; empty: each case that checks Breaks
	May    []string              // cases that may fail or warn
	Silent []string              // further cases in the trial, which must not fail or warn
	In     []requirements.Column // the columns of its trials; empty: the rule's newest revision, over stdio if the rule allows that

	// Since, where In is empty: the first revision at which the subject breaks the rule;
	// empty: that of the rule.
	Since requirements.Revision

	// Hangs: the subject leaves a request without an answer, so the kit waits only
	// briefly for answers.
	Hangs bool

	Local *plan.Local
	Sound *plan.Local // the server without the fault, which other subjects may share; nil: not known
	// Command runs the subject as a process instead, for faults that a server
	// inside the program cannot have.
	Command []string
}

// Jobs is how many cases should judge a subject at once. With more of them each trial opens more
// connections, each of which is a server of its own, while the other subjects keep the machine busy.
const Jobs = 2

// Options say how to judge the subjects.
type Options struct {
	Suites     []suite.Suite                      // nil: the kit's own
	Selected   func(suite.Suite, suite.Case) bool // the cases that need a subject; nil: all
	Config     config.Config                      // the roles and waits of the subjects
	Everywhere bool                               // use every column in which a case can notice the subject, for subjects that name none
	Full       bool                               // judge every subject by every case, instead of those near it
	Shard      plan.Shard                         // the part of the trials to run; the zero value is all of them
	Jobs       int                                // cases at once, of each subject
	Parallel   int                                // trials at once; 0: 48
	Seed       uint64
	Timeout    time.Duration
	Progress   func(r Row, of int) // called with each trial, and the number of trials

	given []suite.Suite // the suites from the caller; nil for the kit's own
}

// Run judges every subject. It fails only for a plan that cannot be carried
// out; the results of the subjects are in the table.
func Run(ctx context.Context, subjects []Subject, o Options) (Table, error) {
	if o.given = o.Suites; o.Suites == nil {
		o.Suites = pages.All()
	}
	catalogue, err := pages.Catalogue(o.Suites)
	if err != nil {
		return Table{}, err
	}
	var trials []trial
	shared := &common{catalogue: catalogue, readings: frame.Readings{Columns: 16}}
	n := 0
	for _, each := range subjects {
		rule, ok := catalogue.Find(each.Breaks)
		if !ok {
			return Table{}, fmt.Errorf("%s breaks %s, which is not a requirement", each.Name, each.Breaks)
		}
		in := columns(each, rule, o)
		if len(in) == 0 {
			return Table{}, fmt.Errorf("%s begins at %s, where %s holds no more", each.Name, each.Since, each.Breaks)
		}
		for i, col := range in {
			if n++; o.Shard.Has(n) {
				trials = append(trials, trial{Subject: each, column: col, first: i == 0, common: shared})
			}
		}
	}
	if o.Everywhere {
		if shared.idle, err = idleCases(ctx, trials, o); err != nil {
			return Table{}, err
		}
	}
	rows, err := all(ctx, trials, o)
	return Table{Rows: rows, Unkilled: Unkilled(subjects, o.Suites, o.Selected)}, err
}

// A trial is one subject in one column, and the cases that judge it.
type trial struct {
	Subject
	column requirements.Column
	first  bool // the column is the first one of the rule
	common *common
}

// common is what all trials share.
type common struct {
	catalogue *requirements.Catalogue
	readings  frame.Readings // most texts of most subjects are those of the sound server
	opinions  watching.Opinions
	idle      idle
}

// choose selects the cases of a trial, with talk also those that make the server talk more.
func (t trial) choose(o Options, talk bool) func(suite.Suite, suite.Case) bool {
	if o.Full {
		return nil
	}
	chosen := near(t.Subject, t.column, o.Suites, t.common.catalogue, o.Seed, talk)
	return func(_ suite.Suite, c suite.Case) bool { return chosen[c.ID] }
}

// all judges the trials, several at once, and returns their rows in the order of the trials.
// Most workers judge those that wait for long; the others begin with the short ones, which
// use the machine meanwhile. In the end only some judge short ones: more would not be quicker,
// and cost more of the processor.
func all(ctx context.Context, trials []trial, o Options) ([]Row, error) {
	judged := make([]*Row, len(trials))
	var telling, taking sync.Mutex
	if o.Parallel == 0 {
		o.Parallel = 48
	}
	one := func(ctx context.Context, i int) error {
		row, err := trials[i].judge(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", trials[i].Name, err)
		}
		if ctx.Err() != nil {
			return ctx.Err() // a trial that was cut short proves nothing
		}
		judged[i] = &row
		if o.Progress != nil {
			telling.Lock()
			defer telling.Unlock()
			o.Progress(row, len(trials))
		}
		return nil
	}
	long, short := queues(trials, o.Suites)
	working, ctx := errgroup.WithContext(ctx)
	work := func(queues ...*[]bundle) {
		working.Go(func() error {
			for its := next(&taking, queues); its != nil; its = next(&taking, queues) {
				for _, i := range its {
					if err := one(ctx, i); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	for i := range o.Parallel {
		switch i % 4 {
		case 0:
			work(&long, &short)
		case 1:
			work(&short, &long)
		default:
			work(&long)
		}
	}
	err := working.Wait()
	var rows []Row
	for i, row := range judged {
		if row != nil && !trials[i].common.idle.vain(trials[i], *row, o) {
			rows = append(rows, *row)
		}
	}
	return rows, err
}

// columns are the columns of a subject's trials.
func columns(s Subject, rule requirements.Requirement, o Options) []requirements.Column {
	if len(s.In) > 0 {
		return s.In
	}
	var all []requirements.Column
	for _, rev := range slices.Backward(rule.Revisions()) {
		if rev < s.Since {
			break
		}
		cl, _ := rule.At(rev)
		for _, tr := range requirements.Transports() {
			// Only one revision has HTTP+SSE.
			if cl.On(tr) && (tr != requirements.SSE || rev == requirements.R20241105) {
				all = append(all, requirements.Column{Revision: rev, Transport: tr})
			}
		}
	}
	if !o.Everywhere && len(all) > 1 {
		return all[:1]
	}
	return all
}

// firstWait is how long the kit first waits for an answer that may never come, and for a
// message that nothing asks for. The subject is in this process: what it sends comes at once.
const firstWait = 300 * time.Millisecond

// judge tries a subject with short waits first: one that hangs with short waits for answers,
// and each with short waits for other messages. It believes only a row that holds then: on
// a busy machine an answer or a message may have been late, and a watcher may not have seen
// what other cases make the server say. In every column of a rule the last try is by all cases:
// those near a subject are known to make it speak in the first of them. Each try has a server of
// its own.
func (t trial) judge(ctx context.Context, o Options) (Row, error) {
	began := time.Now()
	quick, patience := o, o.Timeout
	quick.Config.Wait.Event = firstWait
	if t.Hangs {
		patience = min(firstWait, o.Timeout)
	}
	row, err := t.try(ctx, quick, patience, false)
	for err == nil && !row.Holds() {
		patience = min(4*patience, o.Timeout)
		row, err = t.try(ctx, o, patience, true)
		if patience == o.Timeout {
			break
		}
	}
	if err == nil && !row.Holds() && o.Everywhere && !o.Full {
		o.Full = true
		row, err = t.try(ctx, o, patience, true)
	}
	row.Took = time.Since(began)
	return row, err
}

// stressed reports whether the subject names a case that runs only on request.
// Other trials skip such cases, which would cost more than all others.
func (t trial) stressed(all []suite.Suite) bool {
	return t.names(all, func(c suite.Case) bool {
		return slices.ContainsFunc(c.Needs, func(n suite.Need) bool {
			return slices.Contains(n.Any, suite.Word{Kind: suite.OptInKind, Value: string(suite.Stress)})
		})
	})
}

// names reports whether one of the cases that must or may notice the subject is such a case.
func (t trial) names(all []suite.Suite, such func(suite.Case) bool) bool {
	named := slices.Concat(t.Must(all), t.May)
	return slices.ContainsFunc(all, func(of suite.Suite) bool {
		return slices.ContainsFunc(of.Cases, func(c suite.Case) bool { return slices.Contains(named, c.ID) && such(c) })
	})
}

func (t trial) try(ctx context.Context, o Options, patience time.Duration, talk bool) (Row, error) {
	row := Row{Subject: t.Name, Area: t.Area, Breaks: t.Breaks, Column: t.column}
	cfg := o.Config
	cfg.Revisions = config.Revisions{Dates: []string{string(t.column.Revision)}}
	cfg.Transport = config.Transport(t.column.Transport)
	cfg.Target.Command = t.Command
	cfg.Stress = t.stressed(o.Suites)
	local := t.Local
	if anew := plan.RigOf(local).Anew; anew != nil {
		local = anew()
	}
	if local != nil {
		rig := plan.RigOf(local)
		rig.Readings, rig.Opinions = &t.common.readings, &t.common.opinions
		local = plan.Rigged(*local, rig)
	}
	report, err := judge.Judge(ctx, plan.Plan{
		Config: cfg, Local: local, Suites: o.given, Selected: t.choose(o, talk),
		Seed: o.Seed, Jobs: o.Jobs, Timeout: patience,
	}, nil)
	if err != nil {
		return row, err
	}
	if report.Verdict.Status == reports.Unjudged {
		row.Trouble = report.Verdict.Text
		return row, nil
	}
	row.compare(report.Findings, t, o)
	return row, nil
}
