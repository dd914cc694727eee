package main

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/reports/text"
)

// A table is one list: rows for people and entries for programs.
type table struct {
	rows    [][]string
	entries []any
	footer  []string
}

// roomy is the room that the last column of a table needs beside the others; with less
// room it stands below them.
const roomy = 30

// write lays the rows out in columns. On a terminal the last column is wrapped between
// words to the given width; with width 0 a row stays one line.
func (t table) write(out io.Writer, width int) error {
	var b strings.Builder
	widths := t.widths()
	for _, row := range t.rows {
		line := ""
		for i, cell := range row[:len(row)-1] {
			line += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
		}
		t.last(&b, line, row[len(row)-1], width)
	}
	for _, line := range t.footer {
		if width > 0 && line != "" {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			b.WriteString(text.Wrap(indent, line, max(width, roomy)))
			continue
		}
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// widths gives the widths of all columns but the last.
func (t table) widths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func (t table) last(b *strings.Builder, line, cell string, width int) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(line))
	switch {
	case width == 0 || utf8.RuneCountInString(line+cell) <= width:
		b.WriteString(strings.TrimRight(line+cell, " ") + "\n")
	case len(indent)+roomy <= width:
		wrapped := text.Wrap(indent, cell, width)
		b.WriteString(line + strings.TrimPrefix(wrapped, indent))
	default:
		b.WriteString(strings.TrimRight(line, " ") + "\n" + text.Wrap("    ", cell, max(width, roomy)))
	}
}
