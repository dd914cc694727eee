// Package compare lists the changes between two reports of a server for a reviewer of a
// change to the server: new failures come first.
package compare

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
)

// A Kind names the change of a case.
type Kind string

// The kinds of changes.
const (
	NewFailure   Kind = "new-failure"
	NewWarning   Kind = "new-warning"
	NewError     Kind = "new-error"
	Fixed        Kind = "fixed"
	Milder       Kind = "milder"
	Changed      Kind = "changed-problem"
	NewlySkipped Kind = "newly-skipped"
	Accepted     Kind = "accepted"
	Inapplicable Kind = "no-longer-applies"
	Gone         Kind = "gone"
)

// Kinds returns the kinds in the order in which a reviewer reads.
func Kinds() []Kind {
	return []Kind{NewFailure, NewWarning, NewError, Fixed, Milder, Changed, NewlySkipped, Accepted, Inapplicable, Gone}
}

// Worse tells whether a change of this kind makes a server, or the knowledge about it,
// worse.
func (k Kind) Worse() bool {
	switch k {
	case NewFailure, NewWarning, NewError, NewlySkipped:
		return true
	case Fixed, Milder, Changed, Accepted, Inapplicable, Gone:
		return false
	}
	return false
}

// A Change is the change of one case, in all columns with the same change.
type Change struct {
	Kind    Kind
	Finding reports.Finding // the later one; the earlier one where the case is gone
	Places  []reports.Place
	Was     string // status, or the reason of a skip; empty: the earlier report lacks the case
	Now     string
	Problem string // the earlier problem
}

// A Grade is the change of the grade of one column.
type Grade struct {
	Place    reports.Place
	Was, Now string // "no grade" for a column without one; empty where the column is absent
	Why      string // the reason that keeps it from a higher one now
	Worse    bool
}

// An Extension is the change of the verdict on one extension.
type Extension struct {
	Name     string
	Was, Now string // empty where the server does not claim it
	Why      string
	Worse    bool
}

// A Result holds all changes between two reports.
type Result struct {
	Old, New   reports.Report
	Changes    []Change // in the order of Kinds, then of the new report
	Grades     []Grade
	Extensions []Extension
}

// Reports compares two reports.
func Reports(before, after reports.Report) Result {
	r := Result{Old: before, New: after}
	r.changes()
	r.grades()
	r.extensions()
	return r
}

// Worse tells whether anything got worse.
func (r Result) Worse() bool {
	return r.VerdictWorse() ||
		slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Kind.Worse() }) ||
		slices.ContainsFunc(r.Grades, func(g Grade) bool { return g.Worse }) ||
		slices.ContainsFunc(r.Extensions, func(e Extension) bool { return e.Worse })
}

// VerdictWorse tells whether the verdict got worse. An unjudged server may be broken as
// well, so the verdict on it stands below a failure.
func (r Result) VerdictWorse() bool {
	order := reports.VerdictStatuses()
	return slices.Index(order, r.New.Verdict.Status) > slices.Index(order, r.Old.Verdict.Status)
}

// Of lists the changes of a kind.
func (r Result) Of(k Kind) []Change {
	var all []Change
	for _, c := range r.Changes {
		if c.Kind == k {
			all = append(all, c)
		}
	}
	return all
}

func (r *Result) grades() {
	column := func(in reports.Report, place reports.Place) *reports.Column {
		for i, c := range in.Verdict.Columns {
			if c.Place() == place {
				return &in.Verdict.Columns[i]
			}
		}
		return nil
	}
	word := func(c *reports.Column) string {
		switch {
		case c == nil:
			return ""
		case c.Grade == "":
			return "no grade"
		}
		return c.Grade
	}
	places := append(r.New.Places(), r.Old.Places()...)
	for i, place := range places {
		if slices.Contains(places[:i], place) {
			continue
		}
		before, after := column(r.Old, place), column(r.New, place)
		g := Grade{Place: place, Was: word(before), Now: word(after)}
		if g.Was == g.Now {
			continue
		}
		if after != nil {
			g.Why = after.WhyNotNext
		}
		g.Worse = before != nil && (after == nil || reports.GradeRank(after.Grade) < reports.GradeRank(before.Grade))
		r.Grades = append(r.Grades, g)
	}
}

func (r *Result) extensions() {
	before, after := r.Old.ExtensionVerdicts(), r.New.ExtensionVerdicts()
	find := func(all []reports.ExtensionVerdict, name string) *reports.ExtensionVerdict {
		for i := range all {
			if all[i].Name == name {
				return &all[i]
			}
		}
		return nil
	}
	order := reports.VerdictStatuses()
	for _, now := range after {
		e := Extension{Name: now.Name, Now: now.Word(), Why: now.Why}
		if was := find(before, now.Name); was != nil {
			e.Was = was.Word()
			e.Worse = slices.Index(order, now.Status) > slices.Index(order, was.Status)
		}
		if e.Was != e.Now {
			r.Extensions = append(r.Extensions, e)
		}
	}
	for _, was := range before {
		if find(after, was.Name) == nil {
			r.Extensions = append(r.Extensions, Extension{Name: was.Name, Was: was.Word()})
		}
	}
}
