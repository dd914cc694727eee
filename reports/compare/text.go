package compare

import (
	"cmp"
	"io"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

const (
	defaultWidth = 100
	narrowest    = 40
	longest      = 600 // columns of one text of somebody else
	rowsOfText   = 40
)

// Text writes the result for a terminal with that many columns; 0: there is no terminal.
func Text(w io.Writer, r Result, width int) error {
	p := &page{width: max(cmp.Or(width, defaultWidth), narrowest)}
	p.prose(r.word()+"  ", r.summary())
	p.prose("  ", turn(named(r.Old.Target), named(r.New.Target))+", verdict "+
		turn(verdictWord(r.Old.Verdict.Status), verdictWord(r.New.Verdict.Status)))
	for _, remark := range r.remarks() {
		p.prose("  ", remark)
	}
	for _, k := range Kinds() {
		of := r.Of(k)
		if k == NewlySkipped { // the kinds from here on are not faults of the server
			p.grades(r)
		}
		if len(of) == 0 {
			continue
		}
		p.line("")
		p.line(k.Title() + ": " + layout.Number(len(of)))
		if k.bundled() {
			p.bundles(of)
			continue
		}
		for _, c := range of {
			p.change(c)
		}
	}
	_, err := io.WriteString(w, p.out.String())
	return err
}

type page struct {
	out   strings.Builder
	width int
}

func (p *page) line(text string) {
	p.out.WriteString(strings.TrimRight(layout.Harmless(text), " ") + "\n")
}

// prose writes a text behind a prefix, and the rest of a long text below it.
func (p *page) prose(prefix, text string) {
	for _, row := range layout.Paragraph(text, max(p.width-len(prefix), narrowest/2), rowsOfText) {
		p.line(prefix + row)
		prefix = strings.Repeat(" ", len(prefix))
	}
}

func (p *page) grades(r Result) {
	if len(r.Grades)+len(r.Extensions) == 0 {
		return
	}
	p.line("")
	p.line("grades")
	for _, g := range r.Grades {
		p.prose("  ", g.Place.String()+": "+change(g.Was, g.Now, "not judged")+because(g.Why))
	}
	for _, e := range r.Extensions {
		p.prose("  ", layout.Clip(e.Name, narrowest)+": "+change(e.Was, e.Now, "not claimed")+because(e.Why))
	}
}

// change writes the change of a value; the earlier or the later one may be absent.
func change(was, now, absent string) string {
	return cmp.Or(was, absent) + " -> " + cmp.Or(now, absent)
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ", " + why
}

func (p *page) change(c Change) {
	f := c.Finding
	head := layout.Clip(f.Case, 120) + ", " + string(f.Level) + ", " + layout.Places(c.Places)
	if was := c.formerly(); was != "" {
		head += " (" + was + ")"
	}
	p.prose("  "+pad(strings.ToUpper(string(f.Status)), 6), head)
	for _, row := range c.shown() {
		prefix := "        " + pad(row[0], 9)
		if row[0] == "again" || row[0] == "link" { // the reader copies the line in one piece
			p.line(prefix + layout.Clip(row[1], longest))
			continue
		}
		p.prose(prefix, layout.Clip(row[1], longest))
	}
}

func (p *page) bundles(of []Change) {
	for _, b := range bundles(of) {
		head := layout.Plural(len(b.cases), "case") + ", " + b.places
		if b.was != "" {
			head += " (" + b.was + ")"
		}
		p.prose("  ", head)
		if b.reason != "" {
			p.prose("        reason   ", layout.Clip(b.reason, longest))
		}
		p.prose("        cases    ", b.names(func(s string) string { return layout.Clip(s, 120) }))
	}
}

func pad(s string, width int) string {
	return layout.Safe(s) + strings.Repeat(" ", max(width-len(s), 1))
}
