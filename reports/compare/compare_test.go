package compare_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/compare"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// moved is a report with another state of every case: the second half of a difference
// between two runs.
func moved(r reports.Report) reports.Report {
	next := map[reports.Status]reports.Status{
		reports.Pass: reports.Fail, reports.Fail: reports.Pass, reports.Warn: reports.Skip, reports.Error: reports.Warn, reports.Skip: reports.Pass,
	}
	findings := make([]reports.Finding, len(r.Findings))
	for i, f := range r.Findings {
		f.Status = next[f.Status]
		f.Reason = nil
		switch f.Status {
		case reports.Skip:
			f.Reason = &reports.Reason{Kind: reports.NoRole, Text: "no slow tool is known", Role: "roles.slow-tool"}
		case reports.Fail, reports.Warn:
			f.Problem = "$.result is absent, want an object"
		case reports.Pass, reports.Error:
		}
		findings[i] = f
	}
	r.Findings = findings
	r.Verdict.Columns = append([]reports.Column(nil), r.Verdict.Columns...)
	for i := range r.Verdict.Columns {
		r.Verdict.Columns[i].Grade, r.Verdict.Columns[i].WhyNotNext = "Core (partial)", "something failed"
	}
	r.Verdict.Status = reports.Failed
	r.Target.Version = "3.0.0"
	return r
}

func pairs() map[string][2]reports.Report {
	all := map[string][2]reports.Report{
		"same":     {samples.EveryStatus(), samples.EveryStatus()},
		"broken":   {samples.Pass(), moved(samples.Pass())},
		"fixed":    {moved(samples.Pass()), samples.Pass()},
		"every":    {samples.EveryStatus(), moved(samples.EveryStatus())},
		"back":     {moved(samples.EveryStatus()), samples.EveryStatus()},
		"empty":    {samples.Empty(), samples.Empty()},
		"gone":     {samples.Pass(), samples.Unjudged()},
		"unicode":  {samples.Empty(), samples.NonASCII()},
		"hostile":  {samples.Empty(), samples.Hostile()},
		"attacked": {samples.Hostile(), moved(samples.Hostile())},
	}
	return all
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := compare.Reports(pair[0], pair[1])
			for ending, write := range map[string]func(io.Writer) error{
				"txt":  func(w io.Writer) error { return compare.Text(w, r, 0) },
				"md":   func(w io.Writer) error { return compare.Markdown(w, r) },
				"json": func(w io.Writer) error { return compare.JSON(w, r) },
			} {
				var out bytes.Buffer
				if err := write(&out); err != nil {
					t.Fatal(err)
				}
				golden.Compare(t, name+"."+ending, out.Bytes(), *update)
				if ending == "json" && !json.Valid(out.Bytes()) {
					t.Error("not JSON")
				}
				if i := strings.IndexFunc(out.String(), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x202e || r == 0x7f }); ending != "json" && i >= 0 {
					t.Errorf("%s holds a control character at %d", ending, i)
				}
			}
		})
	}
}

func finding(s reports.Status, kind reports.ReasonKind, problem string) reports.Finding {
	f := reports.Finding{Case: "tools/case", Revision: "2025-11-25", Transport: "stdio", Status: s, Problem: problem}
	if s == reports.Skip {
		f.Reason = &reports.Reason{Kind: kind}
	}
	return f
}

// Each way in which a case can change has a kind, and the way back has one too.
func TestKinds(t *testing.T) {
	t.Parallel()
	pass, fail, warn, err := finding(reports.Pass, "", ""), finding(reports.Fail, "", "one"), finding(reports.Warn, "", "one"), finding(reports.Error, "", "one")
	role, known, gone := finding(reports.Skip, reports.NoRole, ""), finding(reports.Skip, reports.ExpectedFailure, "one"), finding(reports.Skip, reports.NotDeclared, "")
	other := finding(reports.Fail, "", "two")
	later := finding(reports.Fail, "", "no answer to id 7 within 300 ms")
	sooner := finding(reports.Fail, "", "no answer to id 9 within 5 s")
	for _, row := range []struct {
		was, now reports.Finding
		want     compare.Kind
	}{
		{pass, pass, ""}, {fail, fail, ""}, {later, sooner, ""}, {role, gone, ""}, {role, pass, ""}, {err, err, ""}, {known, known, ""},
		{pass, fail, compare.NewFailure}, {role, fail, compare.NewFailure}, {known, fail, compare.NewFailure}, {warn, fail, compare.NewFailure},
		{err, fail, compare.NewFailure},
		{pass, warn, compare.NewWarning}, {role, warn, compare.NewWarning}, {fail, warn, compare.Milder},
		{pass, err, compare.NewError}, {fail, err, compare.NewError}, {role, err, compare.NewError},
		{fail, pass, compare.Fixed}, {warn, pass, compare.Fixed}, {known, pass, compare.Fixed}, {err, pass, compare.Fixed},
		{fail, other, compare.Changed},
		{pass, role, compare.NewlySkipped}, {fail, role, compare.NewlySkipped}, {warn, role, compare.NewlySkipped},
		{pass, gone, compare.Inapplicable}, {fail, gone, compare.Inapplicable},
		{fail, known, compare.Accepted}, {pass, known, compare.Accepted},
	} {
		r := compare.Reports(reports.Report{Findings: []reports.Finding{row.was}}, reports.Report{Findings: []reports.Finding{row.now}})
		var got compare.Kind
		if len(r.Changes) > 0 {
			got = r.Changes[0].Kind
		}
		if got != row.want || len(r.Changes) > 1 || r.Worse() != row.want.Worse() {
			t.Errorf("%s %v to %s %v: got %q, worse %v, want %q", row.was.Status, row.was.Reason, row.now.Status, row.now.Reason, got, r.Worse(), row.want)
		}
	}
	alone := compare.Reports(reports.Report{}, reports.Report{Findings: []reports.Finding{fail}})
	if len(alone.Changes) != 1 || alone.Changes[0].Kind != compare.NewFailure || alone.Changes[0].Was != "" {
		t.Errorf("a new case that fails: %+v", alone.Changes)
	}
	elsewhere := pass
	elsewhere.Case = "tools/other"
	less := compare.Reports(reports.Report{Findings: []reports.Finding{pass, elsewhere}}, reports.Report{Findings: []reports.Finding{pass}})
	if len(less.Changes) != 1 || less.Changes[0].Kind != compare.Gone || less.Worse() {
		t.Errorf("a case that is gone: %+v", less.Changes)
	}
}

// A worse verdict, grade or column is shown even where no case got worse.
func TestWorseGrades(t *testing.T) {
	t.Parallel()
	with := func(s reports.VerdictStatus, grades ...string) reports.Report {
		r := reports.Report{Verdict: reports.Verdict{Status: s}}
		for i, g := range grades {
			r.Verdict.Columns = append(r.Verdict.Columns, reports.Column{Revision: "2025-11-25", Transport: []requirements.Transport{"stdio", "http"}[i], Grade: g})
		}
		return r
	}
	for _, row := range []struct {
		was, now reports.Report
		worse    bool
	}{
		{with(reports.Passed, "Full"), with(reports.Passed, "Full"), false},
		{with(reports.Passed, "Full"), with(reports.Passed, "Full (partial)"), true},
		{with(reports.Passed, "Core"), with(reports.Passed, "Extended (partial)"), false},
		{with(reports.Passed, "Core", "Core"), with(reports.Passed, "Core"), true},
		{with(reports.Passed, "Core"), with(reports.Passed, "Core", "Core"), false},
		{with(reports.Passed, "Core"), with(reports.Partial, "Core"), true},
		{with(reports.Failed, "Core"), with(reports.Unjudged, "Core"), true},
		{with(reports.Failed, "Core"), with(reports.Passed, "Core"), false},
	} {
		if got := compare.Reports(row.was, row.now).Worse(); got != row.worse {
			t.Errorf("%+v to %+v: worse %v", row.was.Verdict, row.now.Verdict, got)
		}
		var out bytes.Buffer
		if err := compare.Text(&out, compare.Reports(row.was, row.now), 100); err != nil {
			t.Fatal(err)
		}
		alone := row.worse && row.was.Verdict.Status != row.now.Verdict.Status
		if strings.HasPrefix(out.String(), "WORSE  a worse verdict, every case has the same result") != alone {
			t.Errorf("%+v to %+v: the verdict is named or not: %s", row.was.Verdict, row.now.Verdict, out.String())
		}
	}
}

// A difference that is too long for a comment counts its omitted parts.
// No form holds a character that a terminal acts on or leaves invisible.
func TestNoControlCharacters(t *testing.T) {
	t.Parallel()
	r := compare.Reports(samples.Empty(), samples.Hostile())
	for name, write := range map[string]func(io.Writer) error{
		"text":     func(w io.Writer) error { return compare.Text(w, r, 0) },
		"Markdown": func(w io.Writer) error { return compare.Markdown(w, r) },
		"JSON":     func(w io.Writer) error { return compare.JSON(w, r) },
	} {
		var out strings.Builder
		if err := write(&out); err != nil {
			t.Error(err)
		}
		for _, c := range out.String() {
			if c != '\n' && !unicode.IsGraphic(c) {
				t.Errorf("%s: it holds %U", name, c)
				break
			}
		}
	}
}

func TestLongMarkdown(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := compare.Markdown(&out, compare.Reports(samples.Empty(), samples.Huge())); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 65_536 || !strings.Contains(out.String(), "changes were left out, since a comment holds no more") {
		t.Errorf("%d bytes, ending in %q", out.Len(), out.String()[max(out.Len()-200, 0):])
	}
	if diff := cmp.Diff(1, strings.Count(out.String(), "### MCP conformance: worse")); diff != "" {
		t.Error(diff)
	}
}

// Ten megabytes in every text of a server fit into a comment on a pull request.
func TestLargeStaysReadable(t *testing.T) {
	for name, of := range map[string]compare.Result{
		"new": compare.Reports(samples.Empty(), samples.Large()), "gone": compare.Reports(samples.Large(), samples.Empty()),
	} {
		var md, plain bytes.Buffer
		if err := compare.Markdown(&md, of); err != nil || md.Len() > 64<<10 {
			t.Errorf("%s: %d bytes of Markdown, %v", name, md.Len(), err)
		}
		if err := compare.Text(&plain, of, 80); err != nil || plain.Len() > 64<<10 {
			t.Errorf("%s: %d bytes of text, %v", name, plain.Len(), err)
		}
	}
}
