package evidence

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

const (
	linesAtLast  = 10  // how many lines of stderr a finding shows
	widthOfLine  = 400 // bytes of a shown line; a line of minified source may be a whole program
	stderrOfRuns = 8 << 20
)

// LastWords shows the last lines that a process wrote to stderr: they usually say why the
// process ended. Some processes write how they are called behind that, so the last line that
// names an error is shown, too.
func LastWords(stderr string) []string {
	all := frame.LastLines(stderr, math.MaxInt)
	lines := slices.Clone(all[max(0, len(all)-linesAtLast):])
	head := fmt.Sprintf("stderr, the last %d lines:", len(lines))
	if failure := frame.LastError(all); failure != "" && !slices.Contains(lines, failure) {
		head = fmt.Sprintf("stderr, the last line that names an error, and the last %d lines:", len(lines))
		lines = slices.Insert(lines, 0, failure)
	}
	for i, line := range lines {
		lines[i], _ = excerpt.Middle(line, widthOfLine)
	}
	switch len(lines) {
	case 0:
		return nil
	case 1:
		return []string{"stderr: " + lines[0]}
	}
	return slices.Insert(lines, 0, head)
}

// Stderr bounds how much stderr all findings together keep. Beyond the bound, a finding
// keeps only the lines that it shows.
type Stderr struct{ kept atomic.Int64 }

// Of gives the stderr that a finding with these frames keeps.
func (s *Stderr) Of(frames []frame.Frame) string {
	for _, f := range frames {
		text := f.Stderr()
		if text == "" {
			continue
		}
		if s.kept.Add(int64(len(text))) <= stderrOfRuns {
			return text
		}
		return fmt.Sprintf("(cut: all findings together keep %d MiB)\n", stderrOfRuns>>20) + strings.Join(LastWords(text), "\n")
	}
	return ""
}
