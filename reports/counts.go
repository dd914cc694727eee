package reports

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Of returns the count of one status.
func (c Counts) Of(s Status) int {
	switch s {
	case Pass:
		return c.Pass
	case Fail:
		return c.Fail
	case Warn:
		return c.Warn
	case Skip:
		return c.Skip
	case Error:
		return c.Error
	}
	return 0
}

// Open is the number of cases that apply and were not judged. Known failures were.
func (c Counts) Open() int { return c.Skip - c.Inapplicable - c.Known }

// Add counts one more finding.
func (c *Counts) Add(f Finding) {
	if !f.Applies() {
		c.Inapplicable++
	}
	if f.Known() {
		c.Known++
	}
	switch f.Status {
	case Pass:
		c.Pass++
	case Fail:
		c.Fail++
	case Warn:
		c.Warn++
	case Skip:
		c.Skip++
	case Error:
		c.Error++
	}
}

// Plus returns the sum of two counts.
func (c Counts) Plus(other Counts) Counts {
	return Counts{
		Pass:  c.Pass + other.Pass,
		Fail:  c.Fail + other.Fail,
		Warn:  c.Warn + other.Warn,
		Skip:  c.Skip + other.Skip,
		Error: c.Error + other.Error,

		Inapplicable: c.Inapplicable + other.Inapplicable,
		Known:        c.Known + other.Known,
	}
}

// Total is the number of findings counted.
func (c Counts) Total() int { return c.Pass + c.Fail + c.Warn + c.Skip + c.Error }

// Judged is the number of findings that say something about the server.
func (c Counts) Judged() int { return c.Pass + c.Fail + c.Warn }

// Tally counts findings by status.
func Tally(findings []Finding) Counts {
	var c Counts
	for _, f := range findings {
		c.Add(f)
	}
	return c
}

// Total adds up the counts of all columns.
func (v Verdict) Total() Counts {
	var sum Counts
	for _, c := range v.Columns {
		sum = sum.Plus(c.Counts)
	}
	return sum
}

// CountBySuite returns the suites with the counts of their findings in all
// columns.
func CountBySuite(findings []Finding, suites []Suite) []Suite {
	counted := slices.Clone(suites)
	at := map[string]int{}
	for i := range counted {
		counted[i].Counts = Counts{}
		at[counted[i].Name] = i
	}
	for _, f := range findings {
		if i, known := at[f.Suite]; known {
			counted[i].Counts.Add(f)
		}
	}
	return counted
}

// OtherRevisions says which revisions the server speaks that the run did not judge; empty
// where there are none.
func (r Report) OtherRevisions() string {
	var left []string
	for _, rev := range r.Target.Revisions {
		if !slices.ContainsFunc(r.Verdict.Columns, func(c Column) bool { return c.Revision == rev }) {
			left = append(left, string(rev))
		}
	}
	if len(left) == 0 || len(r.Verdict.Columns) == 0 {
		return ""
	}
	slices.Sort(left)
	return "the server also speaks " + strings.Join(left, ", ") + ", not judged in this run; --revision all judges every revision"
}

// A Place names a column.
type Place = requirements.Column

// Place names the column.
func (c Column) Place() Place { return Place{Revision: c.Revision, Transport: c.Transport} }

// Place names the column the finding belongs to.
func (f Finding) Place() Place { return Place{Revision: f.Revision, Transport: f.Transport} }

// Places lists the columns of the report in the order of the verdict, then
// those that only findings name.
func (r Report) Places() []Place {
	var places []Place
	seen := map[Place]bool{}
	add := func(p Place) {
		if !seen[p] {
			seen[p] = true
			places = append(places, p)
		}
	}
	for _, c := range r.Verdict.Columns {
		add(c.Place())
	}
	for _, f := range r.Findings {
		add(f.Place())
	}
	return places
}
