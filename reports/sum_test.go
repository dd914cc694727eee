package reports_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

var (
	here      = reports.Place{Revision: requirements.R20251125, Transport: requirements.Stdio}
	elsewhere = reports.Place{Revision: requirements.R20250618, Transport: requirements.HTTP}
)

func graded() []reports.Suite {
	return []reports.Suite{
		{Name: "tools", Grade: requirements.GradeCore},
		{Name: "ping", Grade: requirements.GradeExtended},
		{Name: "foreign"},
		{Name: "ext-push", Extension: "push"},
	}
}

func found(suite string, s reports.Status, kind reports.ReasonKind) reports.Finding {
	f := reports.Finding{
		Case: suite + "/case", Suite: suite, Status: s, Level: requirements.Must,
		Revision: here.Revision, Transport: here.Transport,
	}
	if kind != "" {
		f.Reason = &reports.Reason{Kind: kind}
	}
	return f
}

// summed is the report with these findings, under the zero policy.
func summed(findings []reports.Finding, scopes ...reports.Scope) reports.Report {
	r := reports.Report{Findings: findings, Suites: graded()}
	r.Verdict.Columns = reports.Sum(findings, scopes, r.Suites)
	return reports.Settle(r, reports.Policy{})
}

func TestGrades(t *testing.T) {
	t.Parallel()
	http := requirements.Area{Name: "http", Grade: requirements.GradeCore}
	prompts := requirements.Area{Name: "prompts", Grade: requirements.GradeExtended}
	push := requirements.Area{Name: "ext-push"}
	pass := found("tools", reports.Pass, "")
	for _, row := range []struct {
		name            string
		scope           reports.Scope
		finding         reports.Finding
		grade, whyNot   string
		status          reports.VerdictStatus
		exit, strictToo int
	}{
		{"nothing is wrong", reports.Scope{}, pass, "Full", "", reports.Passed, 0, 0},
		{"core failed", reports.Scope{}, found("tools", reports.Fail, ""), "", "tools/case failed", reports.Failed, 1, 1},
		{"a warning", reports.Scope{}, found("tools", reports.Warn, ""), "Full", "", reports.Passed, 0, 1},
		{"a page of Extended failed", reports.Scope{}, found("ping", reports.Fail, ""), "", "ping/case failed", reports.Failed, 1, 1},
		{"a page without a grade failed", reports.Scope{}, found("foreign", reports.Fail, ""),
			"", "foreign/case failed", reports.Failed, 1, 1},
		{"an extension failed", reports.Scope{}, found("ext-push", reports.Fail, ""), "", "ext-push/case failed", reports.Failed, 1, 1},
		{"an error", reports.Scope{}, found("ping", reports.Error, ""), "Core", "ping/case could not be judged", reports.Partial, 3, 3},
		{"an area of Core is not judged", reports.Scope{Unjudged: []requirements.Area{http, prompts, push}}, pass,
			"Core (partial)", "this version of mcp-conform does not judge the rules on http", reports.Passed, 0, 0},
		{"an area of Extended is not judged", reports.Scope{Unjudged: []requirements.Area{prompts, push}}, pass,
			"Extended (partial)", "this version of mcp-conform does not judge the rules on prompts", reports.Passed, 0, 0},
		{"an extension is not judged", reports.Scope{Unjudged: []requirements.Area{push}}, pass, "Full", "", reports.Passed, 0, 0},
		{"no grade", reports.Scope{WhyUngraded: "a selection"}, pass, "", "a selection", reports.Passed, 0, 0},
		{"a MUST was not judged", reports.Scope{}, found("ping", reports.Skip, reports.NoRole),
			"Extended (partial)", "1 MUST case of its pages was not judged, the first is ping/case", reports.Partial, 0, 0},
		{"a case does not apply", reports.Scope{}, found("ping", reports.Skip, reports.NotDeclared), "Full", "", reports.Passed, 0, 0},
		{"cut short", reports.Scope{}, found("foreign", reports.Skip, reports.Interrupted),
			"Full (partial)", "1 MUST case of its pages was not judged, the first is foreign/case", reports.Partial, 3, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.scope.Place = here
			findings := []reports.Finding{row.finding}
			r := summed(findings, row.scope)
			got := r.Verdict
			want := reports.Verdict{Status: row.status, ExitCode: row.exit, Columns: []reports.Column{{
				Revision: here.Revision, Transport: here.Transport, Grade: row.grade, WhyNotNext: row.whyNot, Counts: reports.Tally(findings),
				Basis: &reports.Basis{Unjudged: row.scope.Unjudged, WhyUngraded: row.scope.WhyUngraded},
			}}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if strict := reports.Settle(r, reports.Policy{Strict: true}).Verdict.ExitCode; strict != row.strictToo {
				t.Errorf("strict exit %d, want %d", strict, row.strictToo)
			}
		})
	}
}

// Only the findings of a column count for it.
func TestSumByColumn(t *testing.T) {
	t.Parallel()
	v := summed([]reports.Finding{found("tools", reports.Fail, "")}, reports.Scope{Place: elsewhere}, reports.Scope{Place: here}).Verdict
	if v.Status != reports.Failed || v.Columns[0].Grade != "Full" || v.Columns[0].Counts.Total() != 0 || v.Columns[1].Counts.Fail != 1 {
		t.Errorf("got %+v", v)
	}
}

// A known failure still counts as broken.
func TestRecount(t *testing.T) {
	t.Parallel()
	failed := summed([]reports.Finding{found("tools", reports.Fail, ""), found("ping", reports.Pass, "")}, reports.Scope{Place: here})
	known := reports.Policy{Baseline: reports.Baseline{Entries: []reports.KnownFailure{{Case: "tools/case"}}}}
	r := reports.Settle(failed, known)
	c, want := r.Verdict.Columns[0], reports.Counts{Pass: 1, Skip: 1, Known: 1}
	if r.Verdict.Status != reports.Partial || c.Counts != want || c.Counts.Open() != 0 || c.Grade != "" {
		t.Errorf("got %+v", r.Verdict)
	}
	if r.Suites[0].Counts != (reports.Counts{Skip: 1, Known: 1}) || r.Suites[1].Counts != (reports.Counts{Pass: 1}) {
		t.Errorf("got %+v", r.Suites)
	}
	if known.Strict = true; reports.Settle(failed, known).Verdict.ExitCode != 0 {
		t.Errorf("exit %d", reports.Settle(failed, known).Verdict.ExitCode)
	}
	if failed.Findings[0].Status != reports.Fail || failed.Verdict.Columns[0].Counts.Fail != 1 || failed.Suites[0].Counts.Skip != 0 {
		t.Errorf("the report that was given has changed: %+v", failed)
	}
}

// A failed server has failed, also in a run that was cut short.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	for status, want := range map[reports.Status]int{reports.Fail: 1, reports.Pass: 3} {
		r := summed([]reports.Finding{found("tools", status, "")}, reports.Scope{Place: here})
		r = reports.Settle(r, reports.Policy{Incomplete: "why"})
		if r.Verdict.ExitCode != want || r.Verdict.Text != "why" || reports.Settle(r, reports.Policy{}).Verdict.ExitCode != want {
			t.Errorf("%s: got %+v", status, r.Verdict)
		}
	}
}

// A rule is listed once for each wording, with its revisions.
func TestRules(t *testing.T) {
	t.Parallel()
	rule := requirements.Requirement{ID: "acme-berths", Area: "acme", Clauses: []requirements.Clause{
		{Since: requirements.R20241105, Until: requirements.R20250618, Level: requirements.Should, Basis: requirements.Prose, Page: "berths", Text: "Old."},
		{Since: requirements.R20251125, Level: requirements.Must, Basis: requirements.Keyword, Page: "berths", Text: "New."},
	}}
	var findings []reports.Finding
	for _, rev := range []requirements.Revision{requirements.R20260728, requirements.R20250618, requirements.R20251125, requirements.R20251125} {
		findings = append(findings, reports.Finding{Revision: rev, Requirements: []requirements.ID{"acme-berths", "acme-unknown"}})
	}
	got := reports.Rules(findings, func(id requirements.ID) (requirements.Requirement, bool) {
		if id != rule.ID {
			return requirements.Requirement{}, false
		}
		return rule, true
	})
	want := []reports.Rule{
		{ID: "acme-berths", Area: "acme", Revisions: []requirements.Revision{requirements.R20251125, requirements.R20260728},
			Level: requirements.Must, Basis: requirements.Keyword, Text: "New.",
			Link: "https://modelcontextprotocol.io/specification/2026-07-28/berths"},
		{ID: "acme-berths", Area: "acme", Revisions: []requirements.Revision{requirements.R20250618},
			Level: requirements.Should, Basis: requirements.Prose, Text: "Old.",
			Link: "https://modelcontextprotocol.io/specification/2025-06-18/berths"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
