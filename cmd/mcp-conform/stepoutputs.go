package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// outputsFormat names the outputs of a workflow step, one per line.
const outputsFormat = "outputs"

// stepOutputs writes the outputs. Each value is a number or one of our own words, so no
// text of a report can begin a line.
func stepOutputs(w io.Writer, r reports.Report) error {
	sum := r.Verdict.Total()
	verdict := r.Verdict.Status
	if !verdict.Known() {
		verdict = reports.Unjudged
	}
	_, err := fmt.Fprintf(w, "verdict=%s\nexit-code=%d\npassed=%d\nfailed=%d\nwarnings=%d\nskipped=%d\ncould-not-run=%d\ngrade=%s\n",
		verdict, r.Verdict.ExitCode, sum.Pass, sum.Fail, sum.Warn, sum.Skip, sum.Error, lowestGrade(r.Verdict))
	return err
}

// lowestGrade is the lowest grade of all columns; empty where a column has none.
func lowestGrade(v reports.Verdict) string {
	if len(v.Columns) == 0 {
		return ""
	}
	lowest := slices.MinFunc(v.Columns, func(a, b reports.Column) int {
		return reports.GradeRank(a.Grade) - reports.GradeRank(b.Grade)
	}).Grade
	if name := requirements.Grade(strings.TrimSuffix(lowest, reports.PartialGrade)); !slices.Contains(requirements.Grades(), name) {
		return ""
	}
	return lowest
}
