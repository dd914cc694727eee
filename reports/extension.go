package reports

import "fmt"

// An ExtensionVerdict says how a server keeps one extension that it claims, in
// all columns together. Extensions have no grades: they stay optional.
type ExtensionVerdict struct {
	Name   string        `json:"name"`
	Claim  string        `json:"claim"`
	Status VerdictStatus `json:"status"`
	Why    string        `json:"why,omitempty"` // the reason that keeps it from a pass
	Counts Counts        `json:"counts"`
}

// Word is the verdict as shown beside the name of an extension.
func (e ExtensionVerdict) Word() string {
	switch e.Status {
	case Passed:
		return "passes"
	case Partial:
		return "passes (partial)"
	case Failed:
		return "fails"
	case Unjudged, Stopped:
	}
	return "not judged"
}

// ExtensionVerdicts returns the verdicts on extensions. A report of an earlier kit has
// none, so they are summed up from its findings.
func (r Report) ExtensionVerdicts() []ExtensionVerdict {
	if len(r.Verdict.Extensions) > 0 {
		return r.Verdict.Extensions
	}
	return SumExtensions(r)
}

// String writes the verdict on one line: the word, and the reason that keeps it from a
// pass.
func (e ExtensionVerdict) String() string {
	if e.Why == "" {
		return e.Word()
	}
	return e.Word() + ": " + e.Why
}

// SumExtensions gives a verdict on each extension that the target claims.
func SumExtensions(r Report) []ExtensionVerdict {
	suites := map[string]string{}
	for _, s := range r.Suites {
		suites[s.Name] = s.Extension
	}
	about := map[string][]Finding{}
	for _, f := range r.Findings {
		if name := suites[f.Suite]; name != "" {
			about[name] = append(about[name], f)
		}
	}
	var all []ExtensionVerdict
	for _, e := range r.Target.Extensions {
		of := about[e.Name]
		one := ExtensionVerdict{Name: e.Name, Claim: e.Claim, Counts: Tally(of)}
		left := open(of)
		switch {
		case one.Counts.Fail > 0:
			one.Status, one.Why = Failed, obstacle(of)
		case one.Counts.Judged() == 0:
			one.Status, one.Why = Unjudged, whyNone(of)
		case one.Counts.Error > 0, obstacle(of) != "":
			one.Status, one.Why = Partial, obstacle(of)
		case len(left) > 0:
			one.Status, one.Why = Partial, fmt.Sprintf("%s not judged, the first is %s", mustCases(len(left), ""), left[0])
		default:
			one.Status = Passed
		}
		all = append(all, one)
	}
	return all
}

// whyNone says why no case was judged: the reason that most of the cases share.
func whyNone(of []Finding) string {
	if len(of) == 0 {
		return "none of its cases was part of the run"
	}
	most, counts := "no case of it was judged", map[string]int{}
	for _, f := range of {
		if f.Reason == nil {
			continue
		}
		why := f.Reason.String()
		if counts[why]++; counts[why] > counts[most] {
			most = why
		}
	}
	return most
}
