package selftest

import (
	"cmp"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Row is the result of one subject in one column.
type Row struct {
	Subject string
	Area    string
	Breaks  requirements.ID
	Column  requirements.Column
	Spoke   []string      // cases that failed or warned
	Silent  []string      // cases that had to fail or warn and did not
	Astray  []string      // cases that failed or warned and must not
	Trouble string        // why the kit could not judge the subject at all
	Took    time.Duration // including the time of parallel trials
}

// Holds reports whether exactly the right cases noticed the subject.
func (r Row) Holds() bool { return len(r.Silent) == 0 && len(r.Astray) == 0 && r.Trouble == "" }

// A Table is the result of all subjects.
type Table struct {
	Rows     []Row
	Unkilled []string // cases that no subject in the table has to make fail or warn
}

// Holds reports whether every row holds and every case has a subject.
func (t Table) Holds() bool {
	return len(t.Unkilled) == 0 && !slices.ContainsFunc(t.Rows, func(r Row) bool { return !r.Holds() })
}

// Slowest returns the rows that took longest, at most n of them.
func (t Table) Slowest(n int) []Row {
	rows := slices.Clone(t.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(b.Took, a.Took) })
	return rows[:min(n, len(rows))]
}

// A Sum is the time of all trials of one area.
type Sum struct {
	Area   string
	Trials int
	Took   time.Duration
}

// Areas adds up the rows by area, in the order of their first rows.
func (t Table) Areas() []Sum {
	var sums []Sum
	for _, r := range t.Rows {
		i := slices.IndexFunc(sums, func(s Sum) bool { return s.Area == r.Area })
		if i < 0 {
			i, sums = len(sums), append(sums, Sum{Area: r.Area})
		}
		sums[i].Trials++
		sums[i].Took += r.Took
	}
	return sums
}

func (r *Row) compare(findings []reports.Finding, t trial, o Options) {
	must := t.Must(o.Suites)
	judged := map[string]bool{}
	for _, f := range findings {
		judged[f.Case] = true
		switch f.Status {
		case reports.Fail, reports.Warn:
			r.Spoke = append(r.Spoke, f.Case)
			if !slices.Contains(must, f.Case) && !slices.Contains(t.May, f.Case) {
				r.Astray = append(r.Astray, f.Case)
			}
		case reports.Error:
			r.Trouble += f.Case + " ended in an error: " + f.Problem + "\n"
		case reports.Pass, reports.Skip:
		}
	}
	// A case that does not exist in this column, or is idle there, need not notice
	// anything, but one of the cases has to exist in a column that was chosen for the subject.
	chosen := (len(t.In) > 0 || !o.Everywhere) && !slices.ContainsFunc(must, func(id string) bool { return judged[id] })
	for _, id := range must {
		if (chosen || judged[id] && !t.common.idle.of(t, id)) && !slices.Contains(r.Spoke, id) {
			r.Silent = append(r.Silent, id)
		}
	}
}

// Unkilled lists the selected cases that no subject has to make fail or warn. A
// subject without Kills has to be noticed by each case that checks the rule it breaks.
func Unkilled(subjects []Subject, of []suite.Suite, selected func(suite.Suite, suite.Case) bool) []string {
	killed := map[string]bool{}
	for _, s := range subjects {
		for _, id := range s.Must(of) {
			killed[id] = true
		}
	}
	var alive []string
	for _, s := range of {
		for _, c := range s.Cases {
			if !killed[c.ID] && (selected == nil || selected(s, c)) {
				alive = append(alive, c.ID)
			}
		}
	}
	return alive
}
