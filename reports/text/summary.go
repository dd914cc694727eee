package text

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// The room of a foreign name beside our own text, and the number of gaps shown for one
// reason.
const (
	nameWidth   = 40
	gapsOfAKind = 12
)

// columns writes one line per column: the grade, the counts, and the obstacle to the
// next grade.
func (p *printer) columns(r reports.Report) {
	columns := r.Verdict.Columns
	if len(columns) == 0 {
		return
	}
	lines := make([]tally, len(columns))
	for i, c := range columns {
		lines[i] = tally{name: c.Place().String(), says: cmp.Or(c.Grade, "no grade"), counts: c.Counts}
		if c.WhyNotNext != "" {
			lines[i].below = "next grade: " + c.WhyNotNext
		}
	}
	p.title("columns")
	p.tallies(lines)
}

// extensions writes one line per extension the server claims: the strength of the claim,
// the verdict, and the reason that keeps it from a pass.
func (p *printer) extensions(r reports.Report) {
	verdicts := r.ExtensionVerdicts()
	if len(verdicts) == 0 {
		return
	}
	where := map[string]string{}
	for _, e := range r.Target.Extensions {
		where[e.Name] = e.Where
	}
	var lines []tally
	var left []string
	for _, e := range verdicts {
		if e.Counts == (reports.Counts{}) {
			left = append(left, e.Name)
			continue
		}
		line := tally{name: e.Name, says: e.Word(), counts: e.Counts, below: e.Claim + " claim"}
		if where := where[e.Name]; where != "" {
			line.below += " in " + where
		}
		if e.Why != "" {
			line.below += "; " + e.Why
		}
		lines = append(lines, line)
	}
	p.title("extensions")
	p.tallies(lines)
	if len(left) > 0 {
		p.prose(indent, "claimed, and not part of the run: "+strings.Join(left, ", "))
	}
}

// A tally is a line of counts: its name, a word on it, and a remark.
type tally struct {
	name, says string
	counts     reports.Counts
	below      string
}

func (p *printer) tallies(lines []tally) {
	const deep = indent + indent + indent
	var names, says int
	for i, t := range lines {
		lines[i].name, lines[i].says = layout.Clip(t.name, nameWidth), layout.Clip(t.says, nameWidth)
		names = max(names, layout.Width(lines[i].name))
		says = max(says, layout.Width(lines[i].says))
	}
	for _, t := range lines {
		head := indent + pad(t.name, names+len(indent)) + pad(t.says, says+len(indent))
		counts, width := p.counts(t.counts)
		if layout.Width(head)+width <= p.width {
			p.line(head, counts)
		} else {
			p.line(strings.TrimRight(head, " "))
			p.line(deep, counts)
		}
		if n := t.counts.Known; n > 0 {
			p.line(deep, p.page.Paint(layout.InkWarn, layout.Plural(n, "known failure")))
		}
		if t.below != "" {
			p.prose(deep, t.below)
		}
	}
}

// counts writes the counts of all cases that apply, so that lines stand in columns; only
// counts above zero stand out. It also gives the width.
func (p *printer) counts(c reports.Counts) (line string, width int) {
	for _, s := range reports.Statuses() {
		n, what := c.Of(s), string(s)
		if s == reports.Skip {
			n, what = c.Open(), "not judged"
		}
		number := layout.Number(n)
		word := strings.Repeat(" ", max(4-len(number), 1)) + number + " " + what
		ink := layout.Label
		if n > 0 {
			ink = layout.StatusInk(s)
		}
		line += p.page.Paint(ink, word)
		width += len(word)
	}
	return line, width
}

// gaps lists the cases that concern the server and were not judged, by reason, and the
// config key that would change it.
func (p *printer) gaps(r reports.Report) {
	gaps := r.Gaps()
	if len(gaps) == 0 {
		return
	}
	p.title(reports.GapTitle(gaps))
	var kind reports.ReasonKind
	written, left := 0, 0
	for _, g := range gaps {
		if g.Kind != kind {
			p.more(left)
			kind, written, left = g.Kind, 0, 0
			p.line(indent, p.page.Paint(layout.Label, layout.Clip(kind.Words(), nameWidth)))
		}
		if written == gapsOfAKind && !p.verbose {
			left++
			continue
		}
		written++
		p.gap(g)
	}
	p.more(left)
}

func (p *printer) more(reasons int) {
	if reasons > 0 {
		p.line(indent, indent, "and ", layout.Plural(reasons, "more reason"))
	}
}

// gap writes one reason and its cases: on one line, unless the reader asked for all of
// them.
func (p *printer) gap(g reports.Gap) {
	const deep = indent + indent
	enables := layout.Plural(len(g.Cases), "case")
	switch {
	case g.Role != "":
		enables = layout.Clip(g.Role, nameWidth) + "  enables " + enables
	case g.BlockedBy != "":
		verb := " blocked by "
		if len(g.Cases) == 1 {
			verb = " waits for "
		}
		enables += verb + layout.Clip(g.BlockedBy, nameWidth)
	}
	room := p.width - len(deep) - layout.Width(enables) - 2
	switch {
	case p.verbose:
		p.prose(deep, enables+": "+strings.Join(g.Cases, ", "))
	case room < nameWidth && layout.Width(strings.Join(g.Cases, ", ")) > room:
		p.line(deep, enables, ":")
		p.line(deep, indent, some(g.Cases, p.width-len(deep)-len(indent)))
	default:
		p.line(deep, enables, ": ", some(g.Cases, room))
	}
	if g.Text != "" {
		for _, row := range p.short(g.Text, p.width-len(deep)-len(indent)) {
			p.line(deep, indent, row)
		}
	}
}

// short sets a reason in two lines at most, unless the reader asked for everything.
func (p *printer) short(text string, width int) []string {
	if p.verbose {
		return layout.Prose(text, width)
	}
	return twoLines(text, width)
}

// twoLines sets a text in two lines at most. It reads no more of the text than it shows.
func twoLines(text string, width int) []string {
	most := min(len(text), 16*width) // bytes
	rows := layout.Prose(text[:most], width)
	if len(rows) <= 2 && most == len(text) {
		return rows
	}
	return []string{rows[0], layout.Clip(strings.Join(rows[1:], " "), width)}
}

// some names as many cases as fit, at least the first.
func some(cases []string, room int) string {
	more := func(left int) string {
		if left == 0 {
			return ""
		}
		return ", and " + layout.Number(left) + " more"
	}
	last := len(cases) - 1
	text := layout.Clip(cases[0], room-len(more(last)))
	for i, c := range cases[1:] {
		longer := text + ", " + layout.Safe(c)
		if layout.Width(longer)+len(more(last-i-1)) > room {
			return text + more(last-i)
		}
		text = longer
	}
	return text
}

func (p *printer) omissions(r reports.Report) {
	if left := r.Inapplicable(); left != "" {
		p.line()
		p.prose("", "not applicable: "+left)
	}
}

func seed(n uint64) string { return strconv.FormatUint(n, 10) }

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-layout.Width(s), 1))
}
