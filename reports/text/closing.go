package text

import (
	"cmp"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// How many lines the last screen has for the worst findings and for grades.
const (
	worstShown  = 5
	gradesShown = 3
	closing     = 10 // columns of a label

	// The reason that keeps a column from a grade is the kit's own, and is shown whole. A
	// report that others wrote may have a longer one.
	linesOfGrade = 8
)

// grades names the grade of each column, and joins columns with the same grade.
func (p *printer) grades(r reports.Report) {
	type reached struct{ grade, why string }
	var order []reached
	places := map[reached][]reports.Place{}
	for _, c := range r.Verdict.Columns {
		one := reached{cmp.Or(c.Grade, "none"), c.WhyNotNext}
		if places[one] == nil {
			order = append(order, one)
		}
		places[one] = append(places[one], c.Place())
	}
	for i, one := range order {
		label := ""
		if i == 0 {
			label = "grade"
		}
		if i == gradesShown && len(order) > gradesShown+1 {
			p.labelled(label, "and "+layout.Number(len(order)-i)+" more, see columns above")
			return
		}
		line := layout.Clip(one.grade, nameWidth) + ", " + layout.Places(places[one])
		if one.why != "" {
			line += "; " + one.why
		}
		p.labelled(label, layout.Clip(line, linesOfGrade*(p.width-len(indent)-closing)))
	}
}

// worst names the findings that matter most, each in two lines at most.
func (p *printer) worst(r reports.Report) {
	var all []reports.Block
	for _, s := range []reports.Status{reports.Fail, reports.Error, reports.Warn} {
		all = append(all, r.Blocks(s)...)
	}
	for i, b := range all {
		label := pad("", closing)
		if i == 0 {
			label = p.page.Paint(layout.Label, pad("worst", closing))
		}
		if i == worstShown && len(all) > worstShown+1 {
			p.line(indent, label, "and ", layout.Number(len(all)-i), " more")
			return
		}
		status := strings.ToUpper(string(b.Finding.Status))
		room := p.width - len(indent) - closing - len("ERROR ")
		says := twoLines(strings.ReplaceAll(b.Finding.Case+": "+b.Finding.Problem, "\n", " "), room)
		p.line(indent, label, p.page.Paint(layout.StatusInk(b.Finding.Status), pad(status, len("ERROR "))), says[0])
		if len(says) > 1 { // the first line is enough: the finding stands above in full
			p.line(indent, pad("", closing), pad("", len("ERROR ")), says[1])
		}
	}
}

// first is the finding that a reader should look at first, if there is one.
func first(r reports.Report) (reports.Finding, bool) {
	for _, s := range []reports.Status{reports.Fail, reports.Error, reports.Warn} {
		for _, f := range r.Findings {
			if f.Status == s {
				return f, true
			}
		}
	}
	return reports.Finding{}, false
}

// next tells the reader what to do now; nothing where nothing is left to do.
func (p *printer) next(r reports.Report) {
	if line := next(r); line != "" {
		p.labelled("next", line)
	}
	if r.Verdict.Status == reports.Partial && r.Verdict.Total().Error == 0 && (r.Verdict.Slowed() || r.Enabling().Role != "") {
		return // the text names the key to enable, which has no command
	}
	if f, found := first(r); found && f.Again != "" {
		// Never wrapped: readers copy it.
		p.line(indent, p.page.Paint(layout.Label, pad("again", closing)), layout.Safe(f.Again))
	}
}
