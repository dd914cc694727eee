package fleet_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/fleet"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	schemas "github.com/mcp-conform/mcp-conform/schemas/report"
)

func TestRow(t *testing.T) {
	t.Parallel()
	r := samples.EveryStatus()
	row := fleet.RowOf("tides", r)
	if row.Status != reports.Failed || row.ExitCode != reports.ExitFailed || row.Server != "tidewater 2.1.0" || row.Given != "node dist/index.js" {
		t.Errorf("got %+v", row)
	}
	if diff := cmp.Diff(r.Verdict.Total(), row.Counts); diff != "" {
		t.Error(diff)
	}
	if len(row.Columns) != len(r.Verdict.Columns) {
		t.Errorf("%d columns, want %d", len(row.Columns), len(r.Verdict.Columns))
	}
	lead, want := r.Leads(), map[string]bool{}
	for _, f := range r.Findings {
		if f.Status == reports.Fail {
			want[string(lead(f))] = true
		}
	}
	for _, b := range row.Broken {
		if !want[string(b.Rule)] || b.Case == "" || b.Title == "" {
			t.Errorf("%+v is not broken, or named twice", b)
		}
		delete(want, string(b.Rule))
	}
	if len(want) > 0 {
		t.Errorf("not named: %v", want)
	}
	r.Run.Strict = true
	if strict := fleet.RowOf("tides", r); len(strict.Broken) <= len(row.Broken) {
		t.Error("a strict run names no warning")
	}
}

// The grade of a server is the lowest of its columns.
func TestLowestGrade(t *testing.T) {
	t.Parallel()
	r := samples.Pass()
	r.Verdict.Columns = []reports.Column{{Grade: "Full"}, {Grade: "Core (partial)"}, {Grade: "Extended"}}
	if got := fleet.RowOf("a", r).Grade; got != "Core (partial)" {
		t.Errorf("got %q", got)
	}
}

func row(position int, status reports.VerdictStatus, code int) fleet.Row {
	r := fleet.Lost(strings.Repeat("x", position), code, "")
	r.Position, r.Status = position, status
	return r
}

func TestSettled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rows        []fleet.Row
		interrupted bool
		status      reports.VerdictStatus
		code        int
	}{
		{nil, false, reports.Passed, 0},
		{[]fleet.Row{row(1, reports.Passed, 0), row(2, reports.Partial, 0)}, false, reports.Partial, 0},
		{[]fleet.Row{row(1, reports.Unjudged, 3), row(2, reports.Partial, 0)}, false, reports.Unjudged, 3},
		{[]fleet.Row{row(1, reports.Unjudged, 3), row(2, reports.Unjudged, 2)}, false, reports.Unjudged, 2},
		{[]fleet.Row{row(1, reports.Failed, 1), row(2, reports.Unjudged, 2)}, false, reports.Failed, 1},
		{[]fleet.Row{row(1, reports.Failed, 1), row(2, reports.Stopped, 130)}, true, reports.Stopped, 130},
	} {
		x := fleet.Index{Servers: test.rows}.Settled(test.interrupted)
		if x.Verdict.Status != test.status || x.Verdict.ExitCode != test.code {
			t.Errorf("got %s %d, want %s %d", x.Verdict.Status, x.Verdict.ExitCode, test.status, test.code)
		}
		sum := 0
		for _, s := range fleet.Statuses() {
			sum += x.Verdict.Counts.Of(s)
		}
		if sum != len(test.rows) {
			t.Errorf("%d servers are counted, want %d", sum, len(test.rows))
		}
	}
}

func TestTolls(t *testing.T) {
	t.Parallel()
	one, two := row(1, reports.Failed, 1), row(2, reports.Failed, 1)
	one.Broken = []fleet.Broken{{Rule: "a", Case: "s/a"}, {Rule: "b", Case: "s/b"}}
	two.Broken = []fleet.Broken{{Rule: "b", Case: "s/b"}}
	got := fleet.Index{Servers: []fleet.Row{one, two}}.Tolls()
	want := []fleet.Toll{{Broken: fleet.Broken{Rule: "b", Case: "s/b"}, Servers: 2}, {Broken: fleet.Broken{Rule: "a", Case: "s/a"}, Servers: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func part(name, shard string, named int, rows ...fleet.Row) fleet.Part {
	return fleet.Part{Name: name, Index: fleet.Index{
		Format: 1, Plan: "p", File: "f.yaml", Shard: shard, Named: named, Servers: rows, Started: time.Unix(int64(len(name)), 0), DurationMs: 5,
	}.Settled(false)}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	a, b, c := row(1, reports.Passed, 0), row(2, reports.Failed, 1), row(3, reports.Passed, 0)
	joined, err := fleet.Join([]fleet.Part{part("second", "2/2", 3, b), part("first", "1/2", 3, a, c)})
	if err != nil {
		t.Fatal(err)
	}
	whole := part("whole", "", 3, a, b, c).Index
	if joined.DurationMs != 10 || !joined.Started.Equal(time.Unix(5, 0)) {
		t.Errorf("it began at %s and took %d ms", joined.Started, joined.DurationMs)
	}
	joined.Started, joined.DurationMs = whole.Started, whole.DurationMs
	if diff := cmp.Diff(whole, joined); diff != "" {
		t.Errorf("the joined index is not that of the whole fleet: %s", diff)
	}
	other := part("other", "2/2", 3, b)
	other.Index.Plan = "q"
	for want, parts := range map[string][]fleet.Part{
		"there is nothing to join":         nil,
		"are of different fleets":          {part("first", "1/2", 3, a, c), other},
		"first and again both hold x":      {part("first", "1/2", 3, a, c), part("again", "1/2", 3, a, c)},
		"those of shard 2/4, 3/4":          {part("first", "1/4", 4, a), part("last", "4/4", 4, b)},
		"1 of 3 servers is in none of the": {part("first", "1/2", 3, a, c)},
	} {
		if _, err := fleet.Join(parts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// What is said of all servers of a part, and a failure by that alone, is not lost.
func TestJoinKeepsRemarks(t *testing.T) {
	t.Parallel()
	first, second := part("first", "1/2", 2, row(1, reports.Passed, 0)), part("second", "2/2", 2, row(2, reports.Partial, 0))
	first.Index.Verdict = fleet.Verdict{Status: reports.Failed, ExitCode: reports.ExitFailed, Text: "one"}
	second.Index.Verdict.Text = "two"
	joined, err := fleet.Join([]fleet.Part{first, second})
	if v := joined.Verdict; err != nil || v.Text != "one\ntwo" || v.ExitCode != reports.ExitFailed || v.Status != reports.Failed {
		t.Errorf("got %+v, %v", v, err)
	}
}

// The index fits its schema, whatever the servers say, and is the same when it is read.
func TestWrite(t *testing.T) {
	t.Parallel()
	x := fleet.Index{Kit: reports.Kit{Name: "mcp-conform", Version: "1.0.0"}, File: "f.yaml", Plan: strings.Repeat("0a", 12), Shard: "1/2", Named: 20, Started: time.Unix(0, 0).UTC()}
	for i, s := range samples.All() {
		r := fleet.RowOf(s.Name, s.Report)
		r.Position, r.Folder, r.Plan = i+1, "servers/"+s.Name, x.Plan
		x.Servers = append(x.Servers, r)
	}
	lost := fleet.Lost("lost", reports.ExitUsage, "f.yaml:1:1: wrong")
	lost.Position, lost.Folder, lost.Plan = len(x.Servers)+1, "servers/lost", x.Plan
	x.Servers = append(x.Servers, lost)
	x = x.Settled(false)
	for _, each := range []fleet.Index{x, {Plan: x.Plan, Format: fleet.Format}} {
		var out bytes.Buffer
		if err := fleet.Write(&out, each.Settled(false)); err != nil {
			t.Fatal(err)
		}
		golden.Fits(t, schemas.Fleet(), out.Bytes())
		for _, c := range out.String() {
			if c != '\n' && !unicode.IsPrint(c) {
				t.Errorf("%U stands in the file", c)
			}
		}
		var back fleet.Index
		if err := json.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		valid := cmp.Transformer("valid", func(s string) []byte { return []byte(string([]rune(s))) }) // JSON has U+FFFD for each byte that is none
		if diff := cmp.Diff(each.Settled(false), back, cmpopts.EquateEmpty(), valid); diff != "" {
			t.Error(diff)
		}
		golden.FitsNot(t, schemas.Fleet(), bytes.Replace(out.Bytes(), []byte(`"exitCode"`), []byte(`"code"`), 1))
	}
}
