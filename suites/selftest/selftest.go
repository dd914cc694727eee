// Package selftest proves cases with servers that break exactly one rule: it
// judges each of them and compares the cases that spoke with those that had
// to. A case that no broken server can make speak is not a case.
package selftest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Subject is one broken server and what has to be noticed about it.
type Subject struct {
	Name   string
	Breaks requirements.ID
	Kills  []string // cases that must fail or warn, in each column it runs in
	Also   []string // cases that may
	In     []Column // where it runs; empty: the newest revision in which the rule holds, over stdio if the rule knows stdio
	Local  *suites.Local
	// Command runs the subject as a process of its own instead, for what an
	// in-process stand-in cannot show.
	Command []string
}

// A Column is one revision over one transport.
type Column struct {
	Revision  requirements.Revision
	Transport requirements.Transport
}

// Options say how the subjects are judged.
type Options struct {
	Suites     []suite.Suite // nil: suites.All
	Selected   func(suite.Suite, suite.Case) bool
	Config     config.Config // the roles and waits that the subjects are made for
	Everywhere bool          // every column in which the rule holds, instead of one, for subjects that name none
	Quick      bool          // only watchers and the suites a subject is meant to make speak, without foreign cases that let time pass
	Jobs       int           // cases at once, of each subject
	Parallel   int           // subjects at once; 0: 8
	Seed       uint64
	Timeout    time.Duration
	Progress   func(Row)
}

// A Row is what came of one subject in one column.
type Row struct {
	Subject string
	Breaks  requirements.ID
	Column  Column
	Spoke   []string // cases that failed or warned
	Silent  []string // cases that had to speak and did not
	Astray  []string // cases that spoke and must not
	Trouble string   // why the subject could not be judged at all
}

// Holds reports whether the row is as it should be.
func (r Row) Holds() bool { return len(r.Silent) == 0 && len(r.Astray) == 0 && r.Trouble == "" }

// A Table is the outcome for all subjects.
type Table struct {
	Rows     []Row
	Unkilled []string // cases that no subject in the table is meant to make speak
}

// Holds reports whether every row does and every case is killed by something.
func (t Table) Holds() bool {
	return len(t.Unkilled) == 0 && !slices.ContainsFunc(t.Rows, func(r Row) bool { return !r.Holds() })
}

// Run judges every subject. Its error is that of a plan that cannot be
// carried out; what the subjects did is in the table.
func Run(ctx context.Context, subjects []Subject, o Options) (Table, error) {
	if o.Suites == nil {
		o.Suites = suites.All()
	}
	catalogue, err := suites.Catalogue(o.Suites)
	if err != nil {
		return Table{}, err
	}
	var trials []trial
	for _, each := range subjects {
		rule, ok := catalogue.Find(each.Breaks)
		if !ok {
			return Table{}, fmt.Errorf("%s breaks %s, which is no requirement", each.Name, each.Breaks)
		}
		for _, col := range columns(each, rule, o) {
			trials = append(trials, trial{each, col})
		}
	}
	rows, err := all(ctx, trials, o)
	return Table{Rows: rows, Unkilled: unkilled(subjects, o)}, err
}

// A trial is one subject in one column.
type trial struct {
	subject Subject
	column  Column
}

// all judges the trials, several at once since most of their time is waiting,
// and returns their rows in the order of the trials.
func all(ctx context.Context, trials []trial, o Options) ([]Row, error) {
	judged := make([]*Row, len(trials))
	var telling sync.Mutex
	judging, ctx := errgroup.WithContext(ctx)
	if o.Parallel == 0 {
		o.Parallel = 8
	}
	judging.SetLimit(o.Parallel)
	for i, each := range trials {
		judging.Go(func() error {
			row, err := judge(ctx, each.subject, each.column, o)
			if err != nil {
				return fmt.Errorf("%s: %w", each.subject.Name, err)
			}
			if ctx.Err() != nil {
				return ctx.Err() // what was cut short says nothing of the subject
			}
			judged[i] = &row
			if o.Progress != nil {
				telling.Lock()
				defer telling.Unlock()
				o.Progress(row)
			}
			return nil
		})
	}
	err := judging.Wait()
	var rows []Row
	for _, row := range judged {
		if row != nil {
			rows = append(rows, *row)
		}
	}
	return rows, err
}

// columns says where a subject runs.
func columns(s Subject, rule requirements.Requirement, o Options) []Column {
	if len(s.In) > 0 {
		return s.In
	}
	var all []Column
	for _, rev := range slices.Backward(rule.Revisions()) {
		cl, _ := rule.At(rev)
		for _, tr := range requirements.Transports() {
			if cl.On(tr) {
				all = append(all, Column{rev, tr})
			}
		}
	}
	if !o.Everywhere && len(all) > 1 {
		return all[:1]
	}
	return all
}

func judge(ctx context.Context, s Subject, col Column, o Options) (Row, error) {
	row := Row{Subject: s.Name, Breaks: s.Breaks, Column: col}
	cfg := o.Config
	cfg.Revisions = config.Revisions{Dates: []string{string(col.Revision)}}
	cfg.Transport = config.Transport(col.Transport)
	cfg.Target.Command = s.Command
	report, err := suites.Judge(ctx, suites.Plan{
		Config: cfg, Local: s.Local, Suites: o.Suites, Selected: selected(s, o),
		Seed: o.Seed, Jobs: o.Jobs, Timeout: o.Timeout,
	})
	if err != nil {
		return row, err
	}
	if report.Verdict.Status == reports.Unjudged {
		row.Trouble = report.Verdict.Text
		return row, nil
	}
	row.compare(report.Findings, s, o)
	return row, nil
}

// selected is which cases a subject is judged by.
func selected(s Subject, o Options) func(suite.Suite, suite.Case) bool {
	if !o.Quick {
		return o.Selected
	}
	near := map[string]bool{}
	for _, id := range slices.Concat(s.Kills, s.Also) {
		name, _, _ := strings.Cut(id, "/")
		near[name] = true
	}
	for _, of := range o.Suites {
		// A watcher sees what others make the server say.
		far := slices.ContainsFunc(of.Cases, func(c suite.Case) bool { return c.Watch != nil && slices.Contains(s.Kills, c.ID) })
		for _, any := range o.Suites {
			near[any.Name] = near[any.Name] || far
		}
	}
	return func(of suite.Suite, c suite.Case) bool {
		mine := near[of.Name] && c.Lane != suite.Waits || slices.Contains(s.Kills, c.ID)
		return (o.Selected == nil || o.Selected(of, c)) && (mine || c.Watch != nil)
	}
}

func (r *Row) compare(findings []reports.Finding, s Subject, o Options) {
	judged := map[string]bool{}
	for _, f := range findings {
		judged[f.Case] = true
		switch f.Status {
		case reports.Fail, reports.Warn:
			r.Spoke = append(r.Spoke, f.Case)
			if !slices.Contains(s.Kills, f.Case) && !slices.Contains(s.Also, f.Case) {
				r.Astray = append(r.Astray, f.Case)
			}
		case reports.Error:
			r.Trouble += f.Case + " ended in an error: " + f.Problem + "\n"
		case reports.Pass, reports.Skip:
		}
	}
	// A case that does not exist in this column has nothing to notice, but one
	// of them has to exist in a column that was chosen for the subject.
	chosen := (len(s.In) > 0 || !o.Everywhere) && !slices.ContainsFunc(s.Kills, func(id string) bool { return judged[id] })
	for _, id := range s.Kills {
		if (chosen || judged[id]) && !slices.Contains(r.Spoke, id) {
			r.Silent = append(r.Silent, id)
		}
	}
}

// unkilled lists the selected cases that no subject names in its Kills.
func unkilled(subjects []Subject, o Options) []string {
	killed := map[string]bool{}
	for _, s := range subjects {
		for _, id := range s.Kills {
			killed[id] = true
		}
	}
	var alive []string
	for _, s := range o.Suites {
		for _, c := range s.Cases {
			if !killed[c.ID] && (o.Selected == nil || o.Selected(s, c)) {
				alive = append(alive, c.ID)
			}
		}
	}
	return alive
}
