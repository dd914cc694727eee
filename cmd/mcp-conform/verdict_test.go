package main

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A settling is a run as the engine leaves it, and the verdict it comes to.
type settling struct {
	name   string
	wish   wish
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
	entry := func(name string, until time.Time) baseline {
		return baseline{places("file.yaml", []config.Expected{{Case: name, Reason: "why", Until: until}}), []string{"suite/case"}}
	}
	return []settling{
		{"pass", wish{}, reports.Verdict{Status: reports.Passed}, []reports.Finding{finding(reports.Pass, "")}, reports.Passed, 0},
		{"fail", wish{}, reports.Verdict{Status: reports.Failed, ExitCode: 1}, []reports.Finding{finding(reports.Fail, "")}, reports.Failed, 1},
		{"warn", wish{}, reports.Verdict{Status: reports.Passed}, []reports.Finding{finding(reports.Warn, "")}, reports.Passed, 0},
		{"warn, strict", wish{strict: true}, reports.Verdict{Status: reports.Passed}, []reports.Finding{finding(reports.Warn, "")}, reports.Failed, 1},
		{"error", wish{}, reports.Verdict{Status: reports.Passed, ExitCode: 3}, []reports.Finding{finding(reports.Error, "")}, reports.Passed, 3},
		{"error and fail", wish{}, reports.Verdict{Status: reports.Failed, ExitCode: 1},
			[]reports.Finding{finding(reports.Error, ""), finding(reports.Fail, "")}, reports.Failed, 1},
		{"lost specs", wish{}, reports.Verdict{Status: reports.Passed, ExitCode: 3}, []reports.Finding{finding(reports.Pass, "")}, reports.Passed, 3},
		{"unreachable", wish{}, reports.Verdict{Status: reports.Unjudged, ExitCode: 3}, nil, reports.Unjudged, 3},
		{"nothing selected", wish{}, reports.Verdict{Status: reports.Passed}, nil, reports.Unjudged, 3},
		{"limit", wish{limit: time.Second}, reports.Verdict{Status: reports.Partial},
			[]reports.Finding{finding(reports.Skip, reports.Interrupted)}, reports.Partial, 3},
		{"limit and fail", wish{}, reports.Verdict{Status: reports.Failed, ExitCode: 1},
			[]reports.Finding{finding(reports.Fail, ""), finding(reports.Skip, reports.Interrupted)}, reports.Failed, 1},
		{"interrupted", wish{interrupted: true}, reports.Verdict{Status: reports.Failed, ExitCode: 1},
			[]reports.Finding{finding(reports.Fail, "")}, reports.Failed, 130},
		{"expected", wish{baseline: entry("suite/case", time.Time{}), strictBaseline: true},
			reports.Verdict{Status: reports.Failed, ExitCode: 1}, []reports.Finding{finding(reports.Fail, "")}, reports.Partial, 0},
		{"expected warning, strict", wish{baseline: entry("suite/case", time.Time{}), strict: true},
			reports.Verdict{Status: reports.Passed}, []reports.Finding{finding(reports.Warn, "")}, reports.Passed, 0},
		{"expected until yesterday", wish{baseline: entry("suite/case", now.AddDate(0, 0, -1))},
			reports.Verdict{Status: reports.Failed, ExitCode: 1}, []reports.Finding{finding(reports.Fail, "")}, reports.Failed, 1},
		{"expected and skipped", wish{baseline: entry("suite/case", time.Time{}), strictBaseline: true},
			reports.Verdict{Status: reports.Passed}, []reports.Finding{finding(reports.Skip, reports.NoRole)}, reports.Passed, 0},
		{"partial", wish{}, reports.Verdict{Status: reports.Partial}, []reports.Finding{finding(reports.Skip, reports.NoRole)}, reports.Partial, 0},
		{"partial, and that fails", wish{failOnPartial: true}, reports.Verdict{Status: reports.Partial},
			[]reports.Finding{finding(reports.Skip, reports.NoRole)}, reports.Partial, 1},
		{"nothing that applies is left, and partial fails", wish{failOnPartial: true}, reports.Verdict{Status: reports.Passed},
			[]reports.Finding{finding(reports.Skip, reports.NotDeclared)}, reports.Passed, 0},
		{"expected, and partial fails", wish{baseline: entry("suite/case", time.Time{}), failOnPartial: true},
			reports.Verdict{Status: reports.Failed, ExitCode: 1}, []reports.Finding{finding(reports.Fail, "")}, reports.Partial, 0},
		{"error, and partial fails", wish{failOnPartial: true}, reports.Verdict{Status: reports.Partial, ExitCode: 3},
			[]reports.Finding{finding(reports.Error, ""), finding(reports.Skip, reports.NoRole)}, reports.Partial, 3},
		{"limit, and partial fails", wish{failOnPartial: true, limit: time.Second}, reports.Verdict{Status: reports.Partial},
			[]reports.Finding{finding(reports.Skip, reports.Interrupted)}, reports.Partial, 3},
		{"stale", wish{baseline: entry("suite/case", time.Time{})}, reports.Verdict{Status: reports.Passed},
			[]reports.Finding{finding(reports.Pass, "")}, reports.Passed, 0},
		{"stale, strict", wish{baseline: entry("suite/case", time.Time{}), strictBaseline: true}, reports.Verdict{Status: reports.Passed},
			[]reports.Finding{finding(reports.Pass, "")}, reports.Failed, 1},
		{"unknown, strict", wish{baseline: entry("suite/other", time.Time{}), strictBaseline: true}, reports.Verdict{Status: reports.Passed},
			[]reports.Finding{finding(reports.Pass, "")}, reports.Failed, 1},
	}
}

func TestSettle(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range settlings(now) {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := reports.Report{Verdict: row.engine, Findings: row.of}
			r.Verdict.Columns = []reports.Column{{Revision: "2025-11-25", Transport: "stdio", Counts: reports.Tally(row.of)}}
			row.wish.settle(&r, now)
			if r.Verdict.Status != row.status || r.Verdict.ExitCode != row.code {
				t.Errorf("got %s and %d, want %s and %d: %s", r.Verdict.Status, r.Verdict.ExitCode, row.status, row.code, r.Verdict.Text)
			}
			if got, want := r.Verdict.Columns[0].Counts, reports.Tally(r.Findings); got != want {
				t.Errorf("the column counts %v, its findings are %v", got, want)
			}
		})
	}
}
