// Package badge shows a verdict as a small picture for a README, and as JSON from which
// shields.io draws the same picture. The badge names the judged columns and their grade,
// not the share of passed cases, and holds nothing that differs from one machine to the
// next.
package badge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Label is the left half of every badge.
const Label = "MCP conform"

// A color has the name that shields.io knows and the value behind it.
type color struct{ name, value string }

func green() color   { return color{"brightgreen", "#4b0"} }
func partial() color { return color{"yellowgreen", "#95991a"} }
func red() color     { return color{"red", "#dd4343"} }
func grey() color    { return color{"lightgrey", "#939393"} }

// fails stands before the revision: the server may well keep the rules of another one.
const fails = "fails at "

const longest = 48 // characters; a verdict needs half of them

// face is the right half of the badge. For a failed run it names the newest revision
// that failed; for any other run, the newest revision that was judged and the lowest
// grade reached there. It also names the transports. Only a full grade is green: nobody
// has judged the rest of a partial grade. A failed run is red, whichever field of the
// verdict shows the failure.
func face(v reports.Verdict) (message string, c color) {
	judged := only(v.Columns, func(c reports.Column) bool { return c.Counts.Judged() > 0 })
	failed := only(judged, func(c reports.Column) bool { return c.Counts.Fail > 0 })
	switch {
	case v.Status == reports.Stopped && v.ExitCode != reports.ExitFailed:
		return "interrupted", grey()
	case len(judged) == 0 && v.Status == reports.Failed:
		return "failing", red()
	case len(judged) == 0:
		return "not judged", grey()
	case len(failed) > 0:
		return fails + says(failed, ""), red()
	case v.Status == reports.Failed: // warnings, or the baseline, failed this run
		return fails + says(judged, ""), red()
	case v.ExitCode == reports.ExitFailed: // unjudged cases failed this run
		return says(judged, reached(judged)), red()
	case v.Status != reports.Passed && v.Status != reports.Partial:
		return "not judged", grey()
	}
	grade := lowest(judged)
	if v.Status == reports.Passed && v.ExitCode == reports.ExitPassed && v.Total().Error == 0 && whole(grade) {
		return says(judged, grade), green()
	}
	if v.Status == reports.Passed && grade == "" { // a selection of the cases, mostly
		return says(judged, "no grade"), grey()
	}
	if v.Status == reports.Passed && !whole(grade) {
		return says(judged, grade), partial()
	}
	return says(judged, reached(judged)), partial()
}

// reached is the grade of a run that left some case unjudged.
func reached(judged []reports.Column) string {
	grade := strings.TrimSuffix(lowest(judged), reports.PartialGrade)
	if grade == "" {
		return "partial"
	}
	return grade + reports.PartialGrade
}

// whole reports whether a grade is a known one and no rule of it is left open.
func whole(grade string) bool {
	return slices.Contains(requirements.Grades(), requirements.Grade(grade))
}

func only(columns []reports.Column, keep func(reports.Column) bool) []reports.Column {
	return slices.DeleteFunc(slices.Clone(columns), func(c reports.Column) bool { return !keep(c) })
}

// says names the newest revision of the columns, its transports, and the result. It
// keeps a report that others wrote to one visible line.
func says(columns []reports.Column, what string) string {
	revision := newest(columns)
	var over []string
	for _, c := range columns {
		if c.Revision == revision && !slices.Contains(over, string(c.Transport)) {
			over = append(over, string(c.Transport))
		}
	}
	visible := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && !unicode.Is(unicode.M, r) {
			return r
		}
		return -1
	}, string(revision)+" "+strings.Join(over, "+")+" "+what)
	if runes := []rune(visible); len(runes) > longest {
		visible = string(runes[:longest-1]) + "…"
	}
	return cmp.Or(strings.TrimSpace(visible), "unknown")
}

func newest(columns []reports.Column) requirements.Revision {
	return slices.MaxFunc(columns, func(a, b reports.Column) int {
		return cmp.Compare(a.Revision, b.Revision)
	}).Revision
}

// lowest is the grade that holds over every transport of the newest revision.
func lowest(columns []reports.Column) string {
	revision := newest(columns)
	columns = only(columns, func(c reports.Column) bool { return c.Revision == revision })
	return slices.MinFunc(columns, func(a, b reports.Column) int {
		return cmp.Compare(reports.GradeRank(a.Grade), reports.GradeRank(b.Grade))
	}).Grade
}
