package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A raw case that says nothing starts no process, and one whose process cannot
// be started is not the server's fault.
func TestRawStartsWhenItSpeaks(t *testing.T) {
	t.Parallel()
	initialize := func(c *probe.Client) error {
		reply := c.Initialize()
		return reply.WantResult()
	}
	for name, tt := range map[string]struct {
		run    func(*probe.Client) error
		starts int64 // beside those of discovery
		fails  bool
		status reports.Status
	}{
		"it says nothing": {run: passes, status: reports.Pass},
		"it speaks":       {run: initialize, starts: 1, status: reports.Pass},
		"no start":        {run: initialize, fails: true, starts: 2, status: reports.Error},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var starts atomic.Int64
			server := &fakeserver.Server{}
			p := plan(t, server,
				suite.Case{ID: "try/owner", Raw: true, Proves: []suite.Need{suite.Opening()}, Run: passes},
				suite.Case{ID: "try/raw", Raw: true, Run: tt.run},
			)
			p.Config.Revisions = config.Revisions{Dates: []string{"2025-11-25"}}
			p.Part = true // nobody asks for other revisions beside the cases
			const discovery = 2
			p.Ways[0].Launcher = launcher(func(ctx context.Context) (*target.Process, error) {
				if starts.Add(1) > discovery && tt.fails {
					return nil, errors.New("no such command")
				}
				return target.Memory{Serve: server.Serve}.Launch(ctx)
			})
			_, found := gather(t, p)
			if f := found["try/raw"]; f.Status != tt.status {
				t.Errorf("%s %+v %s, want %s", f.Status, f.Reason, f.Problem, tt.status)
			}
			if got := starts.Load() - discovery; got != tt.starts {
				t.Errorf("%d starts, want %d", got, tt.starts)
			}
		})
	}
}

type launcher func(context.Context) (*target.Process, error)

func (l launcher) Launch(ctx context.Context) (*target.Process, error) { return l(ctx) }
