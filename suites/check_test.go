package suites_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// need is a need of one word.
func need(kind suite.Kind, value string) suite.Need {
	return suite.Need{Any: []suite.Word{{Kind: kind, Value: value}}}
}

// Authors of suites learn all their mistakes at once, from the one check of the
// kit's own suites that anybody can run.
func TestCheck(t *testing.T) {
	t.Parallel()
	nothing := func(*probe.Client) error { return nil }
	watch := func() probe.Watcher { return nil }
	needs := []suite.Need{
		suite.Capability("tools.listchanged"), suite.Trait("pagnates"), suite.Trait(probe.Legacy), suite.Role("state-change", "obsrve"),
		suite.Role("tide"), suite.Role("tide", "metres"), suite.Role("tide", "feet"), suite.Claim("idempotence"), suite.Claim("tides"),
		suite.Over("pigeon"), suite.OptIn("slow"), suite.OptIn(suite.Stress), need(suite.OpeningKind, "wide"), need("mood", "good"), {},
		suite.Either(suite.Capability("tools"), suite.Capability("tool")), suite.Capability("extensions.com.example/tides"),
	}
	bad := suite.Suite{
		Name: "Bad suite", Extension: suite.Extension{Token: "x", Implies: []string{"idempotency", "permission"}},
		Rules: []requirements.Requirement{{ID: "one"}},
		Cases: []suite.Case{
			{ID: "Bad suite/a", Run: nothing, Watch: watch, Lane: "slow", Revisions: []requirements.Revision{"2025-01-01"}, Observes: "tide-gauge"},
			{ID: "Bad suite/a", Title: "t", Fix: "f", Checks: []requirements.ID{"one", "ping-promt"}},
			{ID: "other/B", Title: "t", Fix: "f", Checks: []requirements.ID{"ping-prompt"}, Run: nothing, Proves: needs},
		},
	}
	tides := greeting()
	tides.Name, tides.Rules, tides.Extension = "tides", nil, suite.Extension{Name: "tides"}
	tides.Roles[0].Name, tides.Roles[0].Fields[0].Name = "tide", "metres"
	tides.Cases = nil
	err := suites.Check(greeting(), tides, bad)
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	want := []string{
		"nothing can be judged with these suites:",
		`suite "tides": there are no cases`,
		`suite "Bad suite": the name is not lower-case words joined by hyphens`,
		`suite "Bad suite": the title is missing`,
		`suite "Bad suite": the name of the extension is missing`,
		`suite "Bad suite": unknown extension "permission"; did you mean permissions?`,
		`case "Bad suite/a": the title is missing`,
		`case "Bad suite/a": the fix is missing`,
		`case "Bad suite/a": it has both Run and Watch`,
		`case "Bad suite/a": unknown lane "slow"`,
		`case "Bad suite/a": no rule stands in Checks`,
		`case "Bad suite/a": unknown revision "2025-01-01"`,
		`case "Bad suite/a": unknown role "tide-gauge"`,
		`case "Bad suite/a": another case has this id`,
		`case "Bad suite/a": both Run and Watch are missing`,
		`case "Bad suite/a": unknown rule "ping-promt"; did you mean ping-prompt?`,
		`case "other/B": the id is not Bad suite/ and lower-case words joined by hyphens`,
		`case "other/B": unknown capability "tools.listchanged"; did you mean tools.listChanged or prompts.listChanged?`,
		`case "other/B": unknown trait "pagnates"; did you mean paginates?`,
		`case "other/B": unknown role "state-change.obsrve"; did you mean ` +
			`state-change.observe, state-change.observe.mode or state-change.observe.tool?`,
		`case "other/B": unknown role "tide.feet"; did you mean tide.metres?`,
		`case "other/B": unknown extension "idempotence"; did you mean idempotency?`,
		`case "other/B": unknown transport "pigeon"`,
		`case "other/B": unknown consent "slow"`,
		`case "other/B": the need for an opening has a value, "wide"`,
		`case "other/B": unknown kind of need "mood"`,
		`case "other/B": a need has no words`,
		`case "other/B": unknown capability "tool"; did you mean tasks.requests.tools, tasks.requests.tools.call or tools?`,
		`requirement "one": the id is not kebab-case`,
		`requirement "one": area is missing`,
		`requirement "one": there is no clause`,
	}
	var got []string
	for line := range strings.Lines(err.Error()) {
		got = append(got, strings.TrimSpace(line))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := suites.Check(greeting()); err != nil {
		t.Errorf("a good suite: %v", err)
	}
	_, judged := suites.Judge(t.Context(), suites.Plan{Config: config.Default(), Suites: []suite.Suite{bad}, Local: &suites.Local{Serve: shy}})
	if judged == nil || !strings.Contains(judged.Error(), `suite "Bad suite": the title is missing`) {
		t.Errorf("judged with it: %v", judged)
	}
}
