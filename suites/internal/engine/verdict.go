package engine

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// conclude sums up a report whose findings are complete. Each scope describes one
// column; incomplete says why not everything was judged, where no finding does.
func (p Plan) conclude(r reports.Report, scopes []reports.Scope, incomplete string) reports.Report {
	for _, s := range p.Suites {
		r.Suites = append(r.Suites, reports.Suite{Name: s.Name, Title: s.Title, Extension: s.Extension.Name, Grade: p.Catalogue.Grade(s.Name)})
	}
	r.Suites = reports.CountBySuite(r.Findings, r.Suites)
	r.Rules = reports.Rules(r.Findings, p.Catalogue.Find)
	r.Verdict.Columns = reports.Sum(r.Findings, scopes, r.Suites)
	r.Verdict.Extensions = reports.SumExtensions(r)
	return reports.Settle(r, reports.Policy{Incomplete: incomplete})
}

// scope describes a column for the verdict. A column that was only partly judged gets no
// grade.
func (p Plan) scope(at reports.Place, survey *probe.Survey) reports.Scope {
	s := reports.Scope{Place: at}
	checked := map[requirements.ID]bool{}
	for _, of := range p.Suites {
		for i := range of.Cases {
			c := &of.Cases[i]
			if c.Exists(at, p.Catalogue) || slices.Contains(p.Named, c.ID) {
				s.Cases++
			}
			for _, id := range c.Checks {
				// A rule counts as checked only where its own page checks it.
				checked[id] = checked[id] || p.Catalogue.Area(id) == of.Name
			}
		}
	}
	s.Unjudged = p.Catalogue.Unjudged(at.Revision, at.Transport, func(id requirements.ID) bool { return checked[id] })
	if p.Selected != nil {
		s.WhyUngraded = "only a selection of the cases was run"
	}
	if survey != nil && survey.Access != nil && survey.Access.Locked {
		s.WhyUngraded = "the server wants a login, and " + loginKey + " is not set"
	}
	return s
}
