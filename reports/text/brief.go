package text

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Brief writes a finding in one line of at most the given width, to be shown at once:
// status, case, column and problem.
func Brief(f reports.Finding, width int) string {
	head := pad(strings.ToUpper(string(f.Status)), len("ERROR")+1) + f.Case + "  " + f.Place().String()
	if f.Problem != "" {
		head += ": " + f.Problem
	}
	return layout.Harmless(layout.Clip(strings.ReplaceAll(head, "\n", " "), width))
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
