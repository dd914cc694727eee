package engine_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A process that ends by itself ends calls that take longer beside others. Alone they pass: then no
// case is blocked by one that passes, and the verdict tells what happened.
func TestDeathsThatPassAlone(t *testing.T) {
	t.Parallel()
	bubble.Run(t, func(t *testing.T) { // a call sleeps on when its process has ended
		const life = 250 * time.Millisecond
		var alive atomic.Int64
		server := &fakeserver.Server{}
		server.Answer = map[string]func(fakeserver.Request) any{"ping": func(fakeserver.Request) any {
			time.Sleep(time.Millisecond) // the processes that end at this moment have ended then
			if alive.Load() > 1 {
				time.Sleep(2 * life)
			}
			return map[string]any{}
		}}
		cases := []suite.Case{{ID: "try/owner", Raw: true, Proves: []suite.Need{suite.Opening()}, Run: passes}}
		for i := range 4 {
			cases = append(cases, suite.Case{ID: fmt.Sprintf("try/ping-%d", i), Lane: suite.Fresh, Run: func(c *probe.Client) error {
				return c.Call("ping", nil).WantResult()
			}})
		}
		p := plan(t, server, cases...)
		p.Config.Revisions = config.Revisions{Dates: []string{"2025-11-25"}}
		p.Ways[0].Launcher = target.Memory{Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			alive.Add(1)
			defer alive.Add(-1)
			ended := make(chan int, 1)
			go func() { ended <- server.Serve(ctx, term, in, out, errw) }()
			select {
			case code := <-ended:
				return code
			case <-time.After(life):
				_, _ = fmt.Fprintln(errw, "Error: connection lost")
				return 1
			}
		}}
		r, found := gather(t, p)
		for id, f := range found {
			if f.Status != reports.Pass {
				t.Errorf("%s: %s %s %+v", id, f.Status, f.Problem, f.Reason)
			}
		}
		for _, want := range []string{"ended by itself in ", "try/ping-", "exit code 1", "Error: connection lost"} {
			if !strings.Contains(r.Verdict.Text, want) {
				t.Errorf("the verdict says %q, want %q in it", r.Verdict.Text, want)
			}
		}
		if r.Verdict.ExitCode != 0 {
			t.Errorf("exit code %d, want 0", r.Verdict.ExitCode)
		}
	})
}
