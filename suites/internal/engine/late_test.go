package engine_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// crowd is a case that owns the opening and several that need a process each.
func crowd() []suite.Case {
	all := []suite.Case{{ID: "try/owner", Raw: true, Proves: []suite.Need{suite.Opening()}, Run: passes}}
	for i := range 6 {
		all = append(all, suite.Case{ID: fmt.Sprintf("try/fresh-%d", i), Needs: []suite.Need{suite.Opening()}, Lane: suite.Fresh, Run: passes})
	}
	return all
}

// A server that takes longer to start than an answer may take is judged all the
// same: how long its first start took says how long the others may take.
func TestSlowStarts(t *testing.T) {
	t.Parallel()
	bubble.Run(t, func(t *testing.T) { // a process that was closed while it started sleeps on
		server := &fakeserver.Server{Stdio: fakeserver.Stdio{Begin: func(io.Writer, io.Writer) { time.Sleep(25 * time.Second) }}}
		_, found := gather(t, plan(t, server, crowd()...))
		for id, f := range found {
			if f.Status != reports.Pass {
				t.Errorf("%s: %s %+v", id, f.Status, f.Reason)
			}
		}
		p := plan(t, server, crowd()...)
		p.StartTimeout = 12 * time.Second
		u := (*engine.Unreachable)(nil)
		if _, err := engine.Begin(t.Context(), p); !errors.As(err, &u) || !strings.Contains(u.Text, "--start-timeout") {
			t.Errorf("with a shorter limit: %v", err)
		}
	})
}

// A start that is late in a crowd is tried again when nothing else runs, and blocks
// nothing until then.
func TestOneLateOpening(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var greeted atomic.Int64
		server := &fakeserver.Server{}
		server.Answer = map[string]func(fakeserver.Request) any{"initialize": func(r fakeserver.Request) any {
			if n := greeted.Add(1); n > 4 && n < 8 {
				return fakeserver.Silence{}
			}
			return map[string]any{
				"protocolVersion": r.Params["protocolVersion"], "capabilities": map[string]any{},
				"serverInfo": map[string]any{"name": "r", "version": "1"},
			}
		}}
		p := plan(t, server, crowd()...)
		p.Config.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
		r, found := gather(t, p)
		for id, f := range found {
			if f.Status != reports.Pass {
				t.Errorf("%s: %s %s %+v", id, f.Status, f.Problem, f.Reason)
			}
		}
		if r.Verdict.ExitCode != 0 || greeted.Load() < 8 {
			t.Errorf("exit code %d after %d handshakes", r.Verdict.ExitCode, greeted.Load())
		}
	})
}

// A server that never opens again costs a few attempts, and one error.
func TestNoMoreOpenings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var greeted atomic.Int64
		server := &fakeserver.Server{}
		server.Answer = map[string]func(fakeserver.Request) any{"initialize": func(r fakeserver.Request) any {
			if greeted.Add(1) > 5 {
				return fakeserver.Silence{}
			}
			return map[string]any{
				"protocolVersion": r.Params["protocolVersion"], "capabilities": map[string]any{},
				"serverInfo": map[string]any{"name": "r", "version": "1"},
			}
		}}
		p := plan(t, server, crowd()...)
		p.Config.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
		began := time.Now()
		_, found := gather(t, p)
		count := map[reports.Status]int{}
		for id, f := range found {
			count[f.Status]++
			if f.Status == reports.Skip && (f.Reason.Kind != reports.Blocked || f.Reason.BlockedBy == "" || found[f.Reason.BlockedBy].Status != reports.Error) {
				t.Errorf("%s: %+v, want it blocked by the error", id, f.Reason)
			}
		}
		if count[reports.Error] != 1 || count[reports.Fail] > 0 {
			t.Errorf("%v, want one error", count)
		}
		if took := time.Since(began); took > 5*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// Whether a server speaks a newer revision is never decided by a timeout in silence.
func TestUnknownRevision(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		behind any // the answer to what is sent behind server/discover
		exit   int
	}{
		"nothing behind it is answered": {fakeserver.Silence{}, 3},
		"what is behind it is answered": {map[string]any{"protocolVersion": "2025-11-25"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := &fakeserver.Server{}
				server.Answer = map[string]func(fakeserver.Request) any{
					"server/discover": func(fakeserver.Request) any { return fakeserver.Silence{} },
					"initialize": func(r fakeserver.Request) any {
						if string(r.ID) != "1" && r.Params["protocolVersion"] == "2025-11-25" {
							return row.behind
						}
						return map[string]any{"protocolVersion": r.Params["protocolVersion"], "capabilities": map[string]any{}}
					},
				}
				r, _ := gather(t, plan(t, server, suite.Case{ID: "try/shared", Run: passes}))
				if r.Verdict.ExitCode != row.exit {
					t.Errorf("exit code %d, want %d: %s", r.Verdict.ExitCode, row.exit, r.Verdict.Text)
				}
				if named := strings.Contains(r.Verdict.Text, "2026-07-28"); named != (row.exit != 0) {
					t.Errorf("the verdict says %q", r.Verdict.Text)
				}
			})
		})
	}
}

// A case that lacks the answers of several tools shows that itself: it is not blocked by
// its own finding when it is judged again.
func TestSeveralSilentTools(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tools := []map[string]any{{"name": "one"}, {"name": "two"}, {"name": "three"}, {"name": "four"}}
		server := &fakeserver.Server{Capabilities: map[string]any{"tools": map[string]any{}}, Tools: tools}
		server.Answer = map[string]func(fakeserver.Request) any{"tools/call": func(r fakeserver.Request) any {
			if r.Params["name"] == "four" {
				return map[string]any{"content": []any{}}
			}
			return fakeserver.Silence{}
		}}
		_, found := gather(t, plan(t, server, suite.Case{ID: "try/tools", Run: func(c *probe.Client) error {
			var err error
			for _, tool := range tools {
				err = cmp.Or(err, c.Call("tools/call", probe.Object{"name": tool["name"]}).WantAnswer())
			}
			return err
		}}))
		if f := found["try/tools"]; f.Status != reports.Fail {
			t.Errorf("got %s %+v, want a failure", f.Status, f.Reason)
		}
	})
}
