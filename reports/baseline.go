package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A KnownFailure is a failure that the run tolerates for now.
type KnownFailure struct {
	Case      string
	Revision  requirements.Revision  // empty: every revision
	Transport requirements.Transport // empty: every transport
	Reason    string
	Until     time.Time // the last day of the entry; zero: no end
	At        string    // the place of the entry in its file
	Shared    bool      // the file is for other servers, too: where this one passes, another may not
}

// Over tells whether the last day has passed at a moment, by the calendar of that
// moment.
func (k KnownFailure) Over(now time.Time) bool {
	if k.Until.IsZero() {
		return false
	}
	year, month, day := now.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).After(k.Until)
}

// Covers tells whether the entry describes a finding.
func (k KnownFailure) Covers(f Finding) bool {
	return k.Case == f.Case && (k.Revision == "" || k.Revision == f.Revision) && (k.Transport == "" || k.Transport == f.Transport)
}

// nowhere says that an entry cannot match anything.
const nowhere = "does not exist there"

// Needed tells whether a case that the entry describes does not pass, by a report in which
// the known failures are skips, or why the entry is useless. Neither: the report does not
// show it.
func (k KnownFailure) Needed(r Report) (needed bool, useless string) {
	why := ""
	matched, passes, applies := false, true, false
	for _, f := range r.Findings {
		if !k.Covers(f) {
			continue
		}
		matched, passes = true, passes && f.Status == Pass
		if f.Status == Skip && f.Reason != nil && !f.Reason.Kind.Applies() {
			why = f.Reason.Text
		} else {
			applies = true
		}
	}
	switch {
	case matched && passes:
		return false, "passes now"
	case matched && !applies:
		return false, "does not apply, " + why
	case matched:
		return true, ""
	case k.pointless(r):
		return false, nowhere
	}
	return false, ""
}

// pointless tells whether no finding can match the entry: all cases ran in the columns
// that the entry names, or the server does not support the revision.
func (k KnownFailure) pointless(r Report) bool {
	// A run with a part of the cases may not have asked for every revision.
	part := slices.ContainsFunc(r.Verdict.Columns, func(c Column) bool { return c.Basis == nil || c.Basis.WhyUngraded != "" })
	if k.Revision != "" && !part && len(r.Target.Revisions) > 0 && !slices.Contains(r.Target.Revisions, k.Revision) {
		return true
	}
	meant := 0
	for _, c := range r.Verdict.Columns {
		if !k.Covers(Finding{Case: k.Case, Revision: c.Revision, Transport: c.Transport}) {
			continue
		}
		if meant++; c.Basis == nil || c.Basis.WhyUngraded != "" {
			return false
		}
	}
	return meant > 0 && (k.Revision != "" || k.Transport != "")
}

// A Baseline holds the failures that a run tolerates.
type Baseline struct {
	Entries []KnownFailure
	Cases   []string  // every case of the kit
	Now     time.Time // the moment at which entries are in force or over

	Meant func(id string) string // a question such as "did you mean ping/answered?"; nil or empty: none
}

// Unwritten is the reason of a new entry, until somebody writes one.
const Unwritten = "TODO"

// unwritten says in one line which entries in force have no reason yet.
func (b Baseline) unwritten() []string {
	var open []KnownFailure
	for _, k := range b.Entries {
		if !k.Over(b.Now) && strings.HasPrefix(k.Reason, Unwritten) {
			open = append(open, k)
		}
	}
	switch len(open) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("the entry for %s says TODO in the place of a reason (%s)", open[0].Case, open[0].At)}
	}
	return []string{fmt.Sprintf("%d entries say TODO in the place of a reason, the first is %s (%s)", len(open), open[0].Case, open[0].At)}
}

// unknown says that an entry names no case, and which one it may mean.
func (b Baseline) unknown(k KnownFailure) string {
	line := fmt.Sprintf("%s is not a case (%s)", k.Case, k.At)
	if b.Meant == nil || b.Meant(k.Case) == "" {
		return line
	}
	return line + "; " + b.Meant(k.Case)
}

// Known tells whether the rule was broken and the baseline of the run tolerates that.
func (f Finding) Known() bool {
	return f.Status == Skip && f.Reason != nil && f.Reason.Kind == ExpectedFailure
}

// Known is the number of failures and warnings that the baseline of the run tolerates.
func (r Report) Known() int {
	return len(only(r.Findings, Finding.Known))
}

// Expects tells whether a finding would become a known failure.
func (b Baseline) Expects(f Finding) bool {
	return (f.Status == Fail || f.Status == Warn) &&
		slices.ContainsFunc(b.Entries, func(k KnownFailure) bool { return !k.Over(b.Now) && k.Covers(f) })
}

// apply turns the expected findings into skips, reports whether one of them was a
// failure, and names the entries that are out of date.
func (b Baseline) apply(r *Report) (known bool, stale []string) {
	if len(b.Entries) == 0 {
		return false, nil
	}
	r.Findings = slices.Clone(r.Findings)
	for _, k := range b.Entries {
		if k.Over(b.Now) {
			stale = append(stale, fmt.Sprintf("the entry for %s expired on %s (%s)", k.Case, k.Until.Format(time.DateOnly), k.At))
			continue
		}
		for i := range r.Findings {
			f := &r.Findings[i]
			if !k.Covers(*f) {
				continue
			}
			known = known || f.Status == Fail
			if f.Status == Fail || f.Status == Warn {
				f.Reason = &Reason{Kind: ExpectedFailure, Text: k.Reason + " (" + k.At + ")", Was: f.Status}
				f.Status = Skip
			}
		}
		exists := slices.Contains(b.Cases, k.Case)
		switch _, why := k.Needed(*r); {
		case k.Shared && exists: // in force for another server
		case !exists && (why == "" || why == nowhere):
			stale = append(stale, b.unknown(k))
		case why != "":
			stale = append(stale, fmt.Sprintf("%s %s; remove its entry (%s)", k.Case, why, k.At))
		}
	}
	r.recount()
	return known, append(stale, b.unwritten()...)
}

// recount counts the findings again after some of them became known failures. No grade
// gets better.
func (r *Report) recount() {
	r.Verdict.Columns = slices.Clone(r.Verdict.Columns)
	for i := range r.Verdict.Columns {
		col := &r.Verdict.Columns[i]
		col.Counts = Tally(only(r.Findings, func(f Finding) bool { return f.Place() == col.Place() }))
	}
	r.Suites = CountBySuite(r.Findings, r.Suites)
	r.Verdict.Extensions = SumExtensions(*r)
}
