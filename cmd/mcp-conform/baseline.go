package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// expected is a failure that is put up with, and where that is written.
type expected struct {
	config.Expected
	place string
}

func places(file string, entries []config.Expected) []expected {
	var all []expected
	for _, e := range entries {
		all = append(all, expected{e, fmt.Sprintf("%s:%d", file, e.Line)})
	}
	return all
}

// covers tells whether an entry speaks of a finding.
func (e expected) covers(f reports.Finding) bool {
	return e.Case == f.Case &&
		(e.Revision == "" || e.Revision == string(f.Revision)) &&
		(e.Transport == "" || string(e.Transport) == string(f.Transport))
}

// pointless tells of an entry that no finding can match: the columns that it
// names were judged with all cases, or the server does not support the revision.
func (e expected) pointless(r reports.Report) bool {
	// Where a part of the cases was judged, not every revision was asked for.
	part := slices.ContainsFunc(r.Verdict.Columns, func(c reports.Column) bool { return c.Basis == nil || c.Basis.WhyUngraded != "" })
	if e.Revision != "" && !part && len(r.Target.Revisions) > 0 && !slices.Contains(r.Target.Revisions, requirements.Revision(e.Revision)) {
		return true
	}
	meant := 0
	for _, c := range r.Verdict.Columns {
		if !e.covers(reports.Finding{Case: e.Case, Revision: c.Revision, Transport: c.Transport}) {
			continue
		}
		if meant++; c.Basis == nil || c.Basis.WhyUngraded != "" {
			return false
		}
	}
	return meant > 0 && (e.Revision != "" || e.Transport != "")
}

// A baseline is the failures that a run puts up with.
type baseline struct {
	entries []expected
	cases   []string // every case there is
}

// expects tells whether a finding would become a known failure.
func (b baseline) expects(f reports.Finding, now time.Time) bool {
	return (f.Status == reports.Fail || f.Status == reports.Warn) &&
		slices.ContainsFunc(b.entries, func(e expected) bool { return !e.Over(now) && e.covers(f) })
}

// apply turns the findings that were expected into skips, and says which
// entries are out of date.
func (b baseline) apply(r *reports.Report, now time.Time) (stale []string) {
	for _, e := range b.entries {
		if e.Over(now) {
			stale = append(stale, fmt.Sprintf("the entry for %s expired on %s (%s)", e.Case, e.Until.Format(time.DateOnly), e.place))
			continue
		}
		matched, passes, applies := false, true, false
		why := ""
		for i := range r.Findings {
			f := &r.Findings[i]
			if !e.covers(*f) {
				continue
			}
			matched, passes = true, passes && f.Status == reports.Pass
			if f.Status == reports.Skip && f.Reason != nil && !f.Reason.Kind.Applies() {
				why = f.Reason.Text
			} else {
				applies = true
			}
			if f.Status == reports.Fail || f.Status == reports.Warn {
				f.Status, f.Reason = reports.Skip, &reports.Reason{Kind: reports.ExpectedFailure, Text: e.Reason + " (" + e.place + ")"}
			}
		}
		switch {
		case matched && passes:
			stale = append(stale, fmt.Sprintf("%s passes now; remove its entry (%s)", e.Case, e.place))
		case matched && !applies:
			stale = append(stale, fmt.Sprintf("%s does not apply, %s; remove its entry (%s)", e.Case, why, e.place))
		case !slices.Contains(b.cases, e.Case):
			stale = append(stale, fmt.Sprintf("%s is not a case (%s)", e.Case, e.place))
		case !matched && e.pointless(*r):
			stale = append(stale, fmt.Sprintf("%s does not exist there; remove its entry (%s)", e.Case, e.place))
		}
	}
	if len(b.entries) > 0 {
		r.Recount()
	}
	return stale
}
