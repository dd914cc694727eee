package reports

import "fmt"

// Contradiction says where the verdict is better than the findings allow, or rests on other
// findings; empty: nowhere. No run writes such a report: somebody has changed the file.
func Contradiction(r Report) string {
	v, sum := r.Verdict, Tally(r.Findings)
	says := fmt.Sprintf("the verdict is %s with exit code %d", v.Status, v.ExitCode)
	failed := v.ExitCode == ExitFailed && (v.Status == Failed || v.Status == Partial) || v.ExitCode == ExitInterrupted && v.Status == Stopped
	switch untested := r.Untested(); {
	case sum.Fail > 0 && (!failed || v.Status == Partial):
		return fmt.Sprintf("%s, and findings fail: %d", says, sum.Fail)
	case r.Run.Strict && sum.Warn > 0 && (!failed || v.Status == Partial):
		return fmt.Sprintf("%s, the run was strict, and findings warn: %d", says, sum.Warn)
	case v.ExitCode == ExitPassed && v.Status != Passed && v.Status != Partial, v.Status == Failed && !failed:
		return says
	case v.ExitCode == ExitPassed && sum.Error > 0:
		return fmt.Sprintf("%s, and cases could not be judged: %d", says, sum.Error)
	case v.ExitCode == ExitPassed && r.CutShort():
		return says + ", and the run was cut short"
	case v.Status == Passed && sum.Error > 0:
		return fmt.Sprintf("%s, and cases could not be judged: %d", says, sum.Error)
	case v.Status == Passed && len(untested) > 0:
		return fmt.Sprintf("%s, and %s was not judged", says, untested[0])
	}
	return miscounted(r)
}

// miscounted says which part of the verdict does not follow from its findings.
func miscounted(r Report) string {
	left := map[Place][]Finding{}
	for _, f := range r.Findings {
		left[f.Place()] = append(left[f.Place()], f)
	}
	for _, c := range r.Verdict.Columns {
		of := left[c.Place()]
		delete(left, c.Place())
		if c.Counts != Tally(of) {
			return fmt.Sprintf("the counts of %s are not those of its findings", c.Place())
		}
		scope := Scope{Place: c.Place()}
		if c.Basis != nil {
			scope.Unjudged, scope.WhyUngraded = c.Basis.Unjudged, c.Basis.WhyUngraded
		}
		if most, _ := scope.grade(of, r.Suites); GradeRank(c.Grade) > GradeRank(most) {
			return fmt.Sprintf("the grade of %s is %q, and its findings allow %q", c.Place(), c.Grade, most)
		}
	}
	for _, f := range r.Findings {
		if _, uncounted := left[f.Place()]; uncounted {
			return fmt.Sprintf("the verdict does not count the findings of %s", f.Place())
		}
	}
	for i, s := range CountBySuite(r.Findings, r.Suites) {
		if s.Counts != r.Suites[i].Counts {
			return fmt.Sprintf("the counts of the suite %q are not those of its findings", s.Name)
		}
	}
	follows := map[string]ExtensionVerdict{}
	for _, e := range SumExtensions(r) {
		follows[e.Name] = e
	}
	for _, e := range r.Verdict.Extensions {
		from := follows[e.Name]
		if better := e.Status == Passed || from.Status == Failed; e.Counts != from.Counts || better && e.Status != from.Status {
			return fmt.Sprintf("the verdict on the extension %q does not follow from its findings", e.Name)
		}
	}
	return ""
}
