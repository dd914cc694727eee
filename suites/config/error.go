package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Error is a mistake in a configuration file, with its place.
type Error struct {
	File         string
	Line, Column int    // from 1; 0 for a mistake without a place
	Message      string // one line
	Excerpt      string // the line and a mark below it; empty for a mistake without a place

	cause error
}

// Unwrap returns the reason why a file could not be read.
func (e *Error) Unwrap() error { return e.cause }

// Error returns place and message, and below them the excerpt.
func (e *Error) Error() string {
	place := e.File
	if e.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	text := place + ": " + e.Message
	if e.Excerpt != "" {
		text += "\n" + e.Excerpt
	}
	return text
}

// harmless makes text from the file safe for a message: one line, without
// control characters.
func harmless(message string) string {
	quoted := strconv.Quote(message)
	if len(quoted) == len(message)+2 {
		return message
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}

// Longer lines are cut around the mark.
const excerptWidth = 100

// excerpt shows a line of the file with a mark below the column. It removes control
// characters, since anybody may have written the file and a terminal shows it.
func (s source) excerpt(line, column int) string {
	if line < 1 || line > len(s.lines) {
		return ""
	}
	text := []rune(strings.Map(printable, s.lines[line-1]))
	mark := min(max(column-1, 0), len(text))
	from := 0
	if len(text) > excerptWidth {
		from = min(max(mark-excerptWidth/2, 0), len(text)-excerptWidth)
		text = text[from : from+excerptWidth]
	}
	number := fmt.Sprintf("%4d | ", line)
	blank := strings.Repeat(" ", len(number)-2) + "| "
	return number + strings.TrimRight(string(text), " ") + "\n" + blank + strings.Repeat(" ", mark-from) + "^"
}

func printable(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case !unicode.IsPrint(r):
		return '\uFFFD'
	default:
		return r
	}
}
