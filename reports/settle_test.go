package reports_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A settling is a run as the engine returns it, and its verdict.
type settling struct {
	name   string
	policy reports.Policy
	engine reports.Verdict
	of     []reports.Finding
	status reports.VerdictStatus
	code   int
}

func settlings(now time.Time) []settling {
	finding := func(s reports.Status, reason reports.ReasonKind) reports.Finding {
		f := reports.Finding{Case: "suite/case", Revision: "2025-11-25", Transport: "stdio", Status: s, Level: requirements.Must}
		if reason != "" {
			f.Reason = &reports.Reason{Kind: reason}
		}
		return f
	}
	entry := func(name string, until time.Time) reports.Baseline {
		return reports.Baseline{
			Entries: []reports.KnownFailure{{Case: name, Reason: "why", Until: until, At: "file.yaml:1"}},
			Cases:   []string{"suite/case"}, Now: now,
		}
	}
	return []settling{
		{"pass", reports.Policy{}, reports.Verdict{Status: reports.Passed}, []reports.Finding{finding(reports.Pass, "")}, reports.Passed, 0},
		{"fail", reports.Policy{}, reports.Verdict{Status: reports.Failed, ExitCode: 1}, []reports.Finding{finding(reports.Fail, "")}, reports.Failed, 1},
		{"warn", reports.Policy{}, reports.Verdict{Status: reports.Passed}, []reports.Finding{finding(reports.Warn, "")}, reports.Passed, 0},
		{"warn, strict", reports.Policy{Strict: true}, reports.Verdict{Status: reports.Passed}, []reports.Finding{finding(reports.Warn, "")}, reports.Failed, 1},
		{"error", reports.Policy{}, reports.Verdict{Status: reports.Partial, ExitCode: 3}, []reports.Finding{finding(reports.Error, "")}, reports.Partial, 3},
		{"error and fail", reports.Policy{}, reports.Verdict{Status: reports.Failed, ExitCode: 1},
			[]reports.Finding{finding(reports.Error, ""), finding(reports.Fail, "")}, reports.Failed, 1},
		{"lost specs", reports.Policy{}, reports.Verdict{Status: reports.Passed, ExitCode: 3}, []reports.Finding{finding(reports.Pass, "")}, reports.Passed, 3},
		{"unreachable", reports.Policy{}, reports.Verdict{Status: reports.Unjudged, ExitCode: 3}, nil, reports.Unjudged, 3},
		{"nothing selected", reports.Policy{}, reports.Verdict{Status: reports.Passed}, nil, reports.Unjudged, 3},
		{"limit", reports.Policy{Limit: time.Second}, reports.Verdict{Status: reports.Partial},
			[]reports.Finding{finding(reports.Skip, reports.Interrupted)}, reports.Partial, 3},
		{"limit and fail", reports.Policy{}, reports.Verdict{Status: reports.Failed, ExitCode: 1},
			[]reports.Finding{finding(reports.Fail, ""), finding(reports.Skip, reports.Interrupted)}, reports.Failed, 1},
		{"interrupted", reports.Policy{Interrupted: true}, reports.Verdict{Status: reports.Failed, ExitCode: 1},
			[]reports.Finding{finding(reports.Fail, "")}, reports.Stopped, 130},
		{"expected", reports.Policy{Baseline: entry("suite/case", time.Time{}), StrictBaseline: true},
			reports.Verdict{Status: reports.Failed, ExitCode: 1}, []reports.Finding{finding(reports.Fail, "")}, reports.Partial, 0},
		{"expected warning, strict", reports.Policy{Baseline: entry("suite/case", time.Time{}), Strict: true},
			reports.Verdict{Status: reports.Passed}, []reports.Finding{finding(reports.Warn, "")}, reports.Passed, 0},
		{"expected until yesterday", reports.Policy{Baseline: entry("suite/case", now.AddDate(0, 0, -1))},
			reports.Verdict{Status: reports.Failed, ExitCode: 1}, []reports.Finding{finding(reports.Fail, "")}, reports.Failed, 1},
		{"expected and skipped", reports.Policy{Baseline: entry("suite/case", time.Time{}), StrictBaseline: true},
			reports.Verdict{Status: reports.Partial}, []reports.Finding{finding(reports.Skip, reports.NoRole)}, reports.Partial, 0},
		{"partial", reports.Policy{}, reports.Verdict{Status: reports.Partial}, []reports.Finding{finding(reports.Skip, reports.NoRole)}, reports.Partial, 0},
		{"partial, and that fails", reports.Policy{FailOnPartial: true}, reports.Verdict{Status: reports.Partial},
			[]reports.Finding{finding(reports.Skip, reports.NoRole)}, reports.Partial, 1},
		{"nothing that applies is left, and partial fails", reports.Policy{FailOnPartial: true}, reports.Verdict{Status: reports.Passed},
			[]reports.Finding{finding(reports.Skip, reports.NotDeclared)}, reports.Passed, 0},
		{"expected, and partial fails", reports.Policy{Baseline: entry("suite/case", time.Time{}), FailOnPartial: true},
			reports.Verdict{Status: reports.Failed, ExitCode: 1}, []reports.Finding{finding(reports.Fail, "")}, reports.Partial, 0},
		{"error, and partial fails", reports.Policy{FailOnPartial: true}, reports.Verdict{Status: reports.Partial, ExitCode: 3},
			[]reports.Finding{finding(reports.Error, ""), finding(reports.Skip, reports.NoRole)}, reports.Partial, 3},
		{"limit, and partial fails", reports.Policy{FailOnPartial: true, Limit: time.Second}, reports.Verdict{Status: reports.Partial},
			[]reports.Finding{finding(reports.Skip, reports.Interrupted)}, reports.Partial, 3},
		{"stale", reports.Policy{Baseline: entry("suite/case", time.Time{})}, reports.Verdict{Status: reports.Passed},
			[]reports.Finding{finding(reports.Pass, "")}, reports.Passed, 0},
		{"stale, strict", reports.Policy{Baseline: entry("suite/case", time.Time{}), StrictBaseline: true}, reports.Verdict{Status: reports.Passed},
			[]reports.Finding{finding(reports.Pass, "")}, reports.Failed, 1},
		{"unknown, strict", reports.Policy{Baseline: entry("suite/other", time.Time{}), StrictBaseline: true}, reports.Verdict{Status: reports.Passed},
			[]reports.Finding{finding(reports.Pass, "")}, reports.Failed, 1},
	}
}

func TestSettle(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range settlings(now) {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			given := reports.Report{Verdict: row.engine, Findings: row.of}
			given.Verdict.Columns = []reports.Column{{Revision: "2025-11-25", Transport: "stdio", Counts: reports.Tally(row.of)}}
			row.policy.Whole = true
			r := reports.Settle(given, row.policy)
			if r.Verdict.Status != row.status || r.Verdict.ExitCode != row.code {
				t.Errorf("got %s and %d, want %s and %d: %s", r.Verdict.Status, r.Verdict.ExitCode, row.status, row.code, r.Verdict.Text)
			}
			if got, want := r.Verdict.Columns[0].Counts, reports.Tally(r.Findings); got != want {
				t.Errorf("the column counts %v, its findings are %v", got, want)
			}
			if diff := cmp.Diff(row.engine.Status, given.Verdict.Status); diff != "" || given.Verdict.Columns[0].Counts != reports.Tally(row.of) {
				t.Errorf("the report that was given has changed: %+v", given.Verdict)
			}
			if r.Verdict.ExitCode == reports.ExitInterrupted || row.policy.Strict || row.policy.StrictBaseline || row.policy.FailOnPartial {
				return // a policy is not part of a settled report
			}
			if again := reports.Settle(r, reports.Policy{Whole: true}); again.Verdict.ExitCode != row.code {
				t.Errorf("exit code %d when settled again, was %d", again.Verdict.ExitCode, row.code)
			}
		})
	}
}

// A known failure runs out after its last day, by the calendar of the reader.
func TestKnownFailureRunsOut(t *testing.T) {
	t.Parallel()
	k := reports.KnownFailure{Until: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)}
	west := time.FixedZone("west", -8*3600)
	for day, want := range map[time.Time]bool{
		time.Date(2027, 3, 1, 23, 59, 0, 0, west):     false,
		time.Date(2027, 3, 2, 0, 0, 0, 0, west):       true,
		time.Date(2027, 2, 28, 12, 0, 0, 0, time.UTC): false,
	} {
		if got := k.Over(day); got != want {
			t.Errorf("on %s: over is %v", day, got)
		}
	}
	if (reports.KnownFailure{}).Over(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Error("an entry without an end runs out")
	}
}
