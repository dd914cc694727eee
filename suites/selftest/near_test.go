package selftest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

var here = requirements.Column{Revision: requirements.R20251125, Transport: requirements.Stdio}

// someSuites are a suite that owns the opening, one that all cases with tools depend
// on, one with a watcher, one with watchers only, and one with twenty other cases.
func someSuites() []suite.Suite {
	watch := func() probe.Watcher { return nil }
	tools, lists := []suite.Need{suite.Capability("tools")}, []suite.Need{suite.Capability("resources")}
	all := []suite.Suite{
		{Name: "open", Cases: []suite.Case{
			{ID: "open/answered", Proves: []suite.Need{suite.Opening()}, Lane: suite.Fresh},
			{ID: "open/waits", Lane: suite.Waits},
		}},
		{Name: "tools", Cases: []suite.Case{
			{ID: "tools/served", Needs: lists, Proves: tools, Lane: suite.Fresh},
			{ID: "tools/lists", Proves: lists, Lane: suite.Fresh},
			{ID: "tools/call", Needs: tools},
			{ID: "tools/another", Needs: tools},
			{ID: "tools/ends", Needs: tools, Lane: suite.Fresh},
			{ID: "tools/watched", Watch: watch},
			{ID: "tools/older", Revisions: []requirements.Revision{requirements.R20241105}},
			{ID: "tools/waits", Lane: suite.Waits},
		}},
		{Name: "schema", Cases: []suite.Case{{ID: "schema/messages-valid", Watch: watch}}},
	}
	rest := suite.Suite{Name: "rest"}
	for i := range 20 {
		rest.Cases = append(rest.Cases, suite.Case{ID: fmt.Sprintf("rest/%d", i), Lane: suite.Fresh})
	}
	all = append(all, rest)
	for i := range all {
		for j := range all[i].Cases {
			all[i].Cases[j].Checks = []requirements.ID{"ping-empty-result"}
		}
	}
	return all
}

// chosen lists the cases near a subject, without the sample and the watchers,
// which are the same for all subjects.
func chosen(t *testing.T, s Subject, talk bool) []string {
	t.Helper()
	all := someSuites()
	catalogue, err := suites.Catalogue(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := near(s, here, all, catalogue, 1, talk)
	drawn := 0
	var ids []string
	for _, of := range all {
		for _, c := range of.Cases {
			switch {
			case c.Watch != nil:
				if !got[c.ID] {
					t.Errorf("%s does not watch", c.ID)
				}
			case got[c.ID] && of.Name == "rest":
				drawn++
			case got[c.ID]:
				ids = append(ids, c.ID)
			}
		}
	}
	if drawn > sample {
		t.Errorf("%d are drawn", drawn)
	}
	return ids
}

func TestNear(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		subject Subject
		talk    bool
		want    []string // must be chosen
		not     []string // must not be chosen
	}{
		"what it names, and the ground of that": {Subject{Name: "s", Kills: []string{"tools/ends"}, May: []string{"open/waits"}}, true,
			[]string{"open/answered", "open/waits", "tools/served", "tools/lists", "tools/ends"}, []string{"tools/waits", "tools/older"}},
		"the page of a watcher, which makes the server talk": {Subject{Name: "s", Kills: []string{"tools/watched"}}, false,
			[]string{"tools/call", "tools/another", "tools/ends"}, []string{"tools/waits", "tools/older", "open/waits"}},
		"no other pages, unless more talk is wanted": {Subject{Name: "s", Kills: []string{"schema/messages-valid"}}, false,
			[]string{"open/answered"}, []string{"tools/call", "tools/another"}},
		"the first case of each need for what only watches": {Subject{Name: "s", Kills: []string{"schema/messages-valid"}}, true,
			[]string{"open/answered", "tools/call"}, []string{"tools/waits", "tools/older"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := chosen(t, row.subject, row.talk)
			for _, id := range row.want {
				if !slices.Contains(got, id) {
					t.Errorf("%s is not among %v", id, got)
				}
			}
			for _, id := range row.not {
				if slices.Contains(got, id) {
					t.Errorf("%s is among %v", id, got)
				}
			}
		})
	}
}

// The sample depends on the seed and the subject, not on the order of cases,
// and a new case changes at most one of it.
func TestDraw(t *testing.T) {
	t.Parallel()
	var cases []*suite.Case
	for i := range 100 {
		cases = append(cases, &suite.Case{ID: fmt.Sprintf("rest/%d", i)})
	}
	drawn := func(from []*suite.Case, subject string, seed uint64, unfit ...string) []string {
		var got []string
		for _, c := range draw(from, subject, seed, func(c *suite.Case) bool { return !slices.Contains(unfit, c.ID) }) {
			got = append(got, c.ID)
		}
		slices.Sort(got)
		return got
	}
	first := drawn(cases, "a", 1)
	if len(first) != sample {
		t.Errorf("%d were drawn", len(first))
	}
	turned := slices.Clone(cases)
	slices.Reverse(turned)
	if diff := cmp.Diff(first, drawn(turned, "a", 1)); diff != "" {
		t.Error("in another order:", diff)
	}
	if slices.Equal(first, drawn(cases, "b", 1)) || slices.Equal(first, drawn(cases, "a", 2)) {
		t.Error("another subject or another seed draws the same")
	}
	for name, changed := range map[string][]string{
		"with one more": drawn(append(slices.Clone(cases), &suite.Case{ID: "rest/more"}), "a", 1),
		"with one less": drawn(cases, "a", 1, first[0]),
	} {
		kept := 0
		for _, id := range changed {
			if slices.Contains(first, id) {
				kept++
			}
		}
		if kept < sample-1 || len(changed) != sample {
			t.Errorf("%s: of %v only %d are drawn again: %v", name, first, kept, changed)
		}
	}
	if slices.Contains(drawn(cases, "a", 1, first[0]), first[0]) {
		t.Error("a case that does not fit is drawn")
	}
}

// Each case that checks the broken rule notices a subject that names no cases.
func TestMust(t *testing.T) {
	t.Parallel()
	all := someSuites()
	all[1].Cases[2].Checks = []requirements.ID{"ping-prompt", "jsonrpc-single-response"}
	s := Subject{Breaks: "jsonrpc-single-response"}
	if diff := cmp.Diff([]string{"tools/call"}, s.Must(all)); diff != "" {
		t.Error(diff)
	}
	var row Row
	row.compare(nil, trial{Subject: s, common: &common{}}, Options{Suites: all})
	if diff := cmp.Diff([]string{"tools/call"}, row.Silent); diff != "" {
		t.Error(diff)
	}
	if left := Unkilled([]Subject{s}, all[1:2], nil); len(left) != 7 || slices.Contains(left, "tools/call") {
		t.Errorf("nothing kills %v", left)
	}
	s.Kills = []string{"tools/another"}
	if diff := cmp.Diff([]string{"tools/another"}, s.Must(all)); diff != "" {
		t.Error(diff)
	}
}
