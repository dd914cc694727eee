package frame

import (
	"fmt"
	"strings"
)

// Stderr is what the process had written to stderr when it ended, the end of it
// where it was long, redacted. It is empty for all frames but ends.
func (f Frame) Stderr() string {
	if f.End == nil {
		return ""
	}
	return f.Hide(f.End.Stderr)
}

// WithoutStderr is the same frame without that.
func (f Frame) WithoutStderr() Frame {
	if f.End == nil {
		return f
	}
	end := *f.End
	end.Stderr = ""
	f.End = &end
	return f
}

// framesKept is how many lines of a stack trace are worth reading before its
// message: more of them would push the message out.
const framesKept = 2

// LastLines are the last lines of a text that say something, at most so many:
// without empty ones and without most lines of a stack trace, in place of which
// stands how many they were.
func LastLines(text string, most int) []string {
	var lines []string
	inTrace := 0
	fold := func() {
		if inTrace > framesKept+1 {
			lines = append(lines[:len(lines)-inTrace+framesKept], fmt.Sprintf("    ... %d more lines", inTrace-framesKept))
		}
		inTrace = 0
	}
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(strings.TrimRight(line, " \t\r\n"), "\t", "    ")
		if line == "" {
			continue
		}
		if !strings.HasPrefix(strings.TrimLeft(line, " "), "at ") {
			fold()
		} else {
			inTrace++
		}
		lines = append(lines, line)
	}
	fold()
	return lines[max(0, len(lines)-most):]
}
