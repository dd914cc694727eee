package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Policy holds the demands on a run beside its findings, and facts about its course.
// The zero value demands nothing.
type Policy struct {
	Strict        bool // a broken SHOULD fails the run
	FailOnPartial bool // a MUST that applies and was not judged fails the run
	Whole         bool // the run has all the selected cases: if none of them exists, it judged nothing

	Baseline       Baseline
	StrictBaseline bool // an entry of the baseline that is out of date fails the run

	Interrupted bool          // somebody stopped the run
	Limit       time.Duration // time limit of the run; 0: none
	Incomplete  string        // why not everything was judged, if no finding shows the reason

	Joined []Verdict // the verdicts of the joined reports: the new verdict is no better than any of them
}

// Settle decides the status and the exit code of a report: a failure of the server
// outweighs everything, then come the cases that could not be judged. It reads the
// findings and the counts of the columns, and trusts an earlier verdict that nothing, or
// not everything, could be judged. It does not change the given report.
func Settle(r Report, p Policy) Report {
	r.Run.Strict = p.Strict
	v := &r.Verdict
	if p.Incomplete != "" {
		v.Text, v.ExitCode = p.Incomplete, ExitUnjudged
	}
	known, stale := p.Baseline.apply(&r)
	for _, line := range stale {
		v.Remark("baseline: " + line)
	}
	code := r.exitCode(p.Strict)
	v.Status = r.status(known)
	if code == ExitFailed || p.StrictBaseline && len(stale) > 0 {
		code, v.Status = ExitFailed, Failed
	}
	v.ExitCode = p.partial(&r, p.ending(&r, code))
	for _, of := range p.Joined {
		v.Status, v.ExitCode = WorstStatus(v.Status, of.Status), WorstCode(v.ExitCode, of.ExitCode)
	}
	return r
}

// exitCode is the exit code by the counts and by the earlier verdict.
func (r Report) exitCode(strict bool) int {
	sum := r.Verdict.Total()
	switch {
	case sum.Fail > 0, strict && sum.Warn > 0:
		return ExitFailed
	case sum.Error > 0, r.Verdict.Status == Unjudged, r.Verdict.ExitCode == ExitUnjudged, r.CutShort():
		return ExitUnjudged
	default:
		return ExitPassed
	}
}

// status is the verdict in one word. A known failure is still a broken rule, so the run
// is partial at best.
func (r Report) status(known bool) VerdictStatus {
	sum := r.Verdict.Total()
	switch {
	case r.Verdict.Status == Unjudged:
		return Unjudged
	case sum.Fail > 0:
		return Failed
	case known, sum.Error > 0, len(r.Untested()) > 0:
		return Partial
	default:
		return Passed
	}
}

// ending corrects the exit code for a run that was cut short or failed its policy.
func (p Policy) ending(r *Report, code int) int {
	v := &r.Verdict
	switch {
	case p.Interrupted:
		if text := Interruption(len(r.Findings) > 0); !strings.HasPrefix(v.Text, text) {
			v.Text = text
		}
		v.Status, v.Columns = Stopped, slices.Clone(v.Columns)
		for i := range v.Columns {
			v.Columns[i].Grade, v.Columns[i].WhyNotNext = "", "the run was interrupted"
		}
		return ExitInterrupted
	case code == ExitFailed:
		return code
	case v.Status != Unjudged && p.Whole && !slices.ContainsFunc(r.Findings, Finding.Exists):
		v.Status = Unjudged
		v.Remark("none of the selected cases exists at the judged revisions; --revision all judges every revision the server speaks")
		return ExitUnjudged
	case p.Limit > 0 && r.CutShort():
		if line := fmt.Sprintf("cut short after %s, the limit of this run", p.Limit); !strings.Contains(v.Text, line) {
			v.Remark(line)
		}
		return ExitUnjudged
	}
	return code
}

// Interruption says that somebody stopped a run. Remarks may follow it.
func Interruption(findings bool) string {
	if !findings {
		return "interrupted before anything was judged"
	}
	return "interrupted: these are the findings so far, the rest was not judged"
}

// partial is the exit code of a run that may have to judge everything. An expected
// failure counts as judged.
func (p Policy) partial(r *Report, code int) int {
	untested := r.Untested()
	if !p.FailOnPartial || code != ExitPassed || len(untested) == 0 {
		return code
	}
	line := "--fail-on-partial: a MUST that applies was not judged: " + untested[0]
	if more := len(untested) - 1; more > 0 {
		line += fmt.Sprintf(", and %d more", more)
	}
	r.Verdict.Remark(line)
	return ExitFailed
}

// Remark adds a line to the text of the verdict.
func (v *Verdict) Remark(line string) {
	if v.Text != "" {
		v.Text += "\n"
	}
	v.Text += line
}

// badness orders verdicts: a failure outweighs what could not be judged.
func badness(s VerdictStatus) int {
	return slices.Index([]VerdictStatus{Passed, Partial, Unjudged, Stopped, Failed}, s)
}

// precedence orders exit codes by weight, as badness does for verdicts.
func precedence(code int) int {
	return slices.Index([]int{ExitPassed, ExitUnjudged, ExitInterrupted, ExitUsage, ExitFailed}, code)
}
