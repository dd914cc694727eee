// Package evidence reads the frames of a conversation for a finding: the excerpts that a
// report keeps, the last words of a process, and whether the server only refused access.
// The package does not decide whether a rule is broken.
package evidence

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// shown is how many bytes of a frame a report keeps.
const shown = 4096

// Frames turns frames into the frames of a report, each once.
func Frames(frames []frame.Frame) []reports.Frame {
	var out []reports.Frame
	for i, f := range frames {
		if slices.ContainsFunc(frames[:i], func(e frame.Frame) bool {
			return e.Seq == f.Seq && e.Dir == f.Dir && e.At == f.At
		}) {
			continue // a case and its expectation both kept the frame
		}
		text, cut := excerpt.Middle(written(f), shown)
		out = append(out, reports.Frame{
			Dir: string(f.Dir), AtMs: f.At.Milliseconds(), Kind: f.Kind.String(), Text: text, Truncated: cut || f.Truncated,
		})
	}
	return out
}

// written gives the text of a frame: the bytes of a message, and over HTTP also the
// request line and headers.
func written(f frame.Frame) string {
	switch {
	case f.Kind == frame.KindMessage && f.Dir == frame.Received:
		return f.Payload()
	case f.Kind == frame.KindEnd:
		return strings.Join(append([]string{f.WithoutStderr().Text()}, LastWords(f.Stderr())...), "\n")
	}
	return f.Text()
}
