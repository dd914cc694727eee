package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// kinds is what came of each case, in a word or two.
func kinds(found map[string]reports.Finding) map[string]string {
	got := map[string]string{}
	for id, f := range found {
		got[id] = string(f.Status)
		if f.Reason != nil {
			got[id] = string(f.Reason.Kind)
		}
	}
	return got
}

// sits lets time pass until it is told to stop.
func sits(c *probe.Client) error {
	<-c.Context().Done()
	return c.Context().Err()
}

// one is a plan of one column.
func one(cases ...suite.Case) func(t *testing.T) engine.Plan {
	return func(t *testing.T) engine.Plan {
		t.Helper()
		p := plan(t, &fakeserver.Server{}, slices.Clone(cases)...)
		p.Config.Revisions = config.Revisions{Dates: []string{"2025-11-25"}}
		return p
	}
}

// Whatever a case does or waits for when the run is cut short, it ends as
// interrupted, and the run ends.
func TestRunIsCutShort(t *testing.T) {
	t.Parallel()
	all := []suite.Case{
		{ID: "try/fresh", Lane: suite.Fresh, Run: sits},
		{ID: "try/shared", Lane: suite.Shared, Run: sits},
		{ID: "try/shared-too", Lane: suite.Shared, Run: passes},
		{ID: "try/effect", Observes: roles.StateChange, Lane: suite.Fresh, Run: sits},
		{ID: "try/effect-too", Observes: roles.StateChange, Lane: suite.Fresh, Run: passes},
		{ID: "try/waits", Lane: suite.Waits, Run: sits},
		{ID: "try/waits-for-effects", Lane: suite.Waits, Observes: roles.StateChange, Run: sits},
		{ID: "try/waits-for-effects-too", Lane: suite.Waits, Observes: roles.StateChange, Run: sits},
		{ID: "try/unopened", Raw: true, Lane: suite.Fresh, Run: sits},
		{ID: "try/alone", Lane: suite.Alone, Run: passes},
		{ID: "try/another", Lane: suite.Fresh, Run: func(c *probe.Client) error {
			c.Another()
			return sits(c)
		}},
	}
	const soon = 300 * time.Millisecond
	for name, cut := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"by its limit": func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, soon) },
		"by its operator": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(soon, cancel)
			return ctx, cancel
		},
	} {
		for _, jobs := range []int{1, 8} {
			t.Run(fmt.Sprintf("%s with %d jobs", name, jobs), func(t *testing.T) {
				t.Parallel()
				p := one(all...)(t)
				p.Jobs = jobs
				g, err := engine.Begin(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := cut(t.Context())
				defer cancel()
				g.Start(ctx)
				r := g.Report()
				g.Close(t.Context())
				cutShort := 0
				for _, f := range r.Findings {
					switch {
					case f.Status == reports.Pass:
					case f.Reason != nil && f.Reason.Kind == reports.Interrupted:
						cutShort++
					default:
						t.Errorf("%s ended in %s %+v", f.Case, f.Status, f.Reason)
					}
				}
				if cutShort == 0 || r.Verdict.ExitCode != 3 {
					t.Errorf("%d cases were cut short, exit code %d, want some and 3", cutShort, r.Verdict.ExitCode)
				}
			})
		}
	}
}

// A case that takes too long is undecided, which is not the end of the run.
func TestCaseIsTooSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, found := gather(t, one(suite.Case{ID: "try/slow", Lane: suite.Fresh, Run: sits}, suite.Case{ID: "try/slow-too", Lane: suite.Waits, Run: sits}, suite.Case{ID: "try/quick", Lane: suite.Fresh, Run: passes})(t))
		want := map[string]string{"try/slow": "undecided", "try/slow-too": "undecided", "try/quick": "pass"}
		if diff := cmp.Diff(want, kinds(found)); diff != "" {
			t.Error(diff)
		}
	})
}

// One worker is enough for every lane.
func TestOneJob(t *testing.T) {
	t.Parallel()
	ping := func(c *probe.Client) error { c.Barrier(); return nil }
	opens := func(c *probe.Client) error { c.Opened(); return nil }
	breaks := func(*probe.Client) error { return &probe.Violation{Problem: "p"} }
	p := plan(t, &fakeserver.Server{Capabilities: map[string]any{"tools": map[string]any{}}},
		suite.Case{ID: "try/rests", Needs: []suite.Need{suite.Capability("tools")}, Lane: suite.Fresh, Run: ping},
		suite.Case{ID: "try/rests-waits", Needs: []suite.Need{suite.Capability("tools")}, Lane: suite.Waits, Run: ping},
		suite.Case{ID: "try/rests-shared", Lane: suite.Shared, Needs: []suite.Need{suite.Capability("tools")}, Run: ping},
		suite.Case{ID: "try/proves", Lane: suite.Shared, Proves: []suite.Need{suite.Capability("tools")}, Run: ping},
		suite.Case{ID: "try/confirmed", Lane: suite.Shared, Run: breaks},
		suite.Case{ID: "try/effect", Observes: roles.StateChange, Lane: suite.Fresh, Run: opens},
		suite.Case{ID: "try/effect-waits", Lane: suite.Waits, Observes: roles.StateChange, Run: opens},
		suite.Case{ID: "try/effect-shared", Lane: suite.Shared, Observes: roles.StateChange, Run: ping},
		suite.Case{ID: "try/alone", Lane: suite.Alone, Needs: []suite.Need{suite.Capability("tools")}, Run: ping},
		suite.Case{ID: "try/unopened", Raw: true, Lane: suite.Fresh, Run: passes},
		suite.Case{ID: "try/watch", Watch: func() probe.Watcher {
			return probe.WatchFunc(func(*probe.WatchedFrame) probe.Opinion { return probe.Kept() })
		}},
	)
	p.Jobs = 1
	_, found := gather(t, p)
	for id, f := range found {
		if want := map[bool]reports.Status{true: reports.Fail, false: reports.Pass}[id == "try/confirmed"]; f.Status != want {
			t.Errorf("%s: %s %+v %s", id, f.Status, f.Reason, f.Problem)
		}
	}
}

// A server that does not end by itself holds no worker while it is ended.
func TestSlowEndsOverlap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var cases []suite.Case
		for i := range 8 {
			cases = append(cases, suite.Case{ID: fmt.Sprintf("try/%d", i), Lane: suite.Fresh, Run: passes})
		}
		p := plan(t, &fakeserver.Server{Stdio: fakeserver.Stdio{IgnoreEOF: true}}, cases...)
		p.Jobs = 3
		g, err := engine.Begin(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		g.Start(t.Context())
		defer g.Close(t.Context())
		g.Report()
		// Eight lingering servers take a second each, one after the other.
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the run took %s", took)
		}
	})
}

// A case is skipped for what makes its rule not apply, if there is such a
// thing, before it is for what the operator might add.
func TestReasonsOfSkips(t *testing.T) {
	t.Parallel()
	role, stress := suite.Role(roles.StateChange, "observe"), suite.OptIn(suite.Stress)
	prompts, http := suite.Capability("prompts"), suite.Over(requirements.HTTP)
	p := one(
		suite.Case{ID: "try/role-first", Needs: []suite.Need{role, prompts}, Lane: suite.Fresh, Run: passes},
		suite.Case{ID: "try/opt-in-first", Needs: []suite.Need{stress, role, http}, Lane: suite.Fresh, Run: passes},
		suite.Case{ID: "try/both-gaps", Needs: []suite.Need{stress, role}, Lane: suite.Fresh, Run: passes},
		suite.Case{ID: "try/one-gap", Needs: []suite.Need{role}, Lane: suite.Fresh, Run: passes},
		suite.Case{ID: "try/trait", Needs: []suite.Need{role, suite.Trait(probe.AnyPaginates)}, Lane: suite.Fresh, Run: passes},
		suite.Case{ID: "try/claim", Needs: []suite.Need{role, suite.Claim("idempotency")}, Lane: suite.Fresh, Run: passes},
	)(t)
	p.Suites = append(p.Suites, suite.Suite{Name: "ext", Extension: suite.Extension{Name: "idempotency"}, Cases: []suite.Case{
		{ID: "ext/role", Checks: p.Suites[0].Cases[0].Checks, Needs: []suite.Need{role}, Lane: suite.Fresh, Run: passes},
	}})
	p.Book = specs.NewBook(p.Suites, p.Book.Rules)
	r, found := gather(t, p)
	want := map[string]string{
		"try/role-first": "not-declared", "try/opt-in-first": "other-transport", "try/both-gaps": "opt-in", "try/one-gap": "no-role",
		"try/trait": "not-seen", "try/claim": "not-claimed", "ext/role": "not-claimed",
	}
	if diff := cmp.Diff(want, kinds(found)); diff != "" {
		t.Error(diff)
	}
	if r.Verdict.Status != reports.Partial {
		t.Errorf("the verdict is %s, want partial for the one gap", r.Verdict.Status)
	}
}

// A watcher that cannot even be made is its own case's error.
func TestWatcherCannotBegin(t *testing.T) {
	t.Parallel()
	_, found := gather(t, one(
		suite.Case{ID: "try/watch", Watch: func() probe.Watcher { panic(errors.New("our own bug")) }},
		suite.Case{ID: "try/run", Lane: suite.Fresh, Run: passes},
	)(t))
	if diff := cmp.Diff(map[string]string{"try/watch": "error", "try/run": "pass"}, kinds(found)); diff != "" {
		t.Error(diff)
	}
}

// Two runs with one seed find the same, counts and texts included.
func TestSameSeedSameFindings(t *testing.T) {
	t.Parallel()
	cases := []suite.Case{{ID: "try/watch", Watch: func() probe.Watcher {
		return probe.WatchFunc(func(s *probe.WatchedFrame) probe.Opinion {
			if s.Request.Method != "initialize" || s.Dir != "received" {
				return probe.Nothing()
			}
			return probe.Breaks("greeted for %s", s.Case)
		})
	}}}
	for i := range 12 {
		cases = append(cases, suite.Case{ID: fmt.Sprintf("try/%d", i), Lane: suite.Fresh, Run: func(c *probe.Client) error {
			other := c.Opened()
			c.Note(other.Nonce())
			return nil
		}})
	}
	var first map[string]reports.Finding
	for range 5 {
		_, found := gather(t, one(cases...)(t))
		for id, f := range found {
			f.DurationMs, f.Frames = 0, nil
			found[id] = f
		}
		if first == nil {
			first = found
		}
		if diff := cmp.Diff(first, found); diff != "" {
			t.Error(diff)
		}
	}
	if f := first["try/watch"]; f.Count != 25 {
		t.Errorf("%d connections were opened, want two for each case and the one of discovery", f.Count)
	}
}

// A case that is judged again must not meet what it left behind: its nonces
// are others, and the same others in every run.
func TestJudgedAgainWithOtherNonces(t *testing.T) {
	t.Parallel()
	var runs []string
	for range 2 {
		var said []string
		_, found := gather(t, one(suite.Case{ID: "try/again", Lane: suite.Shared, Run: func(c *probe.Client) error {
			said = append(said, c.Nonce())
			return &probe.Violation{Problem: "always"}
		}})(t))
		if found["try/again"].Status != reports.Fail || len(said) != 2 || said[0] == said[1] {
			t.Errorf("%s with the nonces %v", found["try/again"].Status, said)
		}
		runs = append(runs, fmt.Sprint(said))
	}
	if runs[0] != runs[1] {
		t.Errorf("two runs have the nonces %s", runs)
	}
}

// Nobody waits for what runs last.
func TestProofOfALoneCase(t *testing.T) {
	t.Parallel()
	need := []suite.Need{suite.Capability("tools")}
	p := plan(t, &fakeserver.Server{Capabilities: map[string]any{"tools": map[string]any{}}},
		suite.Case{ID: "try/alone", Lane: suite.Alone, Proves: []suite.Need{suite.Capability("tools")}, Run: passes},
		suite.Case{ID: "try/alone-too", Lane: suite.Alone, Needs: need, Run: passes},
		suite.Case{ID: "try/rests", Needs: need, Lane: suite.Fresh, Run: passes},
	)
	_, found := gather(t, p)
	if diff := cmp.Diff(map[string]string{"try/alone": "pass", "try/alone-too": "pass", "try/rests": "pass"}, kinds(found)); diff != "" {
		t.Error(diff)
	}
}
