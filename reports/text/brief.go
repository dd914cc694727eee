package text

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Brief writes a finding in one line of at most the given width, to be shown at once:
// status, case and problem, and the column where there is room for it.
func Brief(f reports.Finding, width int, color bool) string {
	word := pad(strings.ToUpper(string(f.Status)), len("ERROR")+1)
	says := f.Case
	if f.Problem != "" {
		says += "  " + f.Problem
	}
	says = layout.Clip(strings.ReplaceAll(says, "\n", " "), width-len(word))
	if place := "  (" + layout.Safe(f.Place().String()) + ")"; len(word)+layout.Width(says)+layout.Width(place) <= width {
		says += place
	}
	if color {
		word = colored(layout.StatusInk(f.Status), word)
	}
	return layout.Harmless(word + says)
}

// Line writes a foreign text as one line on which no terminal acts and which no log of a
// build takes for a command. Tabs stay.
func Line(s string) string {
	parts := strings.Split(s, "\t")
	for i, part := range parts {
		parts[i] = layout.Safe(part)
	}
	return layout.Harmless(strings.Join(parts, "\t"))
}

// Wrap sets a text of ours in lines of at most the given width, each behind the
// prefix and with a line break at its end.
func Wrap(prefix, text string, width int) string {
	var out strings.Builder
	for _, row := range layout.Prose(strings.Join(strings.Fields(text), " "), width-len(prefix)) {
		out.WriteString(prefix + row + "\n")
	}
	return out.String()
}
