// Package evidence is what the frames of a conversation tell a finding: what of
// them a report keeps, what a process said before it ended, and whether it was
// only access that was refused. Whether a rule is broken is for others to say.
package evidence

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// shown is how much of a frame a report keeps.
const shown = 4096

// Frames are those that a finding shows, each once.
func Frames(frames []frame.Frame) []reports.Frame {
	var out []reports.Frame
	for i, f := range frames {
		if slices.ContainsFunc(frames[:i], func(e frame.Frame) bool {
			return e.Seq == f.Seq && e.Dir == f.Dir && e.At == f.At
		}) {
			continue // a case and its expectation both kept it
		}
		text, cut := excerpt.Middle(written(f), shown)
		out = append(out, reports.Frame{
			Dir: string(f.Dir), AtMs: f.At.Milliseconds(), Kind: f.Kind.String(), Text: text, Truncated: cut || f.Truncated,
		})
	}
	return out
}

// written is a frame as a reader wants it: the bytes of a message, and the
// request line and headers where they went over HTTP.
func written(f frame.Frame) string {
	switch {
	case f.Kind == frame.KindMessage && f.Dir == frame.Received:
		return f.Payload()
	case f.Kind == frame.KindEnd:
		return strings.Join(append([]string{f.WithoutStderr().Text()}, LastWords(f.Stderr())...), "\n")
	}
	return f.Text()
}
