package judge

import (
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// shardSelection narrows the selection to the cases of the part. Each part also has the
// cases that others depend on, which a whole run judges once, and the watchers,
// which judge the traffic of the part's own cases. Cases that share a trial are in one part:
// they would try it once in each, and leave complaints to one another.
func shardSelection(s plan.Shard, all []suite.Suite, selected func(suite.Suite, suite.Case) bool) func(suite.Suite, suite.Case) bool {
	if s.Of == 0 {
		return selected
	}
	has, trials, n := map[string]bool{}, map[string]int{}, 0
	for _, each := range all {
		for _, c := range each.Cases {
			switch {
			case selected != nil && !selected(each, c):
			case c.Watch != nil || len(c.Proves) > 0:
				has[c.ID] = true
			case c.Trial != "" && trials[c.Trial] > 0:
				has[c.ID] = s.Has(trials[c.Trial])
			default:
				n++
				has[c.ID] = s.Has(n)
				trials[c.Trial] = n
			}
		}
	}
	return func(_ suite.Suite, c suite.Case) bool { return has[c.ID] }
}

// mark writes into the report of a part its number, and the places of its
// findings in the whole.
func mark(s plan.Shard, r *reports.Report, all []suite.Suite, whole bool) {
	if s.Of == 0 {
		return
	}
	r.Run.Shard = s.String()
	position, n := map[string]int{}, 0
	for _, each := range all {
		for _, c := range each.Cases {
			n++
			position[c.ID] = n
		}
	}
	for i := range r.Findings {
		r.Findings[i].Position = position[r.Findings[i].Case]
	}
	for i := range r.Verdict.Columns {
		if c := &r.Verdict.Columns[i]; whole && c.Basis != nil && c.Basis.WhyUngraded != "" {
			c.Basis.WhyUngraded = reports.OnlyPart + " " + s.String() + " of the cases was run; mcp-conform merge joins the parts"
			c.WhyNotNext = c.Basis.WhyUngraded
		}
	}
}
