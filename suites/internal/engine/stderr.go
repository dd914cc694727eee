package engine

import (
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

const (
	linesAtLast  = 10  // of stderr in a finding
	widthOfLine  = 400 // bytes of such a line; one of source may be a whole program
	stderrOfRuns = 8 << 20
)

// saidAtLast shows the last lines that a process wrote to stderr: mostly they say
// why it ended.
func saidAtLast(stderr string) []string {
	lines := frame.LastLines(stderr, linesAtLast)
	for i, line := range lines {
		lines[i], _ = excerpt.Middle(line, widthOfLine)
	}
	switch len(lines) {
	case 0:
		return nil
	case 1:
		return []string{"stderr: " + lines[0]}
	}
	return append([]string{fmt.Sprintf("stderr, the last %d lines:", len(lines))}, lines...)
}

// stderr is all that is kept of what the process of a finding wrote to stderr. All
// findings together have a bound, beyond which one keeps what it shows.
func (r *Run) stderr(frames []frame.Frame) string {
	for _, f := range frames {
		text := f.Stderr()
		if text == "" {
			continue
		}
		if r.spoken.Add(int64(len(text))) <= stderrOfRuns {
			return text
		}
		return fmt.Sprintf("(cut: all findings together keep %d MiB)\n", stderrOfRuns>>20) + strings.Join(saidAtLast(text), "\n")
	}
	return ""
}
