// Package stderrfile writes the stderr output of processes that ended during a run, each
// below its finding. It writes nothing where no process said anything.
package stderrfile

import (
	"io"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Unjudged is the heading of what belongs to no finding.
const Unjudged = "the server, before anything could be judged, or the command that serves all cases"

// Write writes the texts in the order of the findings. It refers to a repeated text
// instead of writing it again.
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
			// An indented line cannot be taken for a heading. Traces are indented by
			// tabs, and a tab does no harm.
			b.WriteString(strings.TrimRight("  "+layout.Safe(strings.ReplaceAll(line, "\t", "    ")), " ") + "\n")
		}
	}
	section(Unjudged, r.Stderr)
	for _, f := range r.Findings {
		section(f.Case+", "+f.Place().String(), f.Stderr)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
