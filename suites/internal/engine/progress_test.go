package engine_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Whoever counts findings after Planned comes to the number that it named: what is
// passed over was told before, and watchers come behind.
func TestPlannedIsWhatRuns(t *testing.T) {
	t.Parallel()
	watch := probe.OnEach(func(probe.Message) probe.Opinion { return probe.Kept() })
	p := plan(t, &fakeserver.Server{},
		suite.Case{ID: "try/one", Run: passes}, suite.Case{ID: "try/two", Lane: suite.Alone, Run: passes},
		suite.Case{ID: "try/three", Lane: suite.Fresh, Run: func(c *probe.Client) error { c.Undecide("who knows"); return nil }},
		suite.Case{ID: "try/lacks", Needs: []suite.Need{suite.Capability("prompts")}, Run: passes},
		suite.Case{ID: "try/watch", Watch: watch},
	)
	var told []string
	p.Planned = func(cases int) {
		if len(told) != 1 || told[0] != "try/lacks" || cases != 3 {
			t.Errorf("%d cases are planned behind %v, want 3 behind try/lacks", cases, told)
		}
	}
	p.Progress = func(f reports.Finding) { told = append(told, f.Case) }
	gather(t, p)
	if len(told) != 5 || told[4] != "try/watch" {
		t.Errorf("told of %v, want all five, and the watcher last", told)
	}
}
