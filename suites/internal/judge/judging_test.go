package judge_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/judge"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A run that something holds for ever ends with a report of what is known, within ten
// seconds after its limit, and after the first signal.
func TestWatch(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name          string
		limit, signal time.Duration
		says          string
	}{
		{"the limit", 20 * time.Second, 0, "cut short after 20s"},
		{"a signal", 0, 15 * time.Second, "interrupted"},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble.Run(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if row.signal > 0 {
					time.AfterFunc(row.signal, cancel)
				}
				held := make(chan struct{})
				defer close(held)
				p := plan.Plan{
					Config: config.Default(), Seed: 1, Limit: row.limit,
					Local:    &plan.Local{Serve: new(fakeserver.Server).Serve},
					Selected: func(_ suite.Suite, c suite.Case) bool { return strings.HasPrefix(c.ID, "ping/") },
				}
				began := time.Now()
				report, err := judge.Judge(ctx, p, func(_ context.Context, r *engine.Run) error {
					r.Report() // of all cases
					<-held
					return nil
				})
				took := time.Since(began) - row.limit - row.signal
				if err != nil || took > 10*time.Second {
					t.Errorf("the run ended %s after it was cut short: %v", took, err)
				}
				if !strings.Contains(report.Verdict.Text, row.says) || !strings.Contains(report.Verdict.Text, "did not end") {
					t.Errorf("the verdict says %q", report.Verdict.Text)
				}
				judged := 0
				for _, f := range report.Findings {
					if f.Status != reports.Skip {
						judged++
					}
				}
				if judged == 0 {
					t.Errorf("the report has none of the findings that were there: %d", len(report.Findings))
				}
			})
		})
	}
}

// A run that is held before its first case is reported by name, too: by that the next run
// knows the files that this one wrote.
func TestWatchBeforeTheFirstCase(t *testing.T) {
	t.Parallel()
	bubble.Run(t, func(t *testing.T) {
		held := make(chan struct{})
		defer close(held)
		report, err := judge.Judge(t.Context(), plan.Plan{
			Config: config.Default(), Limit: 20 * time.Second, Version: "v1", Local: &plan.Local{Serve: new(fakeserver.Server).Serve},
			Found: func(requirements.Column, *probe.Survey, roles.Set) { <-held },
		}, nil)
		if want := (reports.Kit{Name: "mcp-conform", Version: "v1"}); err != nil || report.Kit != want {
			t.Errorf("got %v: %q %v", report.Kit, report.Verdict.Text, err)
		}
	})
}
