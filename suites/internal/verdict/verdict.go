// Package verdict sums up a run: what the target is, which columns of it were judged, and what
// the findings come to.
package verdict

import (
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Sum is what a verdict is made from, beside the findings.
type Sum struct {
	plan.Plan
	Book       *specs.Book
	Transports []Transport
	Columns    []Column
}

// A Transport is what discovery learned of the target over one transport.
type Transport struct {
	Name      requirements.Transport
	Revisions []requirements.Revision
	Eras      []string
}

// A Column is what was learned in one column.
type Column struct {
	reports.Place
	Survey *probe.Survey
	Memory *probe.Memory
}

// Of adds the target and the verdict to a report whose findings are complete; incomplete says
// why not everything was judged, where no finding does.
func (s Sum) Of(r reports.Report, incomplete string) reports.Report {
	r.Target = s.target()
	for _, of := range s.Suites {
		r.Suites = append(r.Suites, reports.Suite{
			Name: of.Name, Title: of.Title, Extension: of.Extension.Name, Grade: s.Book.Rules.Grade(of.Name),
		})
	}
	var scopes []reports.Scope
	for _, col := range s.Columns {
		scopes = append(scopes, s.scope(col))
	}
	r.Suites = reports.CountBySuite(r.Findings, r.Suites)
	r.Rules = reports.Rules(r.Findings, s.Book.Rules.Find)
	r.Verdict.Columns = reports.Sum(r.Findings, scopes, r.Suites)
	r.Verdict.Extensions = reports.SumExtensions(r)
	return reports.Settle(r, reports.Policy{Incomplete: incomplete})
}

// scope describes a column for the verdict. A column that was only partly judged gets no
// grade.
func (s Sum) scope(at Column) reports.Scope {
	scope := reports.Scope{Place: at.Place, Cases: s.Book.Count(at.Place, s.Named), Unjudged: s.Book.Unjudged(at.Place)}
	if s.Selected != nil {
		scope.WhyUngraded = "only a selection of the cases was run"
	}
	if at.Survey != nil && at.Survey.Access != nil && at.Survey.Access.Locked {
		scope.WhyUngraded = "the server wants a login, and " + reports.LoginKey + " is not set"
	}
	return scope
}
