// Package stderrfile writes what the processes of a run had written to stderr
// when they ended, each below the finding that it belongs to. It writes nothing
// where no process said anything.
package stderrfile

import (
	"io"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Write writes the texts in the order of the findings. One that stands there
// already is named, not repeated.
func Write(w io.Writer, r reports.Report) error {
	var b strings.Builder
	under := map[string]string{}
	section := func(heading, text string) {
		if strings.TrimSpace(text) == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("== " + layout.Safe(heading) + "\n")
		if first, known := under[text]; known {
			b.WriteString("the same as under " + layout.Safe(first) + "\n")
			return
		}
		under[text] = heading
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			// A line that is indented is nobody's heading. Traces are indented by tabs,
			// and a tab does no harm.
			b.WriteString(strings.TrimRight("  "+layout.Safe(strings.ReplaceAll(line, "\t", "    ")), " ") + "\n")
		}
	}
	section("the server, before anything could be judged, or the command that serves all cases", r.Stderr)
	for _, f := range r.Findings {
		section(f.Case+", "+f.Place().String(), f.Stderr)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
