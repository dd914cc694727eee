// Package safety_test shows that the kit, without a configuration, calls no tool or
// method that changes something at the server, whatever the server offers and claims.
package safety_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestNothingIsChanged(t *testing.T) {
	t.Parallel()
	// Its lists differ from one revision to the next, and not by transport. A server
	// below that tempts more is judged in every column.
	for i, revision := range requirements.Revisions() {
		t.Run("the reference server at "+string(revision), func(t *testing.T) {
			t.Parallel()
			local := inprocess.Server(nil)
			if i%2 == 0 {
				local.Serve = nil
			} else {
				local.Handler = nil
			}
			check(t, local, config.Revisions{Dates: []string{string(revision)}}, 1)
		})
	}
	if testing.Short() {
		return // -short leaves out the tempting servers
	}
	// All these servers tempt the cases of the core protocol with the same tools, and
	// the cases of the extensions are the same at every revision: one server is judged
	// in every column, the others at one revision with a handshake and at one without,
	// over one transport.
	acting := []object{nil, {"readOnlyHint": false}, {"destructiveHint": true}}
	for name, server := range map[string]*temptation{
		"methods of all extensions":                {claims: true, methods: true},
		"tools that are named like the methods":    {claims: true, lists: acting, serves: true, over: requirements.HTTP},
		"those that are listed twice":              {claims: true, lists: append(acting, object{"readOnlyHint": true}), twice: true, serves: true, over: requirements.Stdio},
		"those that change nothing":                {claims: true, lists: []object{{"readOnlyHint": true}}, serves: true, over: requirements.HTTP},
		"those that are not listed":                {claims: true, serves: true, over: requirements.Stdio},
		"tools of such names, and nothing claimed": {lists: acting, serves: true, over: requirements.HTTP},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server.server()
			local := &suites.Local{Path: "/mcp"}
			if server.over != requirements.HTTP {
				local.Serve = s.Serve
			}
			if server.over != requirements.Stdio {
				local.Handler = s.Handler()
			}
			if server.over == "" {
				check(t, local, config.Revisions{All: true}, 10)
			} else {
				check(t, local, config.Revisions{Dates: []string{"2025-11-25", "2026-07-28"}}, 2)
			}
			for _, what := range slices.Sorted(maps.Keys(server.open)) {
				t.Errorf("the %s is not ended again", what)
			}
		})
	}
}

// Without a configuration the kit calls only tools that say they are read-only, and
// names that no tool has.
func TestOnlyReadOnlyToolsAreCalled(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(20)}
	lawful.Judge(t, &suites.Local{Serve: server.Serve, Handler: server.Handler()}, lawful.Everything)
	for _, name := range server.Called() {
		i := slices.IndexFunc(server.Tools, func(tool map[string]any) bool { return tool["name"] == name })
		if i >= 0 && i%2 == 1 {
			t.Errorf("%s was called, which does not say that it is read-only", name)
		}
	}
	if !slices.Contains(server.Called(), "tool_0") {
		t.Error("no read-only tool was called, so this shows nothing")
	}
}

// check judges a server by all suites, and checks every message it got.
func check(t *testing.T, local *suites.Local, revisions config.Revisions, columns int) {
	t.Helper()
	sent, listed, report := run(t, local, revisions, suites.Plan{})
	if got := len(report.Verdict.Columns); got != columns {
		t.Errorf("%v: %d columns were judged, want %d: %s", revisions, got, columns, report.Verdict.Text)
	}
	problems, called := listed.judgeAll(sent)
	for _, problem := range slices.Sorted(maps.Keys(problems)) {
		t.Errorf("%v: %s, %d times", revisions, problem, problems[problem])
	}
	if called == 0 {
		t.Errorf("%v: no listed tool was called, so that nothing was seen", revisions)
	}
}

// run judges a server without a configuration, and returns all messages it got and all
// tools it listed.
func run(t *testing.T, local *suites.Local, revisions config.Revisions, plan suites.Plan) (sent []string, listed offer, report reports.Report) {
	t.Helper()
	var mu sync.Mutex
	r := &recorder{}
	listed = offer{}
	plan.Config, plan.Local, plan.Seed = config.Default(), r.before(local), 1
	plan.Config.Revisions = revisions
	plan.Config.Limits.MaxUpload = 256 << 10                                         // the amount sent does not matter here
	plan.Selected = func(_ suite.Suite, c suite.Case) bool { return c.Watch == nil } // watchers send nothing
	plan.Trace = func(_ int, s probe.Seen) {
		if s.Dir != frame.Received || s.Kind != frame.KindMessage {
			return
		}
		result, _ := s.Message().Members["result"].(object)
		if result["manifest_version"] != nil {
			return // a manifest describes tools, it is not a list
		}
		tools, _ := result["tools"].([]any)
		mu.Lock()
		defer mu.Unlock()
		listed.add(tools)
	}
	report = proof.Judge(t, plan)
	return r.sent, listed, report
}

func TestMain(m *testing.M) { proof.Main(m) }
