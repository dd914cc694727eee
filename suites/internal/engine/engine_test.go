package engine_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// plan is one suite of cases against a rigged server over stdio. Each case
// checks a rule of its own, a MUST by keyword.
func plan(t testing.TB, server *fakeserver.Server, cases ...suite.Case) engine.Plan {
	t.Helper()
	var rules []requirements.Requirement
	for i := range cases {
		id := requirements.ID("try-" + strings.ReplaceAll(cases[i].ID, "/", "-"))
		if cases[i].Checks == nil {
			cases[i].Checks = []requirements.ID{id}
			rules = append(rules, requirements.Requirement{ID: id, Area: "try", Clauses: []requirements.Clause{{
				Since: requirements.R20241105, Level: requirements.Must, Basis: requirements.Keyword, Page: "try#" + cases[i].ID, Text: "A rule to try.",
			}}})
		}
	}
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	if catalogue, err = catalogue.With(rules...); err != nil {
		t.Fatal(err)
	}
	p := engine.Plan{
		Secrets: config.NewSecrets(config.Default()), Schemas: schemas.Load(),
		Ways: []connect.Way{{Transport: requirements.Stdio, Launcher: target.Memory{Serve: server.Serve}}},
		Kit:  reports.Kit{Name: "mcp-conform", Version: "test"},
	}
	p.Suites, p.Config = []suite.Suite{{Name: "try", Cases: cases}}, config.Default()
	p.Book = specs.NewBook(p.Suites, catalogue)
	p.Seed, p.Jobs, p.Timeout, p.StartTimeout, p.Started = 1, 4, 10*time.Second, time.Minute, time.Now()
	return p
}

func gather(t testing.TB, p engine.Plan) (reports.Report, map[string]reports.Finding) {
	t.Helper()
	g, err := engine.Begin(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	g.Start(t.Context())
	defer g.Close(t.Context())
	r := g.Report()
	found := map[string]reports.Finding{}
	for _, f := range r.Findings {
		found[f.Case] = f
	}
	return r, found
}

func passes(*probe.Client) error { return nil }

func TestOutcomes(t *testing.T) {
	server := &fakeserver.Server{Capabilities: map[string]any{"tools": map[string]any{}}}
	broken := func(*probe.Client) error { return &probe.Violation{Problem: "$.x is 1, want 2"} }
	r, found := gather(t, plan(t, server,
		suite.Case{ID: "try/pass", Lane: suite.Fresh, Run: passes},
		suite.Case{ID: "try/fail", Fix: "mend it", Lane: suite.Fresh, Run: broken},
		suite.Case{ID: "try/warn", Lane: suite.Fresh, Run: func(c *probe.Client) error { return probe.AtMostWarn(broken(c)) }},
		suite.Case{ID: "try/undecided", Lane: suite.Fresh, Run: func(c *probe.Client) error { c.Undecide("who knows"); return nil }},
		suite.Case{ID: "try/unseen", Lane: suite.Fresh, Run: func(c *probe.Client) error { c.NotSeen("no occasion"); return nil }},
		suite.Case{ID: "try/error", Lane: suite.Fresh, Run: func(*probe.Client) error { return errors.New("our own slip") }},
		suite.Case{ID: "try/panic", Lane: suite.Fresh, Run: func(*probe.Client) error { panic("our own bug") }},
		suite.Case{ID: "try/watch-panic", Watch: func() probe.Watcher {
			return probe.WatchFunc(func(*probe.WatchedFrame) probe.Opinion { panic("our own bug") })
		}},
		suite.Case{ID: "try/undeclared", Needs: []suite.Need{suite.Capability("prompts")}, Lane: suite.Fresh, Run: broken},
		suite.Case{ID: "try/http-only", Needs: []suite.Need{suite.Over(requirements.HTTP)}, Lane: suite.Fresh, Run: broken},
		suite.Case{ID: "try/no-role", Needs: []suite.Need{suite.Role(roles.StateChange, "observe")}, Lane: suite.Fresh, Run: broken},
		suite.Case{ID: "try/opt-in", Needs: []suite.Need{suite.OptIn(suite.Stress)}, Lane: suite.Fresh, Run: broken},
		suite.Case{ID: "try/either", Needs: []suite.Need{suite.Either(suite.Capability("prompts"), suite.Capability("tools"))}, Lane: suite.Fresh, Run: passes},
		suite.Case{ID: "try/notes", Lane: suite.Fresh, Run: func(c *probe.Client) error { c.Note("by the way"); return nil }},
	))
	got := map[string]string{}
	for id, f := range found {
		got[id] = string(f.Status)
		if f.Reason != nil {
			got[id] += " " + string(f.Reason.Kind)
		}
	}
	want := map[string]string{
		"try/pass": "pass", "try/fail": "fail", "try/warn": "warn", "try/undecided": "skip undecided", "try/unseen": "skip not-applicable",
		"try/error": "error", "try/panic": "error", "try/watch-panic": "error", "try/undeclared": "skip not-declared", "try/http-only": "skip other-transport",
		"try/no-role": "skip no-role", "try/opt-in": "skip opt-in", "try/either": "pass", "try/notes": "pass",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f := found["try/fail"]; f.Problem != "$.x is 1, want 2" || f.Fix != "mend it" || f.Rule == "" || f.Link == "" || f.Again == "" {
		t.Errorf("the failure lacks something: %+v", f)
	}
	if key := found["try/no-role"].Reason.Role; key != "roles.state-change.observe" && key != "roles.state-change" {
		t.Errorf("the skip names %q, want the key to set", key)
	}
	if diff := cmp.Diff([]string{"by the way"}, found["try/notes"].Notes); diff != "" {
		t.Error(diff)
	}
	if r.Verdict.ExitCode != 1 || r.Verdict.Status != reports.Failed {
		t.Errorf("verdict %+v, want failed and exit code 1", r.Verdict)
	}
}

// One root cause is one finding: what rests on it is blocked by it, also when
// there is a link in between.
func TestBlockedByTheRoot(t *testing.T) {
	server := &fakeserver.Server{Capabilities: map[string]any{"tools": map[string]any{}, "prompts": map[string]any{}}}
	_, found := gather(t, plan(t, server,
		suite.Case{ID: "try/root", Proves: []suite.Need{suite.Capability("tools")}, Lane: suite.Fresh, Run: func(*probe.Client) error {
			return &probe.Violation{Problem: "no tools"}
		}},
		suite.Case{ID: "try/middle", Proves: []suite.Need{suite.Capability("prompts")}, Needs: []suite.Need{suite.Capability("tools")}, Lane: suite.Fresh, Run: passes},
		suite.Case{ID: "try/leaf", Needs: []suite.Need{suite.Capability("prompts")}, Lane: suite.Fresh, Run: passes},
		suite.Case{ID: "try/free", Lane: suite.Fresh, Run: passes},
	))
	for _, id := range []string{"try/middle", "try/leaf"} {
		if f := found[id]; f.Reason == nil || f.Reason.Kind != reports.Blocked || f.Reason.BlockedBy != "try/root" {
			t.Errorf("%s: %s %+v, want blocked by try/root", id, f.Status, f.Reason)
		}
	}
	if found["try/free"].Status != reports.Pass {
		t.Error("try/free rests on nothing and did not pass")
	}
}

// A violation on the shared connection counts only when it shows itself on a
// fresh one too.
func TestSharedIsConfirmed(t *testing.T) {
	var runs atomic.Int64
	_, found := gather(t, plan(t, &fakeserver.Server{},
		suite.Case{ID: "try/flicker", Lane: suite.Shared, Run: func(*probe.Client) error {
			if runs.Add(1) == 1 {
				return &probe.Violation{Problem: "somebody else's doing"}
			}
			return nil
		}},
		suite.Case{ID: "try/steady", Lane: suite.Shared, Run: func(*probe.Client) error {
			return &probe.Violation{Problem: "always"}
		}},
	))
	if found["try/flicker"].Status != reports.Pass || found["try/steady"].Status != reports.Fail {
		t.Errorf("flicker %s, steady %s, want pass and fail", found["try/flicker"].Status, found["try/steady"].Status)
	}
}

func ended(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.Exchange == 0 }

// A skip on a connection that is of no use any more may be an earlier case's
// doing, so the case runs again on a fresh one.
func TestSkipOnLostConnectionIsRepeated(t *testing.T) {
	var lost, sound atomic.Int64
	_, found := gather(t, plan(t, &fakeserver.Server{},
		suite.Case{ID: "try/lost", Run: func(c *probe.Client) error {
			if lost.Add(1) > 1 {
				return nil
			}
			c.CloseInput()
			c.Await(0, time.Second, ended)
			c.Undecide("the server no longer answers")
			return nil
		}},
		suite.Case{ID: "try/sound", Run: func(c *probe.Client) error {
			sound.Add(1)
			c.NotSeen("nothing happened")
			return nil
		}},
	))
	if found["try/lost"].Status != reports.Pass || lost.Load() != 2 {
		t.Errorf("%s after %d runs, want a pass after 2", found["try/lost"].Status, lost.Load())
	}
	if found["try/sound"].Status != reports.Skip || sound.Load() != 1 {
		t.Errorf("%s after %d runs, want a skip after 1", found["try/sound"].Status, sound.Load())
	}
}

// What a case opens beside a shared connection ends with the case.
func TestOtherConnectionsEndWithTheirCase(t *testing.T) {
	var other *probe.Client
	opened, over := make(chan struct{}), false
	_, found := gather(t, plan(t, &fakeserver.Server{},
		suite.Case{ID: "try/opens", Run: func(c *probe.Client) error {
			defer close(opened)
			other = c.Opened()
			return nil
		}},
		suite.Case{ID: "try/looks", Run: func(c *probe.Client) error {
			<-opened
			for range 100 {
				if over = slices.ContainsFunc(other.Since(0), ended); over {
					break
				}
				c.Pause(10 * time.Millisecond)
			}
			return nil
		}},
	))
	if found["try/looks"].Status != reports.Pass || !over {
		t.Errorf("%s, over is %t", found["try/looks"].Status, over)
	}
}

// A watcher sees every frame of the column, and its finding is the same in
// every run: the first violation in the order of the cases.
func TestWatchers(t *testing.T) {
	server := &fakeserver.Server{Extra: true}
	watch := func() probe.Watcher {
		return probe.WatchFunc(func(s *probe.WatchedFrame) probe.Opinion {
			if s.Request.Method != "ping" || s.Dir != "received" {
				return probe.Nothing()
			}
			return probe.Breaks("a ping was answered in %s", s.Case)
		})
	}
	ping := func(c *probe.Client) error { c.Barrier(); return nil }
	for range 5 {
		_, found := gather(t, plan(t, server,
			suite.Case{ID: "try/watch", Watch: watch},
			suite.Case{ID: "try/never", Watch: func() probe.Watcher {
				return probe.WatchFunc(func(*probe.WatchedFrame) probe.Opinion { return probe.Nothing() })
			}},
			suite.Case{ID: "try/first", Lane: suite.Fresh, Run: ping},
			suite.Case{ID: "try/second", Lane: suite.Fresh, Run: ping},
			suite.Case{ID: "try/third", Lane: suite.Fresh, Run: ping},
		))
		f := found["try/watch"]
		if f.Status != reports.Fail || f.Count != 3 || f.Problem != "a ping was answered in try/first" || len(f.Frames) != 2 || f.Again != "mcp-conform run --case try/first,try/watch" {
			t.Errorf("%s %d %q with %d frames, again %q, want one failure seen three times, first in try/first, with its request", f.Status, f.Count, f.Problem, len(f.Frames), f.Again)
		}
		if f := found["try/never"]; f.Reason == nil || f.Reason.Kind != reports.NotSeen {
			t.Errorf("try/never: %s, want not seen", f.Status)
		}
	}
}

// The command line that judges a case again names the column of the finding, unless the user
// named it: a flag of the server's own is not the kit's.
func TestAgainNamesTheColumn(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                      " --revision 2025-06-18 --transport stdio",
		"--transport stdio":     " --revision 2025-06-18 --transport stdio",
		"-- ./own --revision 3": " --revision 2025-06-18 --transport stdio -- ./own --revision 3",
	} {
		server := &fakeserver.Server{Revisions: []string{"2025-06-18", "2025-11-25"}}
		p := plan(t, server, suite.Case{ID: "try/fail", Run: func(*probe.Client) error { return &probe.Violation{Problem: "$.x is 1, want 2"} }})
		p.Config.Revisions, p.Again = config.Revisions{All: true}, given
		_, found := gather(t, p)
		if got := found["try/fail"].Again; got != "mcp-conform run --case try/fail"+want {
			t.Errorf("with %q: %q, want %q", given, got, want)
		}
	}
}

// blockers counts how cases ended; what is blocked counts for its root.
func blockers(found map[string]reports.Finding) map[string]int {
	count := map[string]int{}
	for _, f := range found {
		switch {
		case f.Reason != nil && f.Reason.Kind == reports.Blocked:
			count["blocked by "+found[f.Reason.BlockedBy].Problem]++
		default:
			count[string(f.Status)]++
		}
	}
	return count
}

// A connection that cannot be opened any more in mid-run is the fault of the
// case that owns the opening, if that did not pass.
func TestOpeningFailsLater(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		owner error
		want  map[string]int
	}{
		{"the opening is broken", &probe.Violation{Problem: "no version"}, map[string]int{"fail": 1, "pass": 1, "blocked by no version": 3}},
		{"the opening works", nil, map[string]int{"pass": 2, "error": 1, "blocked by no connection could be opened: the opening failed: " +
			`error {"code":-32603,"message":"out of licences"}, although others could before; does the server accept several at once?`: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var opened atomic.Int64
			server := &fakeserver.Server{}
			server.Answer = map[string]func(fakeserver.Request) any{"initialize": func(r fakeserver.Request) any {
				if opened.Add(1) > 1 { // what discovery needs, which leaves a connection for shared cases
					return &fakeserver.Error{Code: -32603, Message: "out of licences"}
				}
				return map[string]any{"protocolVersion": r.Params["protocolVersion"], "capabilities": map[string]any{}, "serverInfo": map[string]any{"name": "r", "version": "1"}}
			}}
			p := plan(t, server,
				suite.Case{ID: "try/owner", Raw: true, Proves: []suite.Need{suite.Opening()}, Lane: suite.Fresh, Run: func(*probe.Client) error { return tt.owner }},
				suite.Case{ID: "try/one", Lane: suite.Fresh, Run: passes},
				suite.Case{ID: "try/two", Lane: suite.Fresh, Run: passes},
				suite.Case{ID: "try/shared", Lane: suite.Shared, Run: passes},
				suite.Case{ID: "try/three", Lane: suite.Fresh, Run: passes},
			)
			p.Config.Revisions = config.Revisions{Dates: []string{"2025-11-25"}}
			p.Jobs = 1
			_, found := gather(t, p)
			if diff := cmp.Diff(tt.want, blockers(found)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A server that ends in mid-run is one finding, of the case that ended it
// where only one can have.
func TestServerEndsOverHTTP(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		jobs int
	}{{"one case at a time", 1}, {"many at once", 16}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{}
			var listening *httptest.Server
			server.Answer = map[string]func(fakeserver.Request) any{"leave": func(fakeserver.Request) any {
				_ = listening.Listener.Close()
				go listening.CloseClientConnections()
				return fakeserver.Silence{}
			}}
			listening = httptest.NewServer(server.Handler())
			defer listening.Close()
			cases := []suite.Case{
				{ID: "try/owner", Raw: true, Proves: []suite.Need{suite.Opening()}, Lane: suite.Fresh, Run: passes},
				{ID: "try/leave", Lane: suite.Fresh, Run: func(c *probe.Client) error {
					c.Call("leave", nil)
					return &probe.Violation{Problem: "it is gone"}
				}},
			}
			for n := range 40 {
				cases = append(cases, suite.Case{ID: fmt.Sprintf("try/%d", n), Lane: []suite.Lane{suite.Fresh, suite.Shared, suite.Alone}[n%3], Run: func(c *probe.Client) error {
					reply := c.Call("ping", nil)
					return reply.WantResult()
				}})
			}
			p := plan(t, server, cases...)
			p.Config.Revisions = config.Revisions{Dates: []string{"2025-11-25"}}
			p.Jobs = tt.jobs
			p.Ways = []connect.Way{{Transport: requirements.HTTP, URL: listening.URL, Pool: wire.NewPool(wire.Limits{})}}
			_, found := gather(t, p)
			got := blockers(found)
			if got["fail"]+got["error"] != 1 || len(found) != len(cases) {
				t.Errorf("%v, want one finding for one server that ends", got)
			}
			if f := found["try/leave"]; tt.jobs == 1 && (f.Problem != "it is gone" || got["pass"]+got["blocked by it is gone"] != len(cases)-1) {
				t.Errorf("%v, want all others to have passed before or to be blocked by the case that ended it", got)
			}
		})
	}
}
