package reports_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestEnums(t *testing.T) {
	for _, s := range reports.Statuses() {
		if !s.Known() {
			t.Errorf("status %s is not known", s)
		}
	}
	for _, k := range reports.ReasonKinds() {
		if !k.Known() {
			t.Errorf("reason %s is not known", k)
		}
	}
	for _, s := range reports.VerdictStatuses() {
		if !s.Known() {
			t.Errorf("verdict %s is not known", s)
		}
	}
	if reports.Status("").Known() || reports.ReasonKind("x").Known() || reports.VerdictStatus("PASS").Known() {
		t.Error("a value outside of its list is known")
	}
}

func TestCounts(t *testing.T) {
	var c reports.Counts
	for i, s := range reports.Statuses() {
		for range i + 1 {
			c.Add(reports.Finding{Status: s})
		}
	}
	want := reports.Counts{Pass: 1, Fail: 2, Warn: 3, Skip: 4, Error: 5}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for i, s := range reports.Statuses() {
		if c.Of(s) != i+1 {
			t.Errorf("%d of %s, want %d", c.Of(s), s, i+1)
		}
	}
	if c.Total() != 15 || c.Judged() != 6 || c.Plus(c).Total() != 30 {
		t.Errorf("total %d, judged %d, twice %d", c.Total(), c.Judged(), c.Plus(c).Total())
	}
}

func TestTotalIsTally(t *testing.T) {
	for _, s := range samples.All() {
		if diff := cmp.Diff(reports.Tally(s.Report.Findings), s.Report.Verdict.Total()); diff != "" {
			t.Errorf("%s: columns and findings disagree:\n%s", s.Name, diff)
		}
	}
}

func TestExit(t *testing.T) {
	verdict := func(s reports.VerdictStatus, c reports.Counts) reports.Verdict {
		return reports.Verdict{Status: s, Columns: []reports.Column{{Counts: c}, {Counts: reports.Counts{Pass: 1}}}}
	}
	for _, row := range []struct {
		name         string
		verdict      reports.Verdict
		want, strict int
	}{
		{"pass", verdict(reports.Passed, reports.Counts{Pass: 1}), 0, 0},
		{"partial", verdict(reports.Partial, reports.Counts{Skip: 1}), 0, 0},
		{"warn", verdict(reports.Passed, reports.Counts{Warn: 1}), 0, 1},
		{"fail", verdict(reports.Failed, reports.Counts{Fail: 1}), 1, 1},
		{"fail and error", verdict(reports.Failed, reports.Counts{Fail: 1, Error: 1}), 1, 1},
		{"fail, then cut short", verdict(reports.Unjudged, reports.Counts{Fail: 1}), 1, 1},
		{"error", verdict(reports.Passed, reports.Counts{Pass: 1, Error: 1}), 3, 3},
		{"unjudged", reports.Verdict{Status: reports.Unjudged}, 3, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			exit := func(strict bool) int {
				return reports.Settle(reports.Report{Verdict: row.verdict}, reports.Policy{Strict: strict}).Verdict.ExitCode
			}
			if got := exit(false); got != row.want {
				t.Errorf("exit %d, want %d", got, row.want)
			}
			if got := exit(true); got != row.strict {
				t.Errorf("strict exit %d, want %d", got, row.strict)
			}
		})
	}
}

func TestFindingCounts(t *testing.T) {
	for _, s := range reports.Statuses() {
		f := reports.Finding{Status: s}
		if f.Counts() != (s == reports.Fail) {
			t.Errorf("%s counts: %t", s, f.Counts())
		}
		if f.CountsIn(true) != (s == reports.Fail || s == reports.Warn) || f.CountsIn(false) != f.Counts() {
			t.Errorf("%s counts in a strict run: %t", s, f.CountsIn(true))
		}
	}
}

func TestGroups(t *testing.T) {
	finding := func(id, problem string, revision requirements.Revision, transport requirements.Transport) reports.Finding {
		return reports.Finding{Case: id, Problem: problem, Revision: revision, Transport: transport, Status: reports.Fail}
	}
	r := reports.Report{Findings: []reports.Finding{
		finding("a/a", "one", "2025-11-25", "stdio"),
		finding("a/b", "one", "2025-11-25", "stdio"),
		finding("a/a", "one", "2025-11-25", "http"),
		finding("a/a", "two", "2025-06-18", "stdio"),
		{Case: "a/a", Problem: "one", Status: reports.Warn},
	}}
	var got [][]string
	for _, g := range r.Groups(reports.Fail) {
		line := []string{g.Finding.Case, g.Finding.Problem}
		for _, p := range g.Places {
			line = append(line, p.String())
		}
		got = append(got, line)
	}
	want := [][]string{
		{"a/a", "one", "2025-11-25 over stdio", "2025-11-25 over http"},
		{"a/b", "one", "2025-11-25 over stdio"},
		{"a/a", "two", "2025-06-18 over stdio"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestGapsAndOmissions(t *testing.T) {
	r := samples.EveryStatus()
	seen := map[reports.ReasonKind]int{}
	for _, g := range r.Gaps() {
		if !g.Kind.Applies() {
			t.Errorf("%s does not apply and is no gap", g.Kind)
		}
		seen[g.Kind] += len(g.Cases)
	}
	for _, o := range r.Omissions() {
		if o.Kind.Applies() {
			t.Errorf("%s applies and is no omission", o.Kind)
		}
		seen[o.Kind] += o.Findings
	}
	for _, k := range reports.ReasonKinds() {
		if seen[k] == 0 {
			t.Errorf("%s is told nowhere", k)
		}
	}
	widest := r.Gaps()[0]
	if widest.Role != "roles.state-change.observe" || len(widest.Cases) != 19 {
		t.Errorf("got %s with %d cases first, want the key that enables 19, each counted once", widest.Role, len(widest.Cases))
	}
}

func TestBlocks(t *testing.T) {
	r := blocks()
	var got [][]string
	for _, b := range r.Blocks(reports.Fail) {
		line := []string{b.Finding.Case}
		for _, p := range b.Places {
			line = append(line, p.String())
		}
		for _, g := range b.Also {
			line = append(line, "also "+g.Finding.Case+": "+g.Finding.Problem)
			for _, p := range g.Places {
				line = append(line, p.String())
			}
		}
		got = append(got, line)
	}
	want := [][]string{
		{"a/one", "2025-11-25 over stdio", "2025-06-18 over stdio",
			"also a/two: the id 4 is lost", "2025-11-25 over stdio",
			"also a/one: another problem", "2025-03-26 over stdio"},
		{"a/dies", "2025-11-25 over stdio"},
		{"a/silent", "2025-11-25 over stdio"},
		{"b/should", "2025-11-25 over stdio"},
		{"a/both", "2025-11-25 over stdio"},
		{"c/none", "2025-11-25 over stdio"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if errs := r.Blocks(reports.Error); len(errs) != 1 || len(errs[0].Also) != 1 {
		t.Errorf("got %d blocks of errors, want one for one problem", len(errs))
	}
}

// What the author can mend comes before what an SDK writes, in each status. A block with one finding of their own is theirs.
func TestBlocksOfSDKsComeLast(t *testing.T) {
	t.Parallel()
	finding := func(id, sdk string, rule requirements.ID) reports.Finding {
		return reports.Finding{Case: id, Problem: id, SDK: sdk, Status: reports.Warn, Requirements: []requirements.ID{rule}, Rule: string(rule)}
	}
	r := reports.Report{Findings: []reports.Finding{
		finding("a/sdk", "an SDK", "x"), finding("b/both", "an SDK", "y"), finding("b/own", "", "y"), finding("c/own", "", "z"),
		finding("d/sdk", "an SDK", "w"),
	}}
	var got []string
	for _, b := range r.Blocks(reports.Warn) {
		got = append(got, b.Finding.Case)
	}
	if diff := cmp.Diff([]string{"b/both", "c/own", "a/sdk", "d/sdk"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// blocks is a report with findings of one block and others.
func blocks() reports.Report {
	finding := func(id, problem string, revision requirements.Revision, rules ...requirements.ID) reports.Finding {
		return reports.Finding{
			Case: id, Problem: problem, Revision: revision, Transport: "stdio", Status: reports.Fail, Level: requirements.Must,
			Requirements: rules, Rule: "Rule x.", Frames: []reports.Frame{{Dir: "sent"}, {Dir: "received", Kind: "message"}},
		}
	}
	dies, silent := finding("a/dies", "one", "2025-11-25", "x"), finding("a/silent", "one", "2025-11-25", "x")
	dies.Frames[1].Kind = reports.EndFrame
	silent.Frames = silent.Frames[:1]
	should, none := finding("b/should", "one", "2025-11-25", "x"), finding("c/none", "one", "2025-11-25")
	both := finding("a/both", "one", "2025-11-25", "x", "y")
	should.Level, both.Rule = requirements.Should, "Rule y."
	broken := finding("a/one", "the case panicked", "2025-11-25", "x")
	other := finding("b/other", "the case panicked", "2025-11-25", "y")
	broken.Status, other.Status = reports.Error, reports.Error
	warned := finding("a/one", "the id 1 is lost", "2024-11-05", "x")
	warned.Status = reports.Warn
	return reports.Report{
		Rules: []reports.Rule{{ID: "x", Text: "Rule x."}, {ID: "y", Text: "Rule y."}},
		Findings: []reports.Finding{
			finding("a/one", "the id 1 is lost", "2025-11-25", "x"), dies, silent,
			finding("a/two", "the id 4 is lost", "2025-11-25", "z", "x"), should, both,
			finding("a/one", `the id "seven" is lost`, "2025-06-18", "x"), warned,
			finding("a/one", "another problem", "2025-03-26", "x"), none, broken, other,
		},
	}
}

// A config key is worth naming if it removes a cause of the partial verdict.
func TestEnabling(t *testing.T) {
	skip := func(id string, level requirements.Level, kind reports.ReasonKind, role string) reports.Finding {
		return reports.Finding{Case: id, Status: reports.Skip, Level: level, Reason: &reports.Reason{Kind: kind, Role: role, Text: "why"}}
	}
	should := []reports.Finding{
		skip("a/1", requirements.Should, reports.NoRole, "roles.wide"), skip("a/2", requirements.Should, reports.NoRole, "roles.wide"),
	}
	for want, further := range map[string][]reports.Finding{
		"roles.wide": nil,
		"roles.must": {skip("b/1", requirements.Must, reports.NoRole, "roles.must")},
		"":           {skip("c/1", requirements.Must, reports.Undecided, "")},
	} {
		r := reports.Report{Findings: append(further, should...)}
		if got := r.Enabling().Role; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
