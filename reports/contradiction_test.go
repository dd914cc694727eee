package reports_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// What a run or a merge makes of any findings is believed by those who read it.
func TestSettledIsNoContradiction(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		a, b := settled(random), settled(random)
		merged, _, err := reports.Merge([]reports.Part{{Name: "a", Report: a}, {Name: "b", Report: b}})
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]reports.Report{"settled": a, "merged": merged} {
			if wrong := reports.Contradiction(r); wrong != "" {
				t.Fatalf("seed %d, %s: %s", seed, name, wrong)
			}
		}
	}
}

// settled is a report with findings, a baseline and a policy by chance.
func settled(random *rand.Rand) reports.Report {
	some := func(one int) bool { return random.IntN(one) == 0 }
	r := reports.Report{
		Target: reports.Target{Name: "server", Revisions: []requirements.Revision{"2025-11-25", "2025-06-18"},
			Extensions: []reports.Extension{{Name: "extra", Claim: "explicit"}}},
		Suites: []reports.Suite{{Name: "ping", Grade: "Core"}, {Name: "tools", Grade: "Extended"}, {Name: "ext", Extension: "extra"}},
	}
	statuses, kinds := reports.Statuses(), reports.ReasonKinds()
	var scopes []reports.Scope
	for _, at := range []reports.Place{{Revision: "2025-11-25", Transport: "stdio"}, {Revision: "2025-06-18", Transport: "http"}} {
		scope := reports.Scope{Place: at, Cases: 6}
		if some(4) {
			scope.WhyUngraded = "only a selection of the cases was run"
		}
		scopes = append(scopes, scope)
		for i := range random.IntN(7) {
			f := reports.Finding{
				Case: fmt.Sprintf("%s/%d", r.Suites[i%3].Name, i), Suite: r.Suites[i%3].Name, Revision: at.Revision, Transport: at.Transport,
				Status: statuses[random.IntN(len(statuses))], Level: requirements.Levels()[random.IntN(2)],
			}
			if f.Status == reports.Skip {
				f.Reason = &reports.Reason{Kind: kinds[random.IntN(len(kinds))]}
			}
			r.Findings = append(r.Findings, f)
		}
	}
	r.Verdict.Columns = reports.Sum(r.Findings, scopes, r.Suites)
	r.Suites = reports.CountBySuite(r.Findings, r.Suites)
	r.Verdict.Extensions = reports.SumExtensions(r)
	p := reports.Policy{Strict: some(2), FailOnPartial: some(3), Whole: some(2), StrictBaseline: some(3), Interrupted: some(6)}
	if some(3) {
		p.Limit = time.Minute
	}
	for i := range 6 {
		if some(3) {
			id := fmt.Sprintf("%s/%d", r.Suites[i%3].Name, i)
			p.Baseline.Entries = append(p.Baseline.Entries, reports.KnownFailure{Case: id, Reason: "known", At: "f:1"})
			p.Baseline.Cases = append(p.Baseline.Cases, id)
		}
	}
	return reports.Settle(r, p)
}
