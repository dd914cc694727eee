package layout

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A row is one line on the page and the number of bytes it stands for.
type row struct {
	text  string
	bytes int
}

// Rows sets the text of a frame, byte for byte, in rows of the given width. A
// line break in the text ends a row. More rows than the limit are cut in the
// middle, and the number of bytes left out stands there; no limit is 0.
func Rows(s string, width, limit int) []string {
	rows, rest := fill(s, width, limit)
	if rest == "" {
		return texts(rows)
	}
	return texts(cut(s, rows, width, limit))
}

// fill sets at most limit rows and returns what is left of s.
func fill(s string, width, limit int) (rows []row, rest string) {
	var b strings.Builder
	var now row
	cols, used := 0, 0
	end := func() {
		now.text = b.String()
		rows = append(rows, now)
		b.Reset()
		now, cols = row{}, 0
	}
	glyphs(s, func(g glyph) bool {
		if s[used] == '\n' {
			now.bytes++
			used++
			end()
			return limit == 0 || len(rows) < limit
		}
		if cols+g.cols > width && cols > 0 {
			end()
			if limit > 0 && len(rows) == limit {
				return false
			}
		}
		b.WriteString(g.shown)
		cols += g.cols
		now.bytes += g.bytes
		used += g.bytes
		return true
	})
	if b.Len() > 0 || len(rows) == 0 {
		end()
	}
	return rows, s[used:]
}

// cut keeps the beginning and the end of a text that needs more rows than the
// limit. It looks at no more of the text than it shows.
func cut(s string, rows []row, width, limit int) []row {
	tail := max((limit-1)/3, 1)
	head := rows[:max(limit-1-tail, 1)]
	kept := 0
	for _, r := range head {
		kept += r.bytes
	}
	// One column stands for at least one byte, so this much is always enough.
	end, _ := fill(runesFrom(s, max(kept, len(s)-width*tail)), width, 0)
	end = end[max(len(end)-tail, 0):]
	for _, r := range end {
		kept += r.bytes
	}
	gap := row{text: "... " + Number(len(s)-kept) + " bytes ..."}
	return append(append(head[:len(head):len(head)], gap), end...)
}

// runesFrom returns s from the first character that begins at i or after it.
func runesFrom(s string, i int) string {
	for skip := range min(utf8.UTFMax, len(s)-i) {
		if utf8.RuneStart(s[i+skip]) {
			return s[i+skip:]
		}
	}
	return s[i:] // no UTF-8, so every byte stands for itself
}

// Prose sets a sentence in rows of the given width, broken between words where
// that is possible.
func Prose(s string, width int) []string {
	var rows []string
	for line := range strings.SplitSeq(s, "\n") {
		rows = append(rows, words(line, width)...)
	}
	return rows
}

func words(line string, width int) []string {
	var rows []string
	now, cols := "", 0
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ' ' }) {
		wide := Width(word)
		switch {
		case now != "" && cols+1+wide <= width:
			now, cols = now+" "+Safe(word), cols+1+wide
			continue
		case now != "":
			rows = append(rows, now)
		}
		// A word that is too long, a path or a base64 text, is broken anywhere.
		parts, _ := fill(word, width, 0)
		for _, p := range parts[:len(parts)-1] {
			rows = append(rows, p.text)
		}
		now = parts[len(parts)-1].text
		cols = Width(now)
	}
	return append(rows, now)
}

func texts(rows []row) []string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.text
	}
	return lines
}

// Number writes n with a comma between thousands.
func Number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Plural writes a number and its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", noun)
	}
	return fmt.Sprintf("%s %ss", Number(n), noun)
}
