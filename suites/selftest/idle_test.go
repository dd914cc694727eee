package selftest_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A case that judges nothing of the sound server in a column notices nothing there either, and
// where no case can notice a subject it is not tried.
func TestIdle(t *testing.T) {
	t.Parallel()
	o := options()
	o.Everywhere = true
	cases := o.Suites[0].Cases
	seen := says("late")
	cases[1] = suite.Case{ID: "trial/late", Title: "is tried", Fix: "mend it", Checks: cases[0].Checks, Lane: suite.Fresh, Run: func(c *probe.Client) error {
		c.NotSeenIf(c.Revision() == older, "nothing was seen")
		return seen(c)
	}}
	held := func(table selftest.Table) int {
		return len(slices.DeleteFunc(table.Rows, func(r selftest.Row) bool { return !r.Holds() }))
	}
	subject := selftest.Subject{Name: "s", Breaks: "trial-one", Kills: []string{"trial/late"}, Local: broken("late")}
	if n := held(run(t, o, subject)); n != 2 {
		t.Errorf("without a sound server %d of 4 hold", n)
	}
	subject.Sound = broken()
	table := run(t, o, subject)
	if diff := cmp.Diff([]string{"2025-11-25 stdio", "2025-11-25 http"}, where(table)); diff != "" || held(table) != 2 {
		t.Error(table.Rows, diff)
	}
	subject.Kills = []string{"trial/late", "trial/one"}
	subject.Local = broken("late", "one")
	if n := held(run(t, o, subject)); n != 4 {
		t.Errorf("where another case notices it %d of 4 hold", n)
	}
	subject.Local = broken("late")
	for _, r := range run(t, o, subject).Rows {
		if !slices.Equal(r.Silent, []string{"trial/one"}) {
			t.Errorf("where another case does not notice it %+v", r)
		}
	}
}

// A fault may give a case something to judge that is idle otherwise. In the first column it has to.
func TestIdleSpeaks(t *testing.T) {
	t.Parallel()
	o := options()
	o.Everywhere = true
	late := says("late")
	o.Suites[0].Cases[0].Run = func(c *probe.Client) error {
		err := late(c)
		c.NotSeenIf(err == nil, "nothing was seen")
		return err
	}
	subject := selftest.Subject{Name: "s", Breaks: "trial-one", Kills: []string{"trial/one"}, Local: broken("late"), Sound: broken()}
	rows := run(t, o, subject).Rows
	if len(rows) != 4 || slices.ContainsFunc(rows, func(r selftest.Row) bool { return !r.Holds() || len(r.Spoke) == 0 }) {
		t.Errorf("a case that the fault wakes: %+v", rows)
	}
	subject.Local = broken()
	if rows := run(t, o, subject).Rows; len(rows) != 1 || !slices.Equal(rows[0].Silent, []string{"trial/one"}) {
		t.Errorf("a case that nothing wakes: %+v", rows)
	}
}
