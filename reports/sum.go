package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// PartialGrade follows a grade while an applicable rule is not judged.
const PartialGrade = " (partial)"

// A Scope holds the facts about a column, beside its findings, that a summary needs.
type Scope struct {
	Place
	Unjudged []requirements.Area // areas that bind the server here and that no case of the run judges
	// WhyUngraded says why this run gives no grade; empty: the run gives one.
	WhyUngraded string
	Cases       int // number of cases in a run without a selection
}

func (s Scope) basis() *Basis {
	return &Basis{Cases: s.Cases, Unjudged: s.Unjudged, WhyUngraded: s.WhyUngraded}
}

// Sum gives the columns of a verdict. The suites say which grade a finding counts for.
func Sum(findings []Finding, scopes []Scope, suites []Suite) []Column {
	var columns []Column
	for _, scope := range scopes {
		of := only(findings, func(f Finding) bool { return f.Place() == scope.Place })
		col := Column{Revision: scope.Revision, Transport: scope.Transport, Counts: Tally(of), Basis: scope.basis()}
		col.Grade, col.WhyNotNext = scope.grade(of, suites)
		columns = append(columns, col)
	}
	return columns
}

// grade is the highest grade that the findings of a column allow, and the obstacle to
// the next grade.
func (s Scope) grade(of []Finding, suites []Suite) (grade, whyNot string) {
	if s.WhyUngraded != "" {
		return "", s.WhyUngraded
	}
	counts := map[string]requirements.Grade{}
	for _, suite := range suites {
		if suite.Extension == "" {
			counts[suite.Name] = suite.Grade
		}
	}
	failed := only(of, func(f Finding) bool { return f.Status == Fail })
	if len(failed) > 0 {
		return "", obstacle(failed)
	}
	for _, step := range requirements.Grades() {
		within := only(of, func(f Finding) bool {
			grade, core := counts[f.Suite]
			return core && grade.Within(step)
		})
		if why := obstacle(within); why != "" {
			return grade, why
		}
		if missing := s.missing(step); len(missing) > 0 {
			return string(step) + PartialGrade, "this version of mcp-conform does not judge the rules on " + strings.Join(missing, ", ")
		}
		if left := open(within); len(left) > 0 {
			return string(step) + PartialGrade, fmt.Sprintf("%s not judged, the first is %s",
				mustCases(len(left), " of its pages"), left[0])
		}
		grade = string(step)
	}
	return grade, ""
}

// GradeRank orders grades, from none upward; a partial one stands below the same
// grade in full.
func GradeRank(grade string) int {
	name, isPartial := strings.CutSuffix(grade, PartialGrade)
	order := 2 * (1 + slices.Index(requirements.Grades(), requirements.Grade(name)))
	if isPartial {
		order--
	}
	return order
}

// only returns the findings to keep; all of them are the given list.
func only(findings []Finding, keep func(Finding) bool) []Finding {
	n := 0
	for _, f := range findings {
		if keep(f) {
			n++
		}
	}
	if n == len(findings) {
		return findings
	}
	kept := make([]Finding, 0, n)
	for _, f := range findings {
		if keep(f) {
			kept = append(kept, f)
		}
	}
	return kept
}

func mustCases(n int, where string) string {
	if n == 1 {
		return "1 MUST case" + where + " was"
	}
	return fmt.Sprintf("%d MUST cases%s were", n, where)
}

// missing lists the areas of a grade, and of lower grades, that no case of the run
// judges.
func (s Scope) missing(step requirements.Grade) []string {
	var names []string
	for _, a := range s.Unjudged {
		if a.Grade != "" && a.Grade.Within(step) {
			names = append(names, a.Name)
		}
	}
	return names
}

// obstacle names the heaviest finding that keeps a column from a grade. A known warning is
// none, as a warning is none.
func obstacle(of []Finding) string {
	for _, end := range []struct {
		status Status
		words  string
	}{{Fail, " failed"}, {Error, " could not be judged"}} {
		for _, f := range of {
			if f.Status == end.status {
				return f.Case + end.words
			}
		}
	}
	for _, f := range of {
		if f.Level == requirements.Must && f.Reason != nil && f.Reason.Kind == ExpectedFailure && f.Reason.Was != Warn {
			return f.Case + " is a known failure"
		}
	}
	return ""
}

// Untested lists the cases of a MUST that applied and were not judged, once for each
// column: as long as there is one, the verdict is partial at best.
func (r Report) Untested() []string { return open(r.Findings) }

// Musts counts the cases of a MUST that apply, once for each column, and those of them
// that were judged.
func (r Report) Musts() (judged, all int) {
	for _, f := range r.Findings {
		switch {
		case f.Level != requirements.Must || !f.Applies():
		case f.Status == Skip && f.Reason != nil && f.Reason.Kind == OptIn: // left out on purpose
		case f.Status == Skip && (f.Reason == nil || f.Reason.Kind != ExpectedFailure), f.Status == Error:
			all++
		default:
			judged, all = judged+1, all+1
		}
	}
	return judged, all
}

// MustsSaidNone counts the cases of a MUST that do not apply because the configuration says
// that the server does not have what they are about, once for each column.
func MustsSaidNone(findings []Finding) int {
	return len(only(findings, func(f Finding) bool {
		return f.Level == requirements.Must && f.Reason != nil && f.Reason.Kind == SaidNone
	}))
}

// Part says what a run without a failure leaves open of the specification: it was a
// selection of the cases, or the kit has no cases for some pages. Empty: nothing.
func (r Report) Part() string {
	var pages []string
	for _, c := range r.Verdict.Columns {
		if c.Basis == nil {
			continue
		}
		if c.Basis.WhyUngraded != "" {
			return c.Basis.WhyUngraded
		}
		for _, a := range c.Basis.Unjudged {
			if a.Grade != "" && !slices.Contains(pages, a.Name) {
				pages = append(pages, a.Name)
			}
		}
	}
	if len(pages) == 0 {
		return ""
	}
	return "this version of mcp-conform does not judge the rules on " + strings.Join(pages, ", ")
}

// open lists the cases of a MUST that applied and were not judged.
func open(of []Finding) []string {
	var cases []string
	for _, f := range of {
		if f.Status != Skip || f.Level != requirements.Must || f.Reason == nil {
			continue
		}
		switch f.Reason.Kind {
		case NoRole, Undecided, Blocked, Interrupted:
			cases = append(cases, f.Case)
		case NotDeclared, NotClaimed, OtherTransport, OtherRevision, NotApplicable, NotSeen, SaidNone, OptIn, Deselected, ExpectedFailure:
			// The case did not apply, or was left out on purpose.
		}
	}
	return cases
}
