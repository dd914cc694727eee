// Package layout sets one finding as lines of plain text that are safe to show
// on a terminal, whatever the server under test has sent. It knows no colours
// and no file format.
package layout

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
)

// Marks allowed on one letter. Scripts need two or three; hundreds paint over
// the lines above and below.
const maxMarks = 4

// A glyph is one character as it is shown, or an escape in the text, and its number of
// bytes. A glyph is never divided.
type glyph struct {
	shown string
	cols  int
	bytes int
}

// glyphs calls yield for each character of s until yield returns false. It spells out
// characters that a terminal would act on and invisible ones: \x1b for a byte, \u{202e}
// for a character. JSON knows neither form, so nobody takes our escape for one that the
// server wrote.
func glyphs(s string, yield func(glyph) bool) {
	marks := 0
	for len(s) > 0 {
		g := glyph{shown: s[:1], cols: 1, bytes: 1}
		switch c := s[0]; {
		case c == '\\':
			n := excerpt.Unit(s)
			g, marks = glyph{shown: s[:n], cols: n, bytes: n}, 0
		case c >= 0x20 && c < 0x7f:
			marks = 0
		default:
			g, marks = foreign(s, marks)
		}
		if !yield(g) {
			return
		}
		s = s[g.bytes:]
	}
}

// foreign is the first character of s where that character needs care, and the number of
// marks on one letter so far.
func foreign(s string, marks int) (glyph, int) {
	r, n := utf8.DecodeRuneInString(s)
	var spelled string
	switch {
	case r == utf8.RuneError && n == 1, r < utf8.RuneSelf:
		spelled = fmt.Sprintf(`\x%02x`, s[0])
	case !visible(r), unicode.Is(unicode.M, r) && marks >= maxMarks:
		spelled = fmt.Sprintf(`\u{%x}`, r)
	case unicode.Is(unicode.M, r):
		return glyph{shown: s[:n], cols: columns(r), bytes: n}, marks + 1
	default:
		return glyph{shown: s[:n], cols: columns(r), bytes: n}, 0
	}
	// An escape is not a letter, so the count continues after it.
	return glyph{shown: spelled, cols: len(spelled), bytes: n}, marks
}

// visible refuses controls, bidi overrides, zero-width and unassigned
// characters, every space but the plain one, and the letters and marks that
// fonts draw as nothing.
func visible(r rune) bool {
	switch {
	case r == 0x34f, r == 0x115f, r == 0x1160, r == 0x2800, r == 0x3164, r == 0xffa0:
		return false
	case unicode.Is(unicode.Variation_Selector, r):
		return false
	}
	return unicode.IsPrint(r)
}

func columns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// Safe returns s as one line that no terminal acts on.
func Safe(s string) string {
	var b strings.Builder
	glyphs(s, func(g glyph) bool {
		b.WriteString(g.shown)
		return true
	})
	return b.String()
}

// Width is the number of columns that s takes once it is safe.
func Width(s string) int {
	cols := 0
	glyphs(s, func(g glyph) bool {
		cols += g.cols
		return true
	})
	return cols
}

// Clip returns s as one safe line of at most the given width; three dots replace the
// rest.
func Clip(s string, width int) string {
	// Marks take bytes and no columns, but maxMarks bounds their number.
	if most := (maxMarks + 1) * utf8.UTFMax * (width + 1); len(s) <= most && Width(s) <= width {
		return Safe(s)
	}
	var b strings.Builder
	left := width - len("...")
	glyphs(s, func(g glyph) bool {
		if left -= g.cols; left < 0 {
			return false
		}
		b.WriteString(g.shown)
		return true
	})
	return b.String() + "..."
}

// Harmless keeps the log of a build from reading a line as a command: GitHub obeys "::"
// after any blanks, Azure and older runners "##[" and TeamCity "##teamcity[" anywhere.
func Harmless(line string) string {
	if rest := strings.TrimLeft(line, " \t"); strings.HasPrefix(rest, "::") {
		line = line[:len(line)-len(rest)] + `\x3a` + rest[1:]
	}
	for _, command := range []string{"##[", "##vso[", "##teamcity["} {
		line = strings.ReplaceAll(line, command, `\x23`+command[1:])
	}
	return line
}
