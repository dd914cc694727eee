package frame

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Stderr is the redacted output of the process on stderr until it ended, or the
// last part of long output. It is empty for all frames but ends.
func (f Frame) Stderr() string {
	if f.End == nil {
		return ""
	}
	return f.Hide(f.End.Stderr)
}

// WithoutStderr is the same frame without its stderr.
func (f Frame) WithoutStderr() Frame {
	if f.End == nil {
		return f
	}
	end := *f.End
	end.Stderr = ""
	f.End = &end
	return f
}

// namesAnError matches the beginning of a line that says why a process ended.
var namesAnError = regexp.MustCompile(`(?i)^[\w.:]*(error|exception|panic|fatal)\b`)

// LastError is the last of the lines that begins with the name of an error; empty if none does.
func LastError(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if namesAnError.MatchString(line) {
			return line
		}
	}
	return ""
}

// framesKept is how many lines of a stack trace to show before its message:
// more of them would push the message out.
const framesKept = 2

// color is what tells a terminal how to show the text behind it.
var color = regexp.MustCompile(`\x1b\[[\d;:]*m`)

// LastLines are the last lines of a text, at most as many as given, without colors. It
// leaves out empty lines and most lines of a stack trace, and puts their number in
// their place.
func LastLines(text string, most int) []string {
	var lines []string
	inTrace := 0
	fold := func() {
		if inTrace > framesKept+1 {
			lines = append(lines[:len(lines)-inTrace+framesKept], fmt.Sprintf("    ... %d more lines", inTrace-framesKept))
		}
		inTrace = 0
	}
	for line := range strings.Lines(color.ReplaceAllString(text, "")) {
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
