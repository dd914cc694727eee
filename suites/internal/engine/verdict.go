package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// verdict adds the findings up. Exit codes: 1 when the server failed, whatever
// else happened; 3 when a case ended in an error of ours or the run was cut
// short; 0 otherwise.
func (r *Run) verdict(findings []reports.Finding) reports.Verdict {
	v := reports.Verdict{Status: reports.Passed}
	broken := false
	for _, col := range r.Columns() {
		var of []reports.Finding
		for _, f := range findings {
			if f.Revision == col.Revision && f.Transport == col.Transport {
				of = append(of, f)
			}
		}
		rc := r.judgeColumn(col, of)
		v.Columns = append(v.Columns, rc)
		broken = broken || rc.Counts.Error > 0 || slices.ContainsFunc(of, func(f reports.Finding) bool {
			return f.Reason != nil && f.Reason.Kind == reports.Interrupted
		})
		switch {
		case rc.Counts.Fail > 0:
			v.Status = reports.Failed
		case v.Status == reports.Passed && (len(gaps(of)) > 0 || rc.Counts.Error > 0):
			v.Status = reports.Partial
		}
	}
	switch {
	case v.Status == reports.Failed:
		v.ExitCode = 1
	case broken:
		v.ExitCode = 3
	}
	return v
}

func (r *Run) judgeColumn(col Column, of []reports.Finding) reports.Column {
	rc := reports.Column{Revision: col.Revision, Transport: col.Transport}
	for _, f := range of {
		switch f.Status {
		case reports.Pass:
			rc.Counts.Pass++
		case reports.Fail:
			rc.Counts.Fail++
		case reports.Warn:
			rc.Counts.Warn++
		case reports.Skip:
			rc.Counts.Skip++
		case reports.Error:
			rc.Counts.Error++
		}
	}
	rc.Grade, rc.WhyNotNext = r.grade(col, of)
	return rc
}

// A step is one grade on the way up: the suites it adds to those before it.
type step struct {
	grade  string
	suites []string // nil: every core suite
}

func ladder() []step {
	return []step{
		{"Core", []string{"lifecycle", "jsonrpc", "stdio", "http", "discover", "tools", "meta", "errors", "schema", "security"}},
		{"Extended", []string{"resources", "prompts", "ping", "pagination", "progress", "cancellation", "logging", "completion", "caching", "icons"}},
		{"Full", nil},
	}
}

func (r *Run) grade(col Column, of []reports.Finding) (grade, whyNot string) {
	if r.plan.Selected != nil {
		return "", "only a selection of the cases was run"
	}
	var known []string
	for _, s := range ladder() {
		known = append(known, s.suites...)
		within := slices.DeleteFunc(slices.Clone(of), func(f reports.Finding) bool {
			return r.extensionOf()[f.Suite] != "" || s.suites != nil && !slices.Contains(known, f.Suite)
		})
		if why := obstacle(within); why != "" {
			return grade, why
		}
		if missing := r.missingFrom(s, col); len(missing) > 0 {
			return s.grade + " (partial)", "the rules on " + strings.Join(missing, ", ") + " are not judged yet"
		}
		if why := r.undeclared(col); s.suites == nil && why != "" {
			return grade, why
		}
		if open := gaps(within); len(open) > 0 {
			return s.grade + " (partial)", fmt.Sprintf("%d applicable MUST cases were not judged, the first is %s", len(open), open[0])
		}
		grade = s.grade
	}
	return grade, ""
}

// missingFrom lists the suites of a step that the plan does not have: a grade is
// not given for what nobody looked at. What the other transport is about does
// not apply.
func (r *Run) missingFrom(s step, col Column) []string {
	other := map[requirements.Transport]string{requirements.Stdio: "http", requirements.HTTP: "stdio"}
	return slices.DeleteFunc(slices.Clone(s.suites), func(name string) bool {
		_, there := r.extensionOf()[name]
		return there || name == other[col.Transport]
	})
}

func obstacle(of []reports.Finding) string {
	for _, f := range of {
		if f.Status == reports.Fail || f.Status == reports.Error {
			return f.Case + " ended in " + string(f.Status)
		}
	}
	return ""
}

// undeclared says what a server would have to declare for the grade Full.
func (r *Run) undeclared(col Column) string {
	survey := r.columns[slices.Index(r.Columns(), col)].survey
	for _, capability := range []string{"tools", "resources", "prompts"} {
		if !declares(survey.Capabilities, capability) {
			return capability + " is not declared"
		}
	}
	return ""
}

// gaps are the cases of a MUST that applied and were not judged.
func gaps(of []reports.Finding) []string {
	var open []string
	for _, f := range of {
		if f.Status != reports.Skip || f.Level != requirements.Must || f.Reason == nil {
			continue
		}
		switch f.Reason.Kind {
		case reports.NoRole, reports.Undecided, reports.OptIn, reports.Blocked, reports.Interrupted:
			open = append(open, f.Case)
		default: // the case did not apply, or was left out on purpose
		}
	}
	return open
}

func (r *Run) extensionOf() map[string]string {
	of := map[string]string{}
	for _, s := range r.plan.Suites {
		of[s.Name] = s.Extension.Name
	}
	return of
}
