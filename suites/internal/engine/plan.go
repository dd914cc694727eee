// Package engine plans a run, gathers its findings concurrently, and turns violations
// into findings; no other package does that. It knows nothing of Ginkgo: package
// ginkgospecs waits for the findings here.
package engine

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/nonce"
	"github.com/mcp-conform/mcp-conform/suites/internal/severity"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Plan is everything a run is asked to do: the plain plan, and what was made ready for
// it.
type Plan struct {
	plan.Plan
	Catalogue *requirements.Catalogue
	Schemas   *schemas.Library
	Secrets   *config.Secrets // of the run: it learns those that come to light
	Ways      []connect.Way
	Kit       reports.Kit

	// Part says that only a few cases were selected: then the report need not list the
	// other revisions that the server speaks, which would cost a process each.
	Part    bool
	Lasting bool // the target outlives the run: what is left behind meets the next one

	// Mint gets a token for a scope and a resource in place of principals.token-command.
	Mint func(ctx context.Context, scope, resource string) (string, error)
}

// A Column is one revision over one transport.
type Column = requirements.Column

// A Spec is one case to be judged in one column.
type Spec struct {
	Column Column
	Suite  suite.Suite
	Case   suite.Case

	index   int
	rules   []rule          // those that hold in the column
	lead    requirements.ID // the requirement whose clause decides
	clause  requirements.Clause
	missing *reports.Reason       // why the case does not exist in the column, though it was asked for
	ruleAt  requirements.Revision // the revision whose rule is shown
}

// A rule is a requirement as it is in a column.
type rule struct {
	id     requirements.ID
	clause requirements.Clause
}

// watches reports whether a selected case of the column is a watcher.
func (p Plan) watches(col Column) bool {
	for s := range p.applying(col) {
		if s.Case.Watch != nil {
			return true
		}
	}
	return false
}

// applying yields the cases that apply to a column, in suite order. A case whose rules do
// not exist at the column's revision does not apply.
func (p Plan) applying(col Column) iter.Seq[Spec] {
	return func(yield func(Spec) bool) {
		for _, s := range p.Suites {
			for _, c := range s.Cases {
				if p.Selected != nil && !p.Selected(s, c) {
					continue
				}
				spec, ok := p.spec(col, s, c)
				if !ok && slices.Contains(p.Named, c.ID) {
					spec, ok = p.absent(spec)
				}
				if ok && !yield(spec) {
					return
				}
			}
		}
	}
}

// opener is the id of the case that owns the opening, in whichever column it applies.
func (p Plan) opener() string {
	for _, s := range p.Suites {
		for _, c := range s.Cases {
			if slices.ContainsFunc(c.Proves, func(n suite.Need) bool { return n.Any[0].Kind == suite.OpeningKind }) {
				return c.ID
			}
		}
	}
	return ""
}

func (p Plan) spec(col Column, s suite.Suite, c suite.Case) (Spec, bool) {
	if c.Revisions != nil && !slices.Contains(c.Revisions, col.Revision) {
		return Spec{Column: col, Suite: s, Case: c}, false
	}
	spec := Spec{Column: col, Suite: s, Case: c, ruleAt: col.Revision, rules: make([]rule, 0, len(c.Checks))}
	for _, id := range c.Checks {
		// What is not in the catalogue is named by its test.
		if cl, ok := p.Catalogue.Clause(id, col.Revision, col.Transport); ok {
			spec.rules = append(spec.rules, rule{id, cl})
		}
	}
	lead, ok := heaviest(spec.rules)
	spec.lead, spec.clause = lead.id, lead.clause
	return spec, ok
}

// heaviest is the rule that decides: the first rule of the greatest weight.
func heaviest(rules []rule) (rule, bool) {
	var best rule
	for _, r := range rules {
		if best.id == "" || severity.Weight(r.clause) > severity.Weight(best.clause) {
			best = r
		}
	}
	return best, best.id != ""
}

// ruleFor is the rule that a violation breaks. A violation that names no rule breaks the
// rule that decides. It is an error to name a rule that the case does not check.
func (s Spec) ruleFor(named []requirements.ID) (rule, error) {
	for _, id := range named {
		if !slices.Contains(s.Case.Checks, id) {
			return rule{}, fmt.Errorf("the case says that %s is broken, which it does not check", id)
		}
	}
	broke := slices.DeleteFunc(slices.Clone(s.rules), func(r rule) bool { return !slices.Contains(named, r.id) })
	if broken, ok := heaviest(broke); ok {
		return broken, nil
	}
	return rule{s.lead, s.clause}, nil
}

// Level is the level of the clause that decides.
func (s Spec) Level() requirements.Level { return s.clause.Level }

// Location is the file and line of the case's function.
func (s Spec) Location() (file string, line int) {
	var entry uintptr
	if s.Case.Run != nil {
		entry = reflect.ValueOf(s.Case.Run).Pointer()
	} else {
		entry = reflect.ValueOf(s.Case.Watch).Pointer()
	}
	return runtime.FuncForPC(entry).FileLine(entry)
}

// within gives a context that ends when the time of the whole run is over.
func (p Plan) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, p.Started.Add(p.Limit))
}

// caseLimit is how long one case may take: longer than its longest wait and
// a handful of answers that never come.
func (p Plan) caseLimit(answer time.Duration) time.Duration { return 6*answer + 2*p.Config.Wait.Max }

// nonce gives a source of fresh text for one purpose. A server that outlives the run may
// remember the texts of an earlier run with the same seed.
func (p Plan) nonce(parts ...string) func() string {
	if p.Lasting {
		parts = append(parts, p.Epoch.UTC().String())
	}
	return nonce.From(p.Seed, parts...)
}
