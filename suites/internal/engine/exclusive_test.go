package engine_test

import (
	"context"
	"io"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A server that bears no second one beside it, as for a lock on its data, is
// judged one process at a time; what takes two is undecided.
func TestOneProcessAtATime(t *testing.T) {
	t.Parallel()
	ping := func(c *probe.Client) error {
		reply := c.Call("ping", nil)
		return reply.WantResult()
	}
	for _, jobs := range []int{1, 8} {
		server := &fakeserver.Server{}
		p := plan(t, server,
			suite.Case{ID: "try/owner", Raw: true, Proves: []suite.Need{suite.Opening()}, Lane: suite.Fresh, Run: func(c *probe.Client) error {
				reply := c.Initialize()
				return reply.WantResult()
			}},
			suite.Case{ID: "try/fresh", Lane: suite.Fresh, Run: ping},
			suite.Case{ID: "try/shared", Lane: suite.Shared, Run: ping},
			suite.Case{ID: "try/shared-too", Lane: suite.Shared, Run: ping},
			suite.Case{ID: "try/waits", Lane: suite.Waits, Run: ping},
			suite.Case{ID: "try/alone", Lane: suite.Alone, Run: ping},
			suite.Case{ID: "try/two", Lane: suite.Fresh, Run: func(c *probe.Client) error {
				other := c.Another()
				reply := other.Initialize()
				return reply.WantResult()
			}},
		)
		var lock sync.Mutex
		p.Ways[0].Launcher = target.Memory{Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			if !lock.TryLock() {
				_, _ = io.WriteString(errw, "another instance is running")
				return 1
			}
			defer lock.Unlock()
			return server.Serve(ctx, term, in, out, errw)
		}}
		p.Jobs = jobs
		_, found := gather(t, p)
		if diff := cmp.Diff(map[string]string{
			"try/owner": "pass", "try/fresh": "pass", "try/shared": "pass", "try/shared-too": "pass",
			"try/waits": "pass", "try/alone": "pass", "try/two": "undecided",
		}, kinds(found)); diff != "" {
			t.Errorf("with %d jobs: %s", jobs, diff)
		}
	}
}

// A case that ends its goroutine, as functions of testing do, is an error and
// not the end of the run.
func TestCaseEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	_, found := gather(t, plan(t, &fakeserver.Server{},
		suite.Case{ID: "try/leaves", Lane: suite.Fresh, Run: func(*probe.Client) error { runtime.Goexit(); return nil }},
		suite.Case{ID: "try/stays", Lane: suite.Fresh, Run: passes},
	))
	if diff := cmp.Diff(map[string]string{"try/leaves": "error", "try/stays": "pass"}, kinds(found)); diff != "" {
		t.Error(diff)
	}
}
