package suites_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
)

// The reference server keeps every rule, in every column.
func TestReferenceServer(t *testing.T) {
	for _, jobs := range []int{1, 16} {
		cfg := reference(t)
		cfg.Revisions.All = true
		report, err := suites.JudgeWithGinkgo(t.Context(), suites.Plan{
			Config: cfg, Local: local(t, nil), Seed: uint64(jobs), Jobs: jobs, Timeout: 20 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(report.Verdict.Columns); got != 10 {
			t.Errorf("with %d jobs %d columns were judged, want 5 revisions over 2 transports: %s", jobs, got, report.Verdict.Text)
		}
		for _, f := range report.Findings {
			switch f.Status {
			case reports.Fail, reports.Warn, reports.Error:
				t.Errorf("with %d jobs: %s %s at %s over %s: %s %v", jobs, f.Status, f.Case, f.Revision, f.Transport, f.Problem, f.Frames)
			case reports.Skip:
				if f.Reason.Kind == reports.Blocked || f.Reason.Kind == reports.Undecided {
					t.Errorf("with %d jobs: %s at %s over %s is skipped: %s", jobs, f.Case, f.Revision, f.Transport, f.Reason.Text)
				}
			}
		}
	}
}
