package reports_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
)

// part is a report of a run in one column; it has a part of the cases, unless it has as
// many findings as there are cases.
func part(name string, place reports.Place, cases int, findings ...reports.Finding) reports.Part {
	for i := range findings {
		findings[i].Revision, findings[i].Transport = place.Revision, place.Transport
	}
	scope := reports.Scope{Place: place, Cases: cases}
	if len(findings) < cases {
		scope.WhyUngraded = "only a selection of the cases was run"
	}
	r := reports.Report{
		Format: reports.Format, Kit: reports.Kit{Name: "mcp-conform", Version: "1"}, Findings: findings,
		Target: reports.Target{Name: "tidewater", Version: "2", Given: name, Transports: []string{string(place.Transport)}},
		Run:    reports.Run{DurationMs: 5, Started: time.Date(2027, 3, 1, 0, 0, len(name), 0, time.UTC)},
	}
	r.Verdict.Columns = reports.Sum(findings, []reports.Scope{scope}, graded())
	r = reports.Settle(r, reports.Policy{})
	r.Suites = reports.CountBySuite(findings, graded())
	return reports.Part{Name: name, Report: r}
}

func as(f reports.Finding, id string) reports.Finding { f.Case = id; return f }

func merged(t *testing.T, parts ...reports.Part) (reports.Report, []string) {
	t.Helper()
	r, conflicts, err := reports.Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	return r, conflicts
}

func TestMergeShards(t *testing.T) {
	t.Parallel()
	pass := found("tools", reports.Pass, "")
	a := part("a", here, 3, as(pass, "tools/one"), found("ping", reports.Pass, ""))
	b := part("b", here, 3, as(pass, "tools/two"))
	if a.Report.Verdict.Columns[0].Grade != "" {
		t.Fatal("a selection has a grade")
	}
	r, conflicts := merged(t, a, b)
	if len(conflicts) > 0 {
		t.Errorf("conflicts %q", conflicts)
	}
	col := r.Verdict.Columns[0]
	if r.Verdict.Status != reports.Passed || col.Grade != "Full" || col.Counts != (reports.Counts{Pass: 3}) || r.Verdict.ExitCode != 0 {
		t.Errorf("got %+v", r.Verdict)
	}
	var order []string
	for _, f := range r.Findings {
		order = append(order, f.Case)
	}
	if diff := cmp.Diff([]string{"tools/one", "tools/two", "ping/case"}, order); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if r.Run.DurationMs != 10 || r.Target.Given != "a and b" || r.Suites[0].Counts.Pass != 2 {
		t.Errorf("got %+v, %+v, %+v", r.Run, r.Target, r.Suites)
	}
	// As long as one case is missing there is no grade.
	if r, _ := merged(t, b, part("c", here, 3, as(pass, "tools/one"))); r.Verdict.Columns[0].Grade != "" {
		t.Errorf("two of three cases give the grade %s", r.Verdict.Columns[0].Grade)
	}
	// A known failure in a part keeps the sum from its grade.
	known := found("tools", reports.Skip, reports.ExpectedFailure)
	c := part("c", here, 2, known)
	if r, _ := merged(t, c, part("d", here, 2, found("ping", reports.Pass, ""))); r.Verdict.Columns[0].Grade != "" {
		t.Errorf("a known failure gives the grade %s", r.Verdict.Columns[0].Grade)
	}
}

// Some of the parts of a run are named, all that are joined.
func TestMergeSomeShards(t *testing.T) {
	t.Parallel()
	pass := found("tools", reports.Pass, "")
	shard := func(name, id string) reports.Part {
		p := part(name, here, 3, as(pass, id))
		p.Report.Run.Shard = name
		p.Report.Verdict.Columns[0].Basis.WhyUngraded = "only part " + name + " of the cases was run; mcp-conform merge joins the parts"
		return p
	}
	r, _ := merged(t, shard("1/3", "tools/one"), shard("2/3", "tools/two"))
	want := "only parts 1/3 and 2/3 of the cases were run; mcp-conform merge joins all parts"
	if got := r.Verdict.Columns[0].WhyNotNext; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r, _ = merged(t, shard("1/3", "tools/one"), shard("2/3", "tools/two"), shard("3/3", "tools/three"))
	if got := r.Verdict.Columns[0].WhyNotNext; strings.Contains(got, "part") {
		t.Errorf("all parts: got %q", got)
	}
}

// Over every pair of findings on a case: the sum is never better than the worse of the
// two.
func TestMergeIsNeverBetter(t *testing.T) {
	t.Parallel()
	var variants []reports.Finding
	for _, s := range reports.Statuses() {
		if s != reports.Skip {
			variants = append(variants, found("tools", s, ""))
		}
	}
	for _, k := range reports.ReasonKinds() {
		variants = append(variants, found("tools", reports.Skip, k))
	}
	worse := []reports.VerdictStatus{reports.Passed, reports.Partial, reports.Unjudged, reports.Failed}
	for _, x := range variants {
		for _, y := range variants {
			for _, place := range []reports.Place{here, elsewhere} {
				a, b := part("a", here, 1, x), part("b", place, 1, y)
				r, conflicts := merged(t, a, b)
				for _, p := range []reports.Part{a, b} {
					v := p.Report.Verdict
					if slices.Index(worse, r.Verdict.Status) < slices.Index(worse, v.Status) || v.ExitCode != 0 && r.Verdict.ExitCode == 0 {
						t.Errorf("%v and %v at %s: %s %d, %s alone is %s %d", x, y, place, r.Verdict.Status, r.Verdict.ExitCode, p.Name, v.Status, v.ExitCode)
					}
					for _, c := range r.Verdict.Columns {
						if c.Place() == v.Columns[0].Place() && reports.GradeRank(c.Grade) > reports.GradeRank(v.Columns[0].Grade) {
							t.Errorf("%v and %v at %s: grade %q, %s alone has %q", x, y, place, c.Grade, p.Name, v.Columns[0].Grade)
						}
					}
				}
				if place == elsewhere && len(conflicts) > 0 {
					t.Errorf("conflicts between columns: %q", conflicts)
				}
			}
		}
	}
}

func TestMergeConflicts(t *testing.T) {
	t.Parallel()
	a, b := part("a.json", here, 1, found("tools", reports.Pass, "")), part("b.json", here, 1, found("tools", reports.Fail, ""))
	b.Report.Kit.Version = "2"
	b.Report.Verdict.Text = "the rest was not judged"
	r, conflicts := merged(t, a, b)
	want := []string{
		"a.json was judged by mcp-conform 1, b.json by mcp-conform 2",
		"tools/case in 2025-11-25 over stdio: a.json says pass, b.json says fail; fail stands",
	}
	if diff := cmp.Diff(want, conflicts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !strings.HasPrefix(r.Verdict.Text, "b.json: the rest was not judged\nconflict: a.json was") {
		t.Errorf("text %q", r.Verdict.Text)
	}
	if len(r.Findings) != 1 || r.Findings[0].Status != reports.Fail || r.Verdict.ExitCode != reports.ExitFailed {
		t.Errorf("got %+v", r)
	}
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	if _, _, err := reports.Merge(nil); err == nil {
		t.Error("nothing was merged")
	}
	a, b := part("a", here, 1), part("b", here, 1)
	b.Report.Target.Version = "3"
	_, _, err := reports.Merge([]reports.Part{a, b})
	if err == nil || err.Error() != `these are reports of different servers: a of "tidewater 2", b of "tidewater 3"` {
		t.Errorf("got %v", err)
	}
	b.Report.Target = reports.Target{Given: "b"} // never reached
	b.Report.Verdict = reports.Verdict{Status: reports.Unjudged, ExitCode: reports.ExitUnjudged}
	r, _, err := reports.Merge([]reports.Part{b, a})
	if err != nil || r.Target.Name != "tidewater" || r.Verdict.ExitCode != reports.ExitUnjudged || r.Verdict.Status != reports.Unjudged {
		t.Errorf("got %+v, %v", r.Verdict, err)
	}
}

func TestExtensionVerdicts(t *testing.T) {
	t.Parallel()
	of := func(s reports.Status, kind reports.ReasonKind) []reports.Finding {
		return []reports.Finding{found("tools", reports.Fail, ""), found("ext-push", reports.Pass, ""), found("ext-push", s, kind)}
	}
	for _, row := range []struct {
		findings []reports.Finding
		word     string
		why      string
	}{
		{of(reports.Pass, ""), "passes", ""},
		{of(reports.Warn, ""), "passes", ""},
		{of(reports.Fail, ""), "fails", "ext-push/case failed"},
		{of(reports.Error, ""), "passes (partial)", "ext-push/case could not be judged"},
		{of(reports.Skip, reports.NoRole), "passes (partial)", "1 MUST case was not judged, the first is ext-push/case"},
		{of(reports.Skip, reports.ExpectedFailure), "passes (partial)", "ext-push/case is a known failure"},
		{of(reports.Skip, reports.OptIn), "passes", ""},
		{[]reports.Finding{found("ext-push", reports.Skip, reports.NoRole)}, "not judged", "no role"},
	} {
		r := reports.Report{Findings: row.findings, Suites: graded(), Target: reports.Target{Extensions: []reports.Extension{{Name: "push", Claim: "weak"}}}}
		got := reports.SumExtensions(r)
		if len(got) != 1 || got[0].Word() != row.word || got[0].Why != row.why || got[0].Claim != "weak" {
			t.Errorf("%s: got %+v", row.word, got)
		}
	}
}
