package html

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// A builder makes the parts of a page that need the whole report.
type builder struct {
	r      reports.Report
	places []reports.Place
	rules  map[string]reports.Rule
	anchor map[string]int
}

func newBuilder(r reports.Report) *builder {
	b := &builder{r: r, places: r.Places(), rules: map[string]reports.Rule{}, anchor: map[string]int{}}
	for _, rule := range r.Rules {
		if _, known := b.rules[string(rule.ID)]; !known {
			b.rules[string(rule.ID)] = rule
		}
	}
	return b
}

// columns lists the columns of the verdict, then columns that only findings name.
func (b *builder) columns() []column {
	all := make([]column, len(b.places))
	for i, p := range b.places {
		all[i] = column{Name: short(p.String()), Revision: short(string(p.Revision)), Transport: short(string(p.Transport))}
	}
	for _, c := range b.r.Verdict.Columns {
		col := &all[slices.Index(b.places, c.Place())]
		col.Grade, col.Why, col.Judged = short(c.Grade), text(c.WhyNotNext), true
		col.Bar = bars(c.Counts)
		for _, s := range barOrder() {
			if n := applying(c.Counts, s); n > 0 {
				col.Counts = append(col.Counts, count{string(s), counted(s, n), n})
			}
		}
		if n := c.Counts.Known; n > 0 {
			col.Counts = append(col.Counts, count{known, layout.Plural(n, "known failure"), n})
		}
	}
	return all
}

// barOrder is how statuses stand beside each other: good, bad, unknown.
func barOrder() []reports.Status {
	return []reports.Status{reports.Pass, reports.Fail, reports.Warn, reports.Error, reports.Skip}
}

// bars divides a line of 100 units. Every status with a finding gets a visible bar.
func bars(c reports.Counts) []bar {
	const least = 1.0
	total := 0.0
	for _, s := range barOrder() {
		if n := applying(c, s); n > 0 {
			total += max(float64(n)/float64(c.Total()-c.Inapplicable)*100, least)
		}
	}
	var all []bar
	x := 0.0
	for _, s := range barOrder() {
		if n := applying(c, s); n > 0 {
			width := max(float64(n)/float64(c.Total()-c.Inapplicable)*100, least) * 100 / total
			all = append(all, bar{string(s), round(x), round(width)})
			x += width
		}
	}
	return all
}

func round(x float64) float64 { return float64(int(x*100+0.5)) / 100 }

// matrix has a row for each suite with a judged case. It also gives rows for the other
// suites with findings, and names the suites without any.
func (b *builder) matrix() (rows, idle []row, absent []string) {
	type at struct {
		suite string
		place reports.Place
	}
	counts := map[at]reports.Counts{}
	names, titles := []string{}, map[string]string{}
	for _, s := range b.r.Suites {
		names, titles[s.Name] = append(names, s.Name), s.Title
	}
	for _, f := range b.r.Findings {
		if _, known := titles[f.Suite]; !known {
			names, titles[f.Suite] = append(names, f.Suite), ""
		}
		key := at{f.Suite, f.Place()}
		c := counts[key]
		c.Add(f)
		counts[key] = c
	}
	for _, name := range names {
		r := row{Name: short(name), Title: short(titles[name]), Key: key(name)}
		var found reports.Counts
		for i, p := range b.places {
			c := counts[at{name, p}]
			found = found.Plus(c)
			r.Cells = append(r.Cells, newCell(c, i))
		}
		switch {
		case found.Total() == 0:
			absent = append(absent, r.Name)
		case found.Total() == found.Skip:
			idle = append(idle, r)
		default:
			rows = append(rows, r)
		}
	}
	return rows, idle, absent
}

// newCell shows the worst status that a suite has in a column, and the share of passes
// among the judged cases.
func newCell(c reports.Counts, column int) cell {
	out := cell{Column: column, Says: countsText(c)}
	switch {
	case c.Total() == 0:
		out.Says = "nothing to judge"
		return out
	case c.Fail > 0:
		out.Status = string(reports.Fail)
	case c.Error > 0:
		out.Status = string(reports.Error)
	case c.Warn > 0:
		out.Status = string(reports.Warn)
	case c.Pass > 0:
		out.Status = string(reports.Pass)
	default:
		out.Status = string(reports.Skip)
		return out
	}
	out.Shown = layout.Number(c.Pass)
	if rest := c.Judged() + c.Error; rest != c.Pass {
		out.Shown = fmt.Sprintf("%s/%s", layout.Number(c.Pass), layout.Number(rest))
	}
	return out
}
