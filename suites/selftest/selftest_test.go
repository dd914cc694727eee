package selftest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const (
	newest = requirements.R20251125
	older  = requirements.R20250618
)

// says passes if the server's ping result lacks that member.
func says(name string) func(*probe.Client) error {
	return func(c *probe.Client) error {
		reply := c.Call("ping", nil)
		return reply.Want("/result/"+name, probe.Missing())
	}
}

// trial is a suite of three rules: one at every legacy revision, one up to
// 2025-06-18 and one over HTTP only.
func trial() []suite.Suite {
	rule := func(id requirements.ID, until requirements.Revision, over ...requirements.Transport) requirements.Requirement {
		return requirements.Requirement{ID: id, Area: "trial", Clauses: []requirements.Clause{{
			Since: older, Until: until, Level: requirements.Must, Basis: requirements.Keyword, Page: "trial", Text: "A rule to try.", Transports: over,
		}}}
	}
	s := suite.Suite{
		Name: "trial", Title: "servers are tried",
		Rules: []requirements.Requirement{
			rule("trial-one", newest), rule("trial-two", older), rule("trial-http", newest, requirements.HTTP),
		},
		Cases: []suite.Case{
			{ID: "trial/one", Checks: []requirements.ID{"trial-one"}, Lane: suite.Fresh, Run: says("one")},
			{ID: "trial/two", Checks: []requirements.ID{"trial-two"}, Lane: suite.Fresh, Run: says("two")},
			{ID: "trial/newest", Checks: []requirements.ID{"trial-one"}, Revisions: []requirements.Revision{newest}, Lane: suite.Fresh, Run: says("newest")},
			{ID: "trial/error", Checks: []requirements.ID{"trial-one"}, Lane: suite.Fresh, Run: func(c *probe.Client) error {
				if says("error")(c) != nil {
					return errors.New("our own slip")
				}
				return nil
			}},
			{ID: "trial/http", Checks: []requirements.ID{"trial-http"}, Lane: suite.Fresh, Run: says("http")},
		},
	}
	for i := range s.Cases {
		s.Cases[i].Title, s.Cases[i].Fix = "is tried", "mend it"
	}
	return []suite.Suite{s}
}

// broken is a server whose pings have these members.
func broken(members ...string) *suites.Local {
	answer := map[string]any{}
	for _, name := range members {
		answer[name] = true
	}
	s := &fakeserver.Server{
		Revisions: []string{string(older), string(newest)},
		Answer:    map[string]func(fakeserver.Request) any{"ping": func(fakeserver.Request) any { return answer }},
	}
	return &suites.Local{Serve: s.Serve, Handler: s.Handler(), Path: "/mcp"}
}

func options() selftest.Options {
	return selftest.Options{Suites: trial(), Config: config.Default(), Jobs: 2, Seed: 1, Timeout: 10 * time.Second}
}

func run(t *testing.T, o selftest.Options, subjects ...selftest.Subject) selftest.Table {
	t.Helper()
	table, err := selftest.Run(t.Context(), subjects, o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func column(r requirements.Revision, tr requirements.Transport) requirements.Column {
	return requirements.Column{Revision: r, Transport: tr}
}

// Each row is a broken server, the promise of its subject, and the row of the
// table.
func TestRows(t *testing.T) {
	t.Parallel()
	over, overHTTP := column(newest, requirements.Stdio), column(newest, requirements.HTTP)
	for name, row := range map[string]struct {
		subject selftest.Subject
		want    selftest.Row
		holds   bool
	}{
		"holds": {selftest.Subject{Breaks: "trial-one", Kills: []string{"trial/one"}, Local: broken("one")},
			selftest.Row{Column: over, Spoke: []string{"trial/one"}}, true},
		"holds with company": {selftest.Subject{Breaks: "trial-one", Kills: []string{"trial/one"}, May: []string{"trial/newest"}, Local: broken("one", "newest")},
			selftest.Row{Column: over, Spoke: []string{"trial/one", "trial/newest"}}, true},
		"company may be silent": {selftest.Subject{Breaks: "trial-one", Kills: []string{"trial/one"}, May: []string{"trial/newest"}, Local: broken("one")},
			selftest.Row{Column: over, Spoke: []string{"trial/one"}}, true},
		"silent": {selftest.Subject{Breaks: "trial-one", Kills: []string{"trial/one"}, Local: broken()},
			selftest.Row{Column: over, Silent: []string{"trial/one"}}, false},
		"silent beside another": {selftest.Subject{Breaks: "trial-one", Kills: []string{"trial/one", "trial/newest"}, Local: broken("one")},
			selftest.Row{Column: over, Spoke: []string{"trial/one"}, Silent: []string{"trial/newest"}}, false},
		"astray": {selftest.Subject{Breaks: "trial-one", Kills: []string{"trial/one"}, Local: broken("one", "newest")},
			selftest.Row{Column: over, Spoke: []string{"trial/one", "trial/newest"}, Astray: []string{"trial/newest"}}, false},
		"nothing to kill": {selftest.Subject{Breaks: "trial-one", Kills: []string{"trial/two"}, Local: broken()},
			selftest.Row{Column: over, Silent: []string{"trial/two"}}, false},
		"nothing to kill, but company": {selftest.Subject{Breaks: "trial-one", Kills: []string{"trial/two"}, May: []string{"trial/one"}, Local: broken("one")},
			selftest.Row{Column: over, Spoke: []string{"trial/one"}, Silent: []string{"trial/two"}}, false},
		"an error of ours": {selftest.Subject{Breaks: "trial-one", Kills: []string{"trial/one"}, Local: broken("one", "error")},
			selftest.Row{Column: over, Spoke: []string{"trial/one"}, Trouble: "trial/error ended in an error: our own slip\n"}, false},
		"the newest revision that has the rule": {selftest.Subject{Breaks: "trial-two", Kills: []string{"trial/two"}, Local: broken("two")},
			selftest.Row{Column: column(older, requirements.Stdio), Spoke: []string{"trial/two"}}, true},
		"the transport that has the rule": {selftest.Subject{Breaks: "trial-http", Kills: []string{"trial/http"}, Local: broken("http")},
			selftest.Row{Column: overHTTP, Spoke: []string{"trial/http"}}, true},
		"where it is told to": {selftest.Subject{Breaks: "trial-one", Kills: []string{"trial/one"}, In: []requirements.Column{overHTTP}, Local: broken("one")},
			selftest.Row{Column: overHTTP, Spoke: []string{"trial/one"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.subject.Name, row.want.Subject, row.want.Breaks = name, name, row.subject.Breaks
			table := run(t, options(), row.subject)
			if diff := cmp.Diff([]selftest.Row{row.want}, table.Rows, cmpopts.IgnoreFields(selftest.Row{}, "Took")); diff != "" {
				t.Fatal(diff)
			}
			if table.Rows[0].Holds() != row.holds {
				t.Errorf("it holds: %v", table.Rows[0].Holds())
			}
			if table.Holds() {
				t.Error("the table holds although cases are not killed by anything")
			}
		})
	}
}

// A server that cannot be judged is trouble, not silence.
func TestTrouble(t *testing.T) {
	t.Parallel()
	dead := &suites.Local{Serve: func(context.Context, <-chan struct{}, io.Reader, io.Writer, io.Writer) int { return 7 }}
	for name, row := range map[string]struct {
		subject selftest.Subject
		want    string
	}{
		"it does not start": {selftest.Subject{Breaks: "trial-one", Local: dead}, "exit code 7"},
		"it does not speak the revision": {selftest.Subject{Breaks: "trial-one", Local: broken(), In: []requirements.Column{column(requirements.R20241105, requirements.Stdio)}},
			"the server does not speak 2024-11-05"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.subject.Kills = []string{"trial/one"}
			table := run(t, options(), row.subject)
			if len(table.Rows) != 1 || !strings.Contains(table.Rows[0].Trouble, row.want) || table.Rows[0].Holds() || table.Rows[0].Silent != nil {
				t.Errorf("got %+v, want trouble with %s", table.Rows, row.want)
			}
		})
	}
}

// Everywhere means every column in which the rule holds; a case need not notice
// anything in a column without it.
func TestEverywhere(t *testing.T) {
	t.Parallel()
	o := options()
	o.Everywhere = true
	told := 0
	o.Progress = func(selftest.Row, int) { told++ }
	table := run(t, o, selftest.Subject{Name: "s", Breaks: "trial-one", Kills: []string{"trial/newest"}, Local: broken("newest")})
	want := []string{"2025-11-25 stdio", "2025-11-25 http", "2025-06-18 stdio", "2025-06-18 http"}
	if diff := cmp.Diff(want, where(table)); diff != "" || told != len(want) {
		t.Error(told, diff)
	}
	for _, r := range table.Rows {
		if !r.Holds() {
			t.Errorf("%+v does not hold", r)
		}
	}
	table = run(t, o, selftest.Subject{Name: "s", Breaks: "trial-one", Kills: []string{"trial/one"}, Local: broken("one"), In: []requirements.Column{column(newest, requirements.HTTP)}})
	if diff := cmp.Diff([]string{"2025-11-25 http"}, where(table)); diff != "" {
		t.Error("a subject with a place of its own:", diff)
	}
	table = run(t, o, selftest.Subject{Name: "s", Breaks: "trial-one", Kills: []string{"trial/newest"}, Local: broken("newest"), Since: newest})
	if diff := cmp.Diff([]string{"2025-11-25 stdio", "2025-11-25 http"}, where(table)); diff != "" {
		t.Error("a subject that begins at a revision:", diff)
	}
	table = run(t, o, selftest.Subject{Name: "s", Breaks: "trial-two", Kills: []string{"trial/two"}, Local: broken("two"), In: []requirements.Column{column(newest, requirements.HTTP)}})
	if table.Rows[0].Holds() {
		t.Error("a subject holds where it was sent to and has nothing to kill")
	}
}

func where(t selftest.Table) []string {
	var columns []string
	for _, r := range t.Rows {
		columns = append(columns, string(r.Column.Revision)+" "+string(r.Column.Transport))
	}
	return columns
}

// Rows are in the order of the subjects, however many are judged at once. Cases
// that let time pass judge only subjects that name them, except with Full.
func TestManySubjects(t *testing.T) {
	t.Parallel()
	o := options()
	for i := range o.Suites[0].Cases {
		o.Suites[0].Cases[i].Lane = suite.Waits
	}
	o.Parallel = 3
	var subjects []selftest.Subject
	var want []string
	for i := range 7 {
		s := selftest.Subject{Name: fmt.Sprint(i), Breaks: "trial-one", Kills: []string{"trial/one"}, Local: broken("one", "newest")}
		subjects, want = append(subjects, s), append(want, s.Name)
	}
	var got []string
	for _, r := range run(t, o, subjects...).Rows {
		got = append(got, r.Subject)
		if !r.Holds() {
			t.Errorf("%+v does not hold", r)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	o.Full = true
	if r := run(t, o, subjects[0]).Rows[0]; !slices.Contains(r.Astray, "trial/newest") {
		t.Errorf("a full trial has %+v", r)
	}
}

// The shards of a run hold each trial once.
func TestShards(t *testing.T) {
	t.Parallel()
	o := options()
	o.Everywhere = true
	var subjects []selftest.Subject
	for _, name := range []string{"a", "b", "c"} {
		subjects = append(subjects, selftest.Subject{Name: name, Breaks: "trial-one", Kills: []string{"trial/one"}, Local: broken("one")})
	}
	names := func(rows []selftest.Row) (all []string) {
		for _, r := range rows {
			all = append(all, fmt.Sprint(r.Subject, r.Column))
		}
		slices.Sort(all)
		return all
	}
	whole := names(run(t, o, subjects...).Rows)
	var parts []selftest.Row
	for i := 1; i <= 5; i++ {
		o.Shard = plan.Shard{Index: i, Of: 5}
		table := run(t, o, subjects...)
		if n := len(table.Rows); n < 2 || n > 3 {
			t.Errorf("shard %d of 5 has %d of 12 trials", i, n)
		}
		parts = append(parts, table.Rows...)
	}
	if diff := cmp.Diff(whole, names(parts)); diff != "" {
		t.Error(diff)
	}
}

// A subject that hangs is tried with short waits first, and with long ones
// where its row does not hold.
func TestHangs(t *testing.T) {
	t.Parallel()
	s := &fakeserver.Server{
		Revisions: []string{string(newest)},
		Answer: map[string]func(fakeserver.Request) any{"ping": func(fakeserver.Request) any {
			time.Sleep(600 * time.Millisecond) // longer than the first wait for a hanging subject
			return map[string]any{"one": true}
		}},
	}
	subject := selftest.Subject{Name: "s", Breaks: "trial-one", Kills: []string{"trial/one"}, Hangs: true, Local: &suites.Local{Serve: s.Serve}}
	o := options()
	o.Selected = func(_ suite.Suite, c suite.Case) bool { return c.ID == "trial/one" || c.ID == "trial/newest" }
	table := run(t, o, subject)
	if diff := cmp.Diff([]string{"trial/one"}, table.Rows[0].Spoke); diff != "" || !table.Rows[0].Holds() {
		t.Error(table.Rows, diff)
	}
}

// The times of trials are added up by area, and the slowest are known.
func TestDurations(t *testing.T) {
	t.Parallel()
	table := selftest.Table{Rows: []selftest.Row{
		{Subject: "a", Area: "one", Took: time.Second}, {Subject: "b", Area: "two", Took: 3 * time.Second}, {Subject: "c", Area: "one", Took: 2 * time.Second},
	}}
	want := []selftest.Sum{{Area: "one", Trials: 2, Took: 3 * time.Second}, {Area: "two", Trials: 1, Took: 3 * time.Second}}
	if diff := cmp.Diff(want, table.Areas()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]selftest.Row{table.Rows[1], table.Rows[2]}, table.Slowest(2)); diff != "" || len(table.Slowest(9)) != 3 {
		t.Error(diff)
	}
}

// A case without a subject is named, unless it was not selected.
func TestUnkilled(t *testing.T) {
	t.Parallel()
	subject := selftest.Subject{Name: "s", Breaks: "trial-one", Kills: []string{"trial/one"}, May: []string{"trial/two"}, Local: broken("one")}
	table := run(t, options(), subject)
	if diff := cmp.Diff([]string{"trial/two", "trial/newest", "trial/error", "trial/http"}, table.Unkilled); diff != "" {
		t.Error(diff)
	}
	o := options()
	o.Selected = func(_ suite.Suite, c suite.Case) bool { return c.ID == "trial/one" }
	table = run(t, o, subject)
	if diff := cmp.Diff([]string(nil), table.Unkilled, cmpopts.EquateEmpty()); diff != "" || !table.Holds() {
		t.Error(diff, table)
	}
	// Cases that are not selected judge the subjects all the same.
	subject.May, subject.Local = nil, broken("one", "newest")
	for _, o.Full = range []bool{false, true} {
		if diff := cmp.Diff([]string{"trial/newest"}, run(t, o, subject).Rows[0].Astray); diff != "" {
			t.Error(diff)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	if _, err := selftest.Run(t.Context(), []selftest.Subject{{Name: "s", Breaks: "no-such-rule", Local: broken()}}, options()); err == nil || err.Error() != "s breaks no-such-rule, which is not a requirement" {
		t.Errorf("got %v", err)
	}
	if _, err := selftest.Run(t.Context(), []selftest.Subject{{Name: "s", Breaks: "trial-one"}}, options()); err == nil || !strings.HasPrefix(err.Error(), "s: ") {
		t.Errorf("a subject without a server: %v", err)
	}
	if _, err := selftest.Run(t.Context(), []selftest.Subject{{Name: "s", Breaks: "trial-one", Since: "9999-01-01", Local: broken()}}, options()); err == nil || err.Error() != "s begins at 9999-01-01, where trial-one holds no more" {
		t.Errorf("a subject without a column: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	table, err := selftest.Run(ctx, []selftest.Subject{{Name: "s", Breaks: "trial-one", Kills: []string{"trial/one"}, Local: broken()}}, options())
	if !errors.Is(err, context.Canceled) || len(table.Rows) > 0 {
		t.Errorf("a run that was cut short has %v, %v", table.Rows, err)
	}
	twice := trial()
	twice[0].Rules = append(twice[0].Rules, twice[0].Rules[0])
	o := options()
	o.Suites = twice
	if _, err := selftest.Run(t.Context(), nil, o); err == nil {
		t.Error("a rule may be there twice")
	}
}

// Two cases with one name are a mistake of the plan, not a crash of the run.
func TestCasesOfOneName(t *testing.T) {
	t.Parallel()
	o := options()
	o.Suites[0].Cases = append(o.Suites[0].Cases, o.Suites[0].Cases[0])
	_, err := selftest.Run(t.Context(), []selftest.Subject{{Name: "s", Breaks: "trial-one", Local: broken()}}, o)
	if err == nil || !strings.Contains(err.Error(), `case "trial/one": another case has this id`) {
		t.Errorf("got %v", err)
	}
}
