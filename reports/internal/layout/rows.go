package layout

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
	"github.com/mcp-conform/mcp-conform/reports"
)

// A row is one line on the page and the number of bytes it stands for.
type row struct {
	text  string
	bytes int
}

// Rows sets the text of a frame, byte for byte, in rows of the given width. A line break
// in the text ends a row, and a full row ends between two tokens of JSON where its
// second half has such a place. Rows beyond the limit are cut in the middle, and a note
// there counts the missing bytes; 0: no limit.
func Rows(s string, width, limit int) []string {
	rows, rest := fill(s, width, limit)
	if rest == "" {
		return texts(rows)
	}
	return texts(cut(s, rows, width, limit))
}

// fill sets at most limit rows and returns the rest of s.
func fill(s string, width, limit int) (rows []row, rest string) {
	w := writer{width: width, limit: limit}
	used := 0
	glyphs(s, func(g glyph) bool {
		if s[used] == '\n' {
			w.bytes++
			used++
			w.end()
			return !w.full()
		}
		if w.cols+g.cols > width && w.cols > 0 {
			w.wrap()
			if w.full() {
				return false
			}
		}
		w.seams[excerpt.CutAt(s, used)] = w.here()
		w.text = append(w.text, g.shown...)
		w.cols += g.cols
		w.bytes += g.bytes
		used += g.bytes
		return true
	})
	if w.full() {
		return w.rows, s[used-w.bytes:]
	}
	if len(w.text) > 0 || len(w.rows) == 0 {
		w.end()
	}
	return w.rows, ""
}

// A writer fills one row after the other.
type writer struct {
	width, limit int
	rows         []row
	text         []byte // text of the row being filled
	place
	seams [excerpt.Between + 1]place // the last seams of this row
}

// A place is a position within a row: the text, columns and bytes before it.
type place struct{ shown, cols, bytes int }

func (w *writer) full() bool { return w.limit > 0 && len(w.rows) == w.limit }

// end ends the row where it is.
func (w *writer) end() {
	w.rows = append(w.rows, row{string(w.text), w.bytes})
	w.text, w.place = w.text[:0], place{}
	clear(w.seams[:])
}

// wrap ends a full row at the last of its best seams, if at least half of the row stays,
// and begins the next row with the rest.
func (w *writer) wrap() {
	at := w.here()
	for _, best := range []excerpt.Cut{excerpt.Between, excerpt.Blank} {
		if 2*w.seams[best].cols >= w.width {
			at = w.seams[best]
			break
		}
	}
	behind := place{cols: w.cols - at.cols, bytes: w.bytes - at.bytes}
	w.rows = append(w.rows, row{string(w.text[:at.shown]), at.bytes})
	w.text = append(w.text[:0], w.text[at.shown:]...)
	w.place = behind
	clear(w.seams[:])
}

func (w *writer) here() place { return place{len(w.text), w.cols, w.bytes} }

// cut keeps the beginning and the end of a text that needs more rows than the limit. It
// reads only as much of the text as it shows.
func cut(s string, rows []row, width, limit int) []row {
	tail := max((limit-1)/3, 1)
	head := rows[:max(limit-1-tail, 1)]
	kept := 0
	for _, r := range head {
		kept += r.bytes
	}
	end := ending(s, kept, width, tail)
	for _, r := range end {
		kept += r.bytes
	}
	gap := row{text: "... " + Number(len(s)-kept) + " bytes ..."}
	return append(append(head[:len(head):len(head)], gap), end...)
}

// ending sets as much of the end of a text as some rows hold, from the beginning of a
// token where enough text remains, and no text from before the given offset.
func ending(s string, from, width, rows int) []row {
	// One column stands for at least one byte, so this much is always enough.
	begin := excerpt.From(s, max(from, len(s)-width*rows))
	for _, best := range []excerpt.Cut{excerpt.Between, excerpt.Blank} {
		for i := begin; i < len(s)-width*rows/4; i++ {
			if excerpt.CutAt(s, i) < best {
				continue
			}
			if end, _ := fill(s[i:], width, 0); len(end) <= rows {
				return end
			}
		}
	}
	end, _ := fill(s[begin:], width, 0)
	return end[max(len(end)-rows, 0):]
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

// Waiting says how many cases wait for one thing.
func Waiting(n int) string {
	if n == 1 {
		return "1 case waits for it"
	}
	return Plural(n, "case") + " wait for it"
}

// Plural writes a number and its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", noun)
	}
	return fmt.Sprintf("%s %ss", Number(n), noun)
}

// Musts says how many cases of a MUST were judged of those that apply, and how many do not
// apply by the word of the configuration alone; empty where none applies.
func Musts(r reports.Report) string {
	judged, all := r.Musts()
	if all == 0 {
		return ""
	}
	line := Number(judged) + " of " + Plural(all, "MUST case") + " that apply were judged"
	if all == 1 {
		line = Number(judged) + " of 1 MUST case that applies was judged"
	}
	switch n := reports.MustsSaidNone(r.Findings); n {
	case 0:
	case 1:
		line += " (1 more does not apply, says the configuration)"
	default:
		line += " (" + Number(n) + " more do not apply, says the configuration)"
	}
	return line
}
