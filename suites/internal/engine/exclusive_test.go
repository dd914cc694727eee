package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
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
			suite.Case{ID: "try/two-opened", Lane: suite.Fresh, Run: func(c *probe.Client) error { return ping(c.Opened()) }},
			suite.Case{ID: "try/two-shared", Lane: suite.Shared, Run: func(c *probe.Client) error { return ping(c.Opened()) }},
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
			"try/waits": "pass", "try/alone": "pass",
			"try/two": "undecided", "try/two-opened": "undecided", "try/two-shared": "undecided",
		}, kinds(found)); diff != "" {
			t.Errorf("with %d jobs: %s", jobs, diff)
		}
	}
}

// A server that kills the process that runs already is not blamed for the end of that one.
func TestNewProcessKillsTheOneBefore(t *testing.T) {
	t.Parallel()
	ping := func(c *probe.Client) error {
		reply := c.Call("ping", nil)
		return reply.WantResult()
	}
	twice := func(c *probe.Client) error {
		other := c.Opened()
		if err := ping(other); err != nil {
			return err
		}
		return ping(c)
	}
	server := &fakeserver.Server{}
	cases := []suite.Case{
		{ID: "try/two", Lane: suite.Fresh, Run: twice},
		{ID: "try/two-shared", Lane: suite.Shared, Run: twice},
		{ID: "try/breaks", Lane: suite.Fresh, Run: func(c *probe.Client) error {
			reply := c.Call("no-such-method", nil)
			return reply.WantResult()
		}},
	}
	for i := range 6 {
		cases = append(cases,
			suite.Case{ID: fmt.Sprintf("try/fresh-%d", i), Lane: suite.Fresh, Run: ping},
			suite.Case{ID: fmt.Sprintf("try/shared-%d", i), Lane: suite.Shared, Run: ping})
	}
	p := plan(t, server, cases...)
	var mu sync.Mutex
	kill := func() {}
	p.Ways[0].Launcher = target.Memory{Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		mu.Lock()
		kill()
		kill = cancel
		mu.Unlock()
		if code := server.Serve(ctx, term, in, out, errw); ctx.Err() == nil {
			return code
		}
		return 128 + 9
	}}
	_, found := gather(t, p)
	for id, f := range found {
		want := reports.Pass
		switch id {
		case "try/two", "try/two-shared":
			want = reports.Skip
		case "try/breaks":
			want = reports.Fail
		}
		if f.Status != want {
			t.Errorf("%s: %s %s %v", id, f.Status, f.Problem, f.Reason)
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

// Cases that observe a state which others could change never overlap, and
// cases of the lane alone overlap with nothing.
func TestNothingOverlaps(t *testing.T) {
	var inside, most, crowd atomic.Int64
	counting := func(n *atomic.Int64, limit int64, what string) func(*probe.Client) error {
		return func(c *probe.Client) error {
			crowd.Add(1)
			defer crowd.Add(-1)
			if now := n.Add(1); now > limit {
				most.Store(now)
			}
			defer n.Add(-1)
			c.Barrier()
			return nil
		}
	}
	p := plan(t, &fakeserver.Server{}, suite.Case{ID: "try/alone-1", Lane: suite.Alone, Run: func(*probe.Client) error {
		if n := crowd.Load(); n != 0 {
			return fmt.Errorf("%d cases run beside", n)
		}
		return nil
	}})
	for i := range 12 {
		p.Suites[0].Cases = append(p.Suites[0].Cases, suite.Case{
			ID: fmt.Sprintf("try/effect-%d", i), Observes: roles.StateChange, Checks: p.Suites[0].Cases[0].Checks,
			Lane: suite.Fresh,
			Run:  counting(&inside, 1, "effect"),
		})
	}
	_, found := gather(t, p)
	if most.Load() > 0 {
		t.Errorf("%d cases that observe effects ran at once", most.Load())
	}
	for id, f := range found {
		if f.Status != reports.Pass {
			t.Errorf("%s: %s %s", id, f.Status, f.Problem)
		}
	}
}

// Cases that disturb a role run beside one another, and not beside one that observes it.
func TestDisturbing(t *testing.T) {
	t.Parallel()
	var observing, disturbing, met atomic.Int64
	meeting := make(chan struct{})
	disturbs := func(c *probe.Client) error {
		disturbing.Add(1)
		defer disturbing.Add(-1)
		met.Add(observing.Load())
		select {
		case meeting <- struct{}{}:
		case <-meeting:
		case <-time.After(10 * time.Second):
			return errors.New("no other case that disturbs the role ran beside it")
		}
		return nil
	}
	observes := func(c *probe.Client) error {
		observing.Add(1)
		defer observing.Add(-1)
		for range 5 {
			met.Add(disturbing.Load())
			c.Barrier()
		}
		return nil
	}
	var cases []suite.Case
	for i := range 4 {
		cases = append(cases,
			suite.Case{ID: fmt.Sprintf("try/observes-%d", i), Observes: roles.SlowTool, Lane: suite.Waits, Run: observes},
			suite.Case{ID: fmt.Sprintf("try/disturbs-%d", i), Disturbs: roles.SlowTool, Lane: suite.Waits, Run: disturbs})
	}
	_, found := gather(t, plan(t, &fakeserver.Server{}, cases...))
	if met.Load() > 0 {
		t.Error("a case that observes the role ran beside one that disturbs it")
	}
	for id, f := range found {
		if f.Status != reports.Pass {
			t.Errorf("%s: %s %s", id, f.Status, f.Problem)
		}
	}
}

// A case that counts the effects of its own calls alone runs beside no case whose observer counts
// all of them.
func TestNarrowBesideWide(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("c.yaml", []byte(`
roles:
  state-change: {tool: book, arguments: {ship: "kit-${nonce}"}, observe: {tool: count}}
  gated: {tool: scrap, arguments: {ship: "kit-${nonce}"}, observe: {tool: count, arguments: {ship: "kit-${nonce}"}}}
`), func(string) (string, bool) { return "", false }, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	var inside, met atomic.Int64
	counts := func(c *probe.Client) error {
		if inside.Add(1) > 1 {
			met.Add(1)
		}
		defer inside.Add(-1)
		for range 5 {
			c.Barrier()
		}
		return nil
	}
	var cases []suite.Case
	for i := range 6 {
		cases = append(cases,
			suite.Case{ID: fmt.Sprintf("try/wide-%d", i), Observes: roles.StateChange, Lane: suite.Fresh, Run: counts},
			suite.Case{ID: fmt.Sprintf("try/narrow-%d", i), Observes: roles.Gated, Lane: suite.Fresh, Run: counts})
	}
	p := plan(t, &fakeserver.Server{}, cases...)
	p.Config.Roles = cfg.Roles
	if _, found := gather(t, p); met.Load() > 0 || len(found) != len(cases) {
		t.Errorf("%d of %d cases ran beside another one", met.Load(), len(found))
	}
}

// A case that uses a role with the tool of an observed one changes what that one counts: it runs beside other such
// cases, and not beside one that counts.
func TestOneToolOfTwoRoles(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("c.yaml", []byte(`
roles:
  gated: {tool: scrap, arguments: {ship: A}, observe: {tool: count}}
  input-required: {tool: scrap, arguments: {ship: B}}
`), func(string) (string, bool) { return "", false }, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	var counting, met atomic.Int64
	counts := func(c *probe.Client) error {
		counting.Add(1)
		defer counting.Add(-1)
		for range 5 {
			c.Barrier()
		}
		return nil
	}
	changes := func(c *probe.Client) error {
		for range 5 {
			met.Add(counting.Load())
			c.Barrier()
		}
		return nil
	}
	var cases []suite.Case
	for i := range 6 {
		cases = append(cases,
			suite.Case{ID: fmt.Sprintf("try/counts-%d", i), Observes: roles.Gated, Lane: suite.Fresh, Run: counts},
			suite.Case{ID: fmt.Sprintf("try/changes-%d", i), Needs: []suite.Need{suite.Role(roles.InputRequired)}, Lane: suite.Fresh, Run: changes})
	}
	p := plan(t, &fakeserver.Server{}, cases...)
	p.Config.Roles = cfg.Roles
	_, found := gather(t, p)
	for id, f := range found {
		if f.Status != reports.Pass {
			t.Errorf("%s: %s %v", id, f.Status, f.Reason)
		}
	}
	if met.Load() > 0 || len(found) != len(cases) {
		t.Errorf("a case that changes the state ran beside one that counts, %d times; %d cases", met.Load(), len(found))
	}
}

// Where each process has a state of its own, cases that observe effects run side by side.
func TestOwnState(t *testing.T) {
	t.Parallel()
	meeting := make(chan struct{})
	meets := func(*probe.Client) error {
		select {
		case meeting <- struct{}{}:
		case <-meeting:
		case <-time.After(10 * time.Second):
			return errors.New("no other case that observes effects ran beside it")
		}
		return nil
	}
	p := plan(t, &fakeserver.Server{},
		suite.Case{ID: "try/effect", Observes: roles.StateChange, Lane: suite.Fresh, Run: meets},
		suite.Case{ID: "try/effect-too", Observes: roles.StateChange, Lane: suite.Fresh, Run: meets},
	)
	p.Config.Target.Own = true
	_, found := gather(t, p)
	for id, f := range found {
		if f.Status != reports.Pass {
			t.Errorf("%s: %s %s", id, f.Status, f.Problem)
		}
	}
}
