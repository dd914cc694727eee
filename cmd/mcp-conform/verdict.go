package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
)

// A wish is what a run is asked to make of its findings.
type wish struct {
	strict         bool
	strictBaseline bool
	failOnPartial  bool
	baseline       baseline
	limit          time.Duration
	part           bool // of a run: it may have none of the cases
	interrupted    bool
}

// settle gives the report the verdict that the run asks for.
func (w wish) settle(r *reports.Report, now time.Time) {
	stale := w.baseline.apply(r, now)
	v := &r.Verdict
	for _, s := range stale {
		remark(v, "baseline: "+s)
	}
	code := r.Exit(w.strict)
	if code == reports.ExitFailed || w.strictBaseline && len(stale) > 0 {
		code, v.Status = reports.ExitFailed, reports.Failed
	}
	v.ExitCode = w.partial(r, w.code(r, code))
}

// partial is the exit code of a run that may have to judge everything. What is
// broken and expected was judged.
func (w wish) partial(r *reports.Report, code int) int {
	untested := r.Untested()
	if !w.failOnPartial || code != reports.ExitPassed || len(untested) == 0 {
		return code
	}
	line := "--fail-on-partial: a MUST that applies was not judged: " + untested[0]
	if more := len(untested) - 1; more > 0 {
		line += fmt.Sprintf(", and %d more", more)
	}
	remark(&r.Verdict, line)
	return reports.ExitFailed
}

// code is the exit code, given that of a run that came to its end.
func (w wish) code(r *reports.Report, code int) int {
	v := &r.Verdict
	switch {
	case w.interrupted:
		v.Text = "interrupted: these are the findings so far, the rest was not judged"
		if len(r.Findings) == 0 {
			v.Text = "interrupted before anything was judged"
		}
		return reports.ExitInterrupted
	case code == reports.ExitFailed:
		return code
	case v.Status != reports.Unjudged && !w.part && !slices.ContainsFunc(r.Findings, exists):
		v.Status = reports.Unjudged
		remark(v, "none of the selected cases exists at the judged revisions; --revision all judges every revision the server speaks")
		return reports.ExitUnjudged
	case r.CutShort():
		remark(v, fmt.Sprintf("cut short after %s, the limit of this run", w.limit))
		return reports.ExitUnjudged
	}
	return code
}

// exists tells of a finding whose case exists in its column.
func exists(f reports.Finding) bool {
	return f.Reason == nil || f.Reason.Kind != reports.OtherRevision
}

// absent names the cases that were asked for and do not exist where they were.
func absent(r reports.Report) []string {
	var lines []string
	for _, f := range r.Findings {
		if line := "not run: " + f.Case; !exists(f) {
			if line += ", " + f.Reason.Text; !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func remark(v *reports.Verdict, line string) {
	if v.Text != "" {
		v.Text += "\n"
	}
	v.Text += line
}
