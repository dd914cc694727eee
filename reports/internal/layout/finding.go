package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An Ink names the kind of a piece of text, for a writer that has colours.
type Ink int

// The inks. StatusInk makes the five inks of a status.
const (
	Plain Ink = iota
	Label
	Strong
	InkPass
	InkFail
	InkWarn
	InkSkip
	InkError
)

// StatusInk is the ink of a status word.
func StatusInk(s reports.Status) Ink {
	switch s {
	case reports.Pass:
		return InkPass
	case reports.Fail:
		return InkFail
	case reports.Warn:
		return InkWarn
	case reports.Skip:
		return InkSkip
	case reports.Error:
		return InkError
	}
	return Plain
}

// A Page sets the room for a finding, and how much of the evidence is shown.
type Page struct {
	Width  int                            // columns of a line
	Rows   int                            // rows of a frame before it is cut in the middle, 0 for all
	Frames int                            // frames of a finding before some are left out, 0 for all
	Told   bool                           // the problem stands above the finding already
	Paint  func(ink Ink, s string) string // nil leaves everything plain
}

// The columns of every line but the header: two columns, then the label.
const (
	margin     = "  "
	labelWidth = 10
	indent     = "      "
	narrowest  = 24 // below this, lines get longer than the page instead
)

// Room is the number of columns for the text beside a label.
func (p Page) Room() int { return max(p.Width-len(margin)-labelWidth, narrowest) }

func (p Page) paint(ink Ink, s string) string {
	if p.Paint == nil {
		return s
	}
	return p.Paint(ink, s)
}

// Block sets the first finding of a block, and then lists the others.
func (p Page) Block(b reports.Block) []string {
	return append(p.Finding(b.Group), p.also(b)...)
}

// Evidence sets the frames of the first finding of a block, and then lists the others: all
// that is not said where the block's problem, rule and fix already stand.
func (p Page) Evidence(b reports.Block) []string {
	return append(p.frames(b.Finding), p.also(b)...)
}

// Finding sets one finding and its columns: what a good server does, the frames sent and
// received, then problem,
// rule, link, fix, the command that runs it again, and notes. Always in this order.
func (p Page) Finding(g reports.Group) []string {
	f := g.Finding
	lines := p.header(g)
	lines = append(lines, p.row("expected", Plain, p.prose(f.Title))...)
	lines = append(lines, p.frames(f)...)
	lines = append(lines, p.problem(f)...)
	if f.Reason != nil {
		lines = append(lines, p.row("reason", Plain, p.prose(f.Reason.String()))...)
	}
	rule := p.prose(f.Rule)
	if f.Link != "" {
		rule = append(rule, Safe(f.Link)) // never wrapped: readers click on it
	}
	if f.Origin != "" {
		rule = append(rule, p.prose("from "+f.Origin)...)
	}
	lines = append(lines, p.row("rule", Plain, rule)...)
	lines = append(lines, p.row("fix", Plain, p.prose(f.Fix))...)
	if f.Again != "" {
		lines = append(lines, p.row("again", Plain, []string{Safe(f.Again)})...) // never wrapped: readers copy it
	}
	for _, note := range f.Notes {
		lines = append(lines, p.row("note", Plain, p.prose(note))...)
	}
	return lines
}

func (p Page) header(g reports.Group) []string {
	f := g.Finding
	status := padded(strings.ToUpper(Safe(string(f.Status))), len(indent))
	head := Safe(f.Case) + "    " + Safe(string(f.Level))
	where := Places(g.Places)
	lines := []string{p.paint(StatusInk(f.Status), status) + head}
	if len(status)+Width(head)+4+Width(where) <= p.Width {
		lines[0] += "    " + where
		return lines
	}
	for _, row := range Prose(where, max(p.Width-len(indent), narrowest)) {
		lines = append(lines, indent+row)
	}
	return lines
}

func (p Page) problem(f reports.Finding) []string {
	times := Number(f.Count) + " times, the first is shown"
	switch {
	case p.Told && f.Count > 1:
		return p.row("seen", Plain, []string{times})
	case p.Told:
		return nil
	}
	rows := p.prose(f.Problem)
	if f.Count > 1 {
		rows = append(rows, "seen "+times)
	}
	return p.row("problem", Strong, rows)
}

// prose wraps a text. Where the page cuts frames it also cuts very long texts, which
// only a server or an operator can have written.
func (p Page) prose(s string) []string {
	if s == "" {
		return nil
	}
	return Paragraph(s, p.Room(), 3*p.Rows)
}

// Paragraph sets a text in rows of the given width, and cuts a text that needs more rows
// than the limit in the middle; 0: no limit.
func Paragraph(s string, width, limit int) []string {
	if most := farTooLong * limit * width; limit > 0 && len(s) > most {
		// The middle is cut, so its number of lines does not matter.
		head, tail := s[:excerpt.From(s, most/2)], s[excerpt.From(s, len(s)-most/2):]
		rest := fmt.Sprintf("... about %s bytes ...", Number(len(s)-limit*width))
		above, below := Prose(head, width), Prose(tail, width)
		return slices.Concat(above[:min(limit/2, len(above))], []string{rest}, below[max(len(below)-(limit-limit/2-1), 0):])
	}
	rows := Prose(s, width)
	if limit == 0 || len(rows) <= limit {
		return rows
	}
	rest := fmt.Sprintf("... %d lines ...", len(rows)-limit+1)
	return slices.Concat(rows[:limit/2], []string{rest}, rows[len(rows)-(limit-limit/2-1):])
}

// farTooLong is how many times the shown length a text may have before it is cut without
// setting it in lines.
const farTooLong = 16

func (p Page) row(label string, ink Ink, rows []string) []string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		head := strings.Repeat(" ", labelWidth)
		if i == 0 {
			head = p.paint(Label, padded(label, labelWidth))
		}
		lines[i] = margin + head + p.paint(ink, row)
	}
	return lines
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(width-len(s), 1))
}

// Places names columns, the transports of one revision together, and revisions
// over the same transports.
func Places(places []reports.Place) string {
	var order []requirements.Revision
	over := map[requirements.Revision][]string{}
	for _, p := range places {
		if over[p.Revision] == nil {
			order = append(order, p.Revision)
		}
		over[p.Revision] = append(over[p.Revision], Safe(string(p.Transport)))
	}
	var names []string
	for i, revision := range order {
		name, transports := Safe(string(revision)), strings.Join(over[revision], " and ")
		if next := i + 1; next == len(order) || strings.Join(over[order[next]], " and ") != transports {
			name += " over " + transports
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
