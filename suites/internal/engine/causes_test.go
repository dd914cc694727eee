package engine_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A complaint is left to the case that judges its cause only where that one complains, also among
// the cases that run alone.
func TestLeftToTheCause(t *testing.T) {
	t.Parallel()
	fails := func(*probe.Client) error { return &probe.Violation{Problem: "the cause"} }
	for name, lane := range map[string]suite.Lane{"alone": suite.Alone, "beside others": suite.Fresh} {
		for cause, run := range map[string]func(*probe.Client) error{"that complains": fails, "that passes": passes} {
			t.Run(name+", a cause "+cause, func(t *testing.T) {
				t.Parallel()
				_, found := gather(t, plan(t, &fakeserver.Server{},
					suite.Case{ID: "try/cause", Lane: lane, Run: run},
					suite.Case{ID: "try/effect", Lane: lane, Run: func(*probe.Client) error {
						return (&probe.Violation{Problem: "the effect"}).Unless(probe.Elsewhere{Case: "try/cause", Why: "it is broken"})
					}},
				))
				f := found["try/effect"]
				left := f.Reason != nil && f.Reason.Kind == reports.Blocked && f.Reason.BlockedBy == "try/cause"
				if want := found["try/cause"].Status != reports.Pass; left != want || !want && f.Status != reports.Fail {
					t.Errorf("%s %+v, left to its cause: %t, want %t", f.Status, f.Reason, left, want)
				}
			})
		}
	}
}
