package suites_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// The merged parts of a run are the report of the whole: each finding in its place,
// counts, grades and verdict. With these faults three cases fail: one that runs in one
// part, one that blocks cases of all parts, and a watcher that runs in each.
func TestShardsMerged(t *testing.T) {
	t.Parallel()
	near := []string{"lifecycle", "jsonrpc", "schema", "pagination", "tools"} // areas whose cases the faults can make fail, or block
	for _, name := range []string{"", "tools-structured-missing", "tools-calls-as-page", "tools-result-without-content"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := suites.Plan{Config: proof.Config(t)}
			plan.Config.Transport, plan.Config.Revisions = config.HTTP, config.Revisions{Dates: []string{"2025-11-25"}}
			// Cases that let time pass may be undecided on a busy machine.
			plan.Selected = func(s suite.Suite, c suite.Case) bool {
				return lawful.Prompt(s, c) && (s.Extension.Name == "" && (name == "" || slices.Contains(near, s.Name)) || s.Extension.Name == "manifest")
			}
			judged := func(part suites.Shard) reports.Report {
				p := plan
				p.Shard = part
				options := server.Options{}
				if f, known := faults.Find(name); known {
					options.Fault = &f
				}
				shared, err := server.New(options)
				if err != nil {
					t.Fatal(err)
				}
				p.Local = &suites.Local{Path: "/mcp", Handler: shared.Handler()}
				return proof.Judged(t, p)
			}
			whole := judged(suites.Shard{})
			var parts []reports.Part
			own := map[string]int{}
			for _, i := range []int{2, 3, 1} { // in any order
				r := judged(suites.Shard{Index: i, Of: 3})
				for _, f := range r.Findings {
					own[f.Case]++
				}
				if r.Verdict.Columns[0].Grade != "" {
					t.Errorf("part %d has the grade %q", i, r.Verdict.Columns[0].Grade)
				}
				parts = append(parts, reports.Part{Name: fmt.Sprint(i), Report: r})
			}
			for _, part := range parts { // cases of one part only: a third of them, more or less
				alone := 0
				for _, f := range part.Report.Findings {
					alone += own[f.Case] % 3
				}
				if all := len(whole.Findings) - shared(own); alone < all/4 || alone > all*2/5 {
					t.Errorf("part %s has %d of the %d cases that run in one part", part.Name, alone, all)
				}
			}
			merged, conflicts, err := reports.Merge(parts)
			if err != nil || len(conflicts) > 0 {
				t.Fatalf("%v, conflicts %q", err, conflicts)
			}
			if diff := cmp.Diff(plain(whole), plain(merged), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("whole and merged differ (-whole +merged):\n%s", diff)
			}
			if name != "" && whole.Verdict.Status != reports.Failed {
				t.Errorf("the verdict is %s, want a failure", whole.Verdict.Status)
			}
			for id, n := range own {
				if n != 1 && n != 3 {
					t.Errorf("%s is in %d of 3 parts", id, n)
				}
			}
		})
	}
}

// shared is how many cases run in each of three parts.
func shared(own map[string]int) int {
	n := 0
	for _, times := range own {
		n += times / 3
	}
	return n
}

var ids = regexp.MustCompile(`\bid [0-9]+`)

// plain is a report without the parts that differ between any two runs, and
// without the place at which a watcher first saw a rule broken.
func plain(r reports.Report) reports.Report {
	r.Run = reports.Run{Shard: r.Run.Shard}
	all := make([]reports.Finding, len(r.Findings))
	for i, f := range r.Findings {
		f.DurationMs, f.Frames, f.Stderr, f.Notes = 0, nil, "", nil
		f.Problem = ids.ReplaceAllString(f.Problem, "id")
		if f.Count > 0 {
			f.Count, f.Problem, f.Again = 0, "", ""
		}
		all[i] = f
	}
	r.Findings = all
	return r
}
