package engine_test

import (
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A case whose session is ended by another case is judged once more, when nothing runs
// beside it.
func TestContends(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		contends bool
		want     reports.Status
	}{{true, reports.Pass}, {false, reports.Skip}} {
		begun, ended := make(chan struct{}), make(chan struct{})
		var once sync.Once
		first := func(c *probe.Client) error {
			crowded := false
			once.Do(func() { crowded = true; close(begun); <-ended })
			c.UndecideIf(crowded, "the session of the caller is over")
			return nil
		}
		second := func(*probe.Client) error { <-begun; close(ended); return nil }
		_, found := gather(t, plan(t, &fakeserver.Server{},
			suite.Case{ID: "try/first", Lane: suite.Fresh, Contends: row.contends, Run: first},
			suite.Case{ID: "try/second", Lane: suite.Fresh, Run: second},
		))
		if f := found["try/first"]; f.Status != row.want {
			t.Errorf("contends %t: %s %+v, want %s", row.contends, f.Status, f.Reason, row.want)
		}
	}
}
