package main

import (
	"cmp"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reports/proposal"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A library holds everything that list and explain show.
type library struct {
	suites []suite.Suite
	rules  *requirements.Catalogue
	faults []fault.Fault // their Kills resolved
	roles  []roles.Spec
}

func openLibrary() (*library, error) {
	all := suites.All()
	rules, err := suites.Catalogue(all)
	if err != nil {
		return nil, err
	}
	broken := faults.All()
	for i, f := range broken {
		broken[i].Kills = selftest.Subject{Breaks: f.Breaks, Kills: f.Kills}.Must(all)
	}
	return &library{suites: all, rules: rules, faults: broken, roles: suites.Roles(all)}, nil
}

// findCase finds a case and its suite.
func (l *library) findCase(id string) (suite.Suite, suite.Case, bool) {
	for _, s := range l.suites {
		for _, c := range s.Cases {
			if c.ID == id {
				return s, c, true
			}
		}
	}
	return suite.Suite{}, suite.Case{}, false
}

// casesOf lists the cases that check a requirement.
func (l *library) casesOf(id requirements.ID) []suite.Case {
	return l.casesThat(func(c suite.Case) bool { return slices.Contains(c.Checks, id) })
}

func (l *library) casesThat(fit func(suite.Case) bool) []suite.Case {
	var found []suite.Case
	for _, s := range l.suites {
		for _, c := range s.Cases {
			if fit(c) {
				found = append(found, c)
			}
		}
	}
	return found
}

func (l *library) faultsThat(fit func(fault.Fault) bool) []fault.Fault {
	var found []fault.Fault
	for _, f := range l.faults {
		if fit(f) {
			found = append(found, f)
		}
	}
	return found
}

// state says whether a requirement is checked, or why not.
func (l *library) state(r requirements.Requirement) string {
	switch {
	case len(l.casesOf(r.ID)) > 0:
		return stateChecked
	case r.Unchecked == "" || r.Unbuilt():
		return requirements.NotBuiltYet
	default:
		return r.Unchecked
	}
}

const stateChecked = "checked"

// levelOf is the highest level of the requirements of a case, at the newest revision in
// which it exists.
func (l *library) levelOf(c suite.Case) requirements.Level {
	for _, rev := range slices.Backward(requirements.Revisions()) {
		if level := l.levelAt(c, rev); level != "" {
			return level
		}
	}
	return ""
}

func (l *library) levelAt(c suite.Case, rev requirements.Revision) requirements.Level {
	if c.Revisions != nil && !slices.Contains(c.Revisions, rev) {
		return ""
	}
	var highest requirements.Level
	levels := requirements.Levels()
	for _, id := range c.Checks {
		r, _ := l.rules.Find(id)
		if cl, ok := r.At(rev); ok && (highest == "" || cmp.Less(slices.Index(levels, cl.Level), slices.Index(levels, highest))) {
			highest = cl.Level
		}
	}
	return highest
}

// span writes consecutive revisions as a range.
func span(revs []requirements.Revision) string {
	switch len(revs) {
	case 0:
		return "no revision"
	case 1:
		return string(revs[0])
	}
	return string(revs[0]) + " to " + string(revs[len(revs)-1])
}

// heldBy lists the revisions in which a clause holds, oldest first.
func heldBy(cl requirements.Clause) []requirements.Revision {
	var held []requirements.Revision
	for _, rev := range requirements.Revisions() {
		if cl.Holds(rev) {
			held = append(held, rev)
		}
	}
	return held
}

// proposalCases lists the cases in the form of the proposals.
func proposalCases(l *library) proposal.Cases {
	known := requirements.Revisions()
	all := proposal.Cases{Version: version(), Revision: known[len(known)-1]}
	for _, s := range l.suites {
		for _, c := range s.Cases {
			one := proposal.Case{ID: c.ID, Title: c.Title, Extension: s.Extension.Name, Level: l.levelOf(c), Checks: c.Checks}
			if r, found := l.rules.Find(c.Checks[0]); found {
				one.Source = r.Clauses[len(r.Clauses)-1].Source
			}
			all.Tests = append(all.Tests, one)
		}
	}
	return all
}
