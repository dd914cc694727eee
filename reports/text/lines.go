package text

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// lines collects the lines of one report, as wide as the terminal.
type lines struct {
	out     strings.Builder
	width   int
	verbose bool
	page    layout.Page
}

func (l *lines) line(parts ...string) {
	l.out.WriteString(layout.Harmless(strings.Join(parts, "")))
	l.out.WriteByte('\n')
}

// prose writes a foreign text behind a prefix of blanks; of a very long text it writes
// the beginning and the end.
func (l *lines) prose(prefix, text string) {
	limit := rowsOfText
	if l.verbose {
		limit = 0
	}
	for _, row := range layout.Paragraph(text, max(l.width-len(prefix), narrowest/2), limit) {
		l.line(prefix, row)
	}
}

// behind writes a text of ours beside a word, or below the word where the text is long.
func (l *lines) behind(word string, ink layout.Ink, text string) {
	head := l.page.Paint(ink, word)
	for _, row := range layout.Prose(text, max(l.width-len(word)-len(indent), narrowest/2)) {
		l.line(head, indent, row)
		head = strings.Repeat(" ", len(word))
	}
}

// title begins a section.
func (l *lines) title(parts ...string) {
	l.line()
	for _, row := range layout.Prose(strings.Join(parts, ""), l.width) {
		l.line(l.page.Paint(layout.Strong, row))
	}
}

// labelled writes a text behind a label, and the rest of a long text below it.
func (l *lines) labelled(label, text string) {
	head := l.page.Paint(layout.Label, pad(label, closing))
	for _, row := range layout.Prose(text, max(l.width-len(indent)-closing, narrowest/2)) {
		l.line(indent, head, row)
		head = strings.Repeat(" ", closing)
	}
}
