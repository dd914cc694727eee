// Package specs says which cases exist in a column, and which of their rules decides there.
package specs

import (
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/severity"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Spec is one case to be judged in one column.
type Spec struct {
	*entry
	Index   int             // among the specs of a run
	Missing *reports.Reason // why the case does not exist in the column, though it was asked for
}

// An entry is a case in one column, for all runs.
type entry struct {
	Column requirements.Column
	Suite  *suite.Suite
	Case   *suite.Case

	rules []Rule                // those that hold in the column
	lead  Rule                  // the one that decides
	at    requirements.Revision // whose rule is shown
}

// A Rule is a requirement as it is in a column.
type Rule struct {
	ID     requirements.ID
	Clause requirements.Clause
}

// suppressed reports whether the operator leaves out a suite of rules that no server claims. Cases about what a server
// can claim are not applicable instead, since the claim is taken away.
func suppressed(p plan.Plan, s *suite.Suite) bool {
	word, proposed := strings.CutPrefix(s.Name, "ext-")
	return proposed && s.Extension.Name == "" && slices.Contains(p.Config.Claims.Suppressed, word)
}

// in is a case in a column; false where the case does not exist.
func in(col requirements.Column, rules *requirements.Catalogue, s *suite.Suite, c *suite.Case) (*entry, bool) {
	e := &entry{Column: col, Suite: s, Case: c, at: col.Revision}
	if c.Revisions != nil && !slices.Contains(c.Revisions, col.Revision) {
		return e, false
	}
	e.rules = make([]Rule, 0, len(c.Checks))
	for _, id := range c.Checks {
		// What is not in the catalogue is named by its test.
		if cl, ok := rules.Clause(id, col.Revision, col.Transport); ok {
			e.rules = append(e.rules, Rule{id, cl})
		}
	}
	lead, ok := heaviest(e.rules)
	e.lead = lead
	return e, ok
}

// heaviest is the rule that decides: the first rule of the greatest weight.
func heaviest(rules []Rule) (Rule, bool) {
	var best Rule
	for _, r := range rules {
		if best.ID == "" || severity.Weight(r.Clause) > severity.Weight(best.Clause) {
			best = r
		}
	}
	return best, best.ID != ""
}

// Broken is the rule that a violation breaks. A violation that names no rule breaks the
// rule that decides. It is an error to name a rule that the case does not check.
func (s Spec) Broken(named []requirements.ID) (Rule, error) {
	for _, id := range named {
		if !slices.Contains(s.Case.Checks, id) {
			return Rule{}, fmt.Errorf("the case says that %s is broken, which it does not check", id)
		}
	}
	broke := slices.DeleteFunc(slices.Clone(s.rules), func(r Rule) bool { return !slices.Contains(named, r.ID) })
	if broken, ok := heaviest(broke); ok {
		return broken, nil
	}
	return s.lead, nil
}

// Blank is the finding of the case before anything is known.
func (s Spec) Blank() reports.Finding {
	f := reports.Finding{
		Case: s.Case.ID, Suite: s.Suite.Name, Title: s.Case.Title,
		Revision: s.Column.Revision, Transport: s.Column.Transport, Requirements: s.Case.Checks,
	}
	s.lead.Quote(&f, s.at)
	return f
}

// Quote puts the rule into a finding: its text and where the text comes from.
func (r Rule) Quote(f *reports.Finding, at requirements.Revision) {
	f.Level, f.Rule, f.Link = r.Clause.Level, r.Clause.Text, r.Clause.LinkOver(at, f.Transport)
	if f.Origin = ""; r.Clause.Source != "" {
		f.Origin = r.Clause.Origin()
	}
}

// Level is the level of the rule that decides.
func (s Spec) Level() requirements.Level { return s.lead.Clause.Level }

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

// Again is the command line that judges this case alone, with the flags of the run; of several
// columns it names the one of the case. For a watcher it also names the case whose traffic broke the
// rule, unless that was discovery, with which every run begins.
func (s Spec) Again(run, by string, several bool) string {
	line := "mcp-conform run --case "
	if by != "" && by != s.Case.ID {
		line += by + ","
	}
	line += s.Case.ID
	flags, _, _ := strings.Cut(" "+run, " -- ") // what follows is the server's
	if given := strings.Fields(flags); several {
		for _, flag := range [][2]string{{"--revision", string(s.Column.Revision)}, {"--transport", string(s.Column.Transport)}} {
			if !slices.Contains(given, flag[0]) {
				line += " " + flag[0] + " " + flag[1]
			}
		}
	}
	if run != "" {
		line += " " + run
	}
	return line
}

// Opener is the id of the case that owns the opening, in whichever column it applies.
func Opener(of []suite.Suite) string {
	for _, s := range of {
		for _, c := range s.Cases {
			if slices.ContainsFunc(c.Proves, func(n suite.Need) bool { return n.Any[0].Kind == suite.OpeningKind }) {
				return c.ID
			}
		}
	}
	return ""
}

// Watch reports whether one of the cases is a watcher.
func Watch(cases iter.Seq[Spec]) bool {
	for s := range cases {
		if s.Case.Watch != nil {
			return true
		}
	}
	return false
}
