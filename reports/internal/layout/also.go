package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
)

// toldInFull is how many of the other findings of a block are shown with their problems.
// Of the findings beyond it only the cases are named.
const toldInFull = 12

// also lists the other findings of the requirement: case and columns, and the texts that
// differ from those of the first finding.
func (p Page) also(b reports.Block) []string {
	told, rest := b.Also, []reports.Group(nil)
	if p.Rows > 0 && len(told) > toldInFull {
		told, rest = told[:toldInFull], told[toldInFull:]
	}
	var rows []string
	for _, g := range told {
		rows = append(rows, p.prose(g.Finding.Case+", "+Places(g.Places))...)
		for _, text := range different(g.Finding, b.Finding) {
			for _, row := range p.within(text) {
				rows = append(rows, margin+row)
			}
		}
	}
	if len(rest) > 0 {
		var names []string
		for _, g := range rest {
			if !slices.Contains(names, g.Finding.Case) {
				names = append(names, g.Finding.Case)
			}
		}
		rows = append(rows, Prose(fmt.Sprintf("and %s: %s", Plural(len(rest), "more finding"), strings.Join(names, ", ")), p.Room())...)
	}
	return p.row("also", Plain, rows)
}

// Reference sets a finding without its evidence, and names the one that has it.
func (p Page) Reference(f, first reports.Finding) []string {
	bare := f
	bare.Frames = nil
	where := "see " + first.Case + ", " + first.Place().String()
	lines := p.Finding(reports.Group{Finding: bare, Places: []reports.Place{f.Place()}})
	return append(lines, p.row("evidence", Plain, p.prose(where))...)
}

// different lists the texts of a finding that the first finding of its block lacks.
func different(f, first reports.Finding) []string {
	var texts []string
	if f.Problem != first.Problem {
		texts = append(texts, f.Problem)
	}
	if f.Fix != first.Fix && f.Fix != "" {
		texts = append(texts, "fix: "+f.Fix)
	}
	for _, note := range f.Notes {
		if !slices.Contains(first.Notes, note) {
			texts = append(texts, "note: "+note)
		}
	}
	return texts
}

// within wraps a text below a name, two rows of it where the page is cut.
func (p Page) within(text string) []string {
	width := max(p.Room()-len(margin), narrowest)
	rows := Prose(text, width)
	if p.Rows == 0 || len(rows) <= 2 {
		return rows
	}
	return []string{rows[0], Clip(strings.Join(rows[1:], " "), width)}
}
