// Package text writes a report for somebody at a terminal: first the broken rules with
// their evidence, then the cases that were not judged and what would change that.
package text

import (
	"cmp"
	"io"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Options describe the terminal of the reader and the amount of text.
type Options struct {
	Color   bool
	Width   int  // columns of a line; 0: 100
	Verbose bool // evidence in full, and the cases that passed or were skipped
	Quiet   bool // the last screen only
}

const (
	defaultWidth  = 100
	narrowest     = 40
	rowsOfFrame   = 5
	framesOfProof = 6
	rowsOfText    = 40
	indent        = "  "
)

// Write writes the report. The same report and options give the same bytes.
func Write(w io.Writer, r reports.Report, opts Options) error {
	p := newPrinter(opts)
	p.head(r)
	if !opts.Quiet {
		p.body(r)
	}
	p.verdict(r)
	_, err := io.WriteString(w, p.out.String())
	return err
}

// Finding sets one finding as the report does, in lines of at most the given width; 0: 100.
func Finding(f reports.Finding, width int) string {
	p := newPrinter(Options{Width: width})
	lines := p.page.Finding(reports.Group{Finding: f, Places: []reports.Place{f.Place()}})
	return layout.Harmless(strings.Join(lines, "\n"))
}

// body writes all between the head and the verdict.
func (p *printer) body(r reports.Report) {
	for _, status := range []reports.Status{reports.Fail, reports.Warn, reports.Error} {
		p.findings(r, status)
	}
	if p.verbose {
		p.list(r, reports.Pass)
		p.list(r, reports.Skip)
	}
	p.columns(r)
	p.extensions(r)
	p.gaps(r)
	p.omissions(r)
}

// A printer writes the sections of a report.
type printer struct{ lines }

func newPrinter(opts Options) *printer {
	width := max(cmp.Or(opts.Width, defaultWidth), narrowest)
	p := &printer{lines: lines{width: width, verbose: opts.Verbose}}
	p.page = layout.Page{Width: width, Rows: rowsOfFrame, Frames: framesOfProof, Paint: plain}
	if opts.Verbose {
		p.page.Rows, p.page.Frames = 0, 0
	}
	if opts.Color {
		p.page.Paint = colored
	}
	return p
}

func (p *printer) head(r reports.Report) {
	name := cmp.Or(strings.TrimSpace(r.Target.Name+" "+r.Target.Version), "unnamed server")
	if r.Target.Given != "" {
		name += "  (" + r.Target.Given + ")"
	}
	p.line(layout.Clip(name, p.width))
	by := "judged by " + strings.TrimSpace(r.Kit.Name+" "+r.Kit.Version)
	p.line(layout.Clip(by+", seed "+seed(r.Run.Seed), p.width))
}

// blocks joins the findings of a status by requirement; a verbose report gives each case
// separately.
func (p *printer) blocks(r reports.Report, s reports.Status) []reports.Block {
	if !p.verbose {
		return r.Blocks(s)
	}
	groups := r.Groups(s)
	blocks := make([]reports.Block, len(groups))
	for i, g := range groups {
		blocks[i].Group = g
	}
	return blocks
}

func (p *printer) findings(r reports.Report, s reports.Status) {
	for _, b := range p.blocks(r, s) {
		p.line()
		for _, line := range p.page.Block(b) {
			p.line(line)
		}
	}
}

// list names the cases of a status, one line each, the reason of a skip below.
func (p *printer) list(r reports.Report, s reports.Status) {
	groups := r.Groups(s)
	if len(groups) == 0 {
		return
	}
	p.line()
	for _, g := range groups {
		f := g.Finding
		word := p.page.Paint(layout.StatusInk(s), pad(strings.ToUpper(string(s)), len("ERROR")+1))
		p.line(word, layout.Safe(f.Case), "    ", layout.Safe(string(f.Level)), "    ", layout.Places(g.Places))
		if f.Reason != nil {
			p.prose("      ", f.Reason.String())
		}
		for _, note := range f.Notes {
			p.prose("      ", "note: "+note)
		}
	}
}
