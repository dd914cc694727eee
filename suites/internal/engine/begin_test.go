package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A target that cannot be judged leaves no process behind, whatever discovery
// started before that was known.
func TestBeginLeavesNoProcess(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*engine.Plan){
		"nothing listens at the other transport": func(p *engine.Plan) {
			p.Ways = append(p.Ways, connect.Way{Transport: requirements.HTTP, URL: "http://127.0.0.1:1", Pool: wire.NewPool(wire.Limits{})})
		},
		"the wanted revision is not spoken": func(p *engine.Plan) {
			p.Config.Revisions = config.Revisions{Dates: []string{"2026-07-28"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var started []*target.Process
			server := &fakeserver.Server{}
			p := plan(t, server, suite.Case{ID: "try/case", Run: passes})
			p.Ways[0].Launcher = launcher(func(ctx context.Context) (*target.Process, error) {
				process, err := target.Memory{Serve: server.Serve}.Launch(ctx)
				mu.Lock()
				defer mu.Unlock()
				started = append(started, process)
				return process, err
			})
			change(&p)
			_, err := engine.Begin(t.Context(), p)
			if u := (*engine.Unreachable)(nil); !errors.As(err, &u) {
				t.Fatalf("got %v, want an Unreachable", err)
			}
			if len(started) == 0 {
				t.Fatal("nothing was started, so this shows nothing")
			}
			for i, process := range started {
				select {
				case <-process.Exited():
				default:
					t.Errorf("process %d of %d is still there", i+1, len(started))
				}
			}
		})
	}
}

// Trace is shown each frame once, be it of a connection that discovery opened
// and cases use.
func TestTraceShowsEachFrameOnce(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{}
	p := plan(t, server, suite.Case{ID: "try/case", Run: func(c *probe.Client) error {
		c.Call("ping", nil)
		return nil
	}})
	var mu sync.Mutex
	shown := map[string]int{}
	p.Trace = func(_ int, s probe.Seen) {
		mu.Lock()
		defer mu.Unlock()
		if s.Dir == frame.Sent {
			shown[s.Message().Method]++
		}
	}
	gather(t, p)
	heard := map[string]int{}
	for _, r := range server.Seen() {
		heard[r.Method]++
	}
	mu.Lock()
	defer mu.Unlock()
	for _, method := range []string{"initialize", "ping"} {
		if shown[method] == 0 || shown[method] != heard[method] {
			t.Errorf("%s was shown %d times, and sent %d times", method, shown[method], heard[method])
		}
	}
}
