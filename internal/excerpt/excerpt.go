// Package excerpt cuts texts that are too long for their reader, at places where a cut
// does the least harm. It knows the look of JSON and parses none.
package excerpt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Unit is the number of bytes at the beginning of s that no cut may divide: an escape of
// a JSON string, a pair of surrogates, one of the escapes that reports write, a
// character. It is 0 for the empty text.
func Unit(s string) int {
	if s == "" {
		return 0
	}
	if s[0] == '\\' {
		return escape(s)
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

func escape(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'x':
		if hex(s[2:], 2) {
			return len(`\x1b`)
		}
	case 'u':
		return unicodeEscape(s)
	}
	return 1
}

func unicodeEscape(s string) int {
	const plain = len(`\u1234`)
	if rest, own := strings.CutPrefix(s, `\u{`); own {
		if end := strings.IndexByte(rest[:min(len(rest), len("10ffff}"))], '}'); end > 0 && hex(rest, end) {
			return len(s) - len(rest) + end + 1
		}
		return 1
	}
	if !hex(s[2:], 4) {
		return 1
	}
	high := strings.ToLower(s[2:4]) >= "d8" && strings.ToLower(s[2:4]) <= "db"
	if rest := s[plain:]; high && strings.HasPrefix(rest, `\u`) && hex(rest[2:], 4) {
		if low := strings.ToLower(rest[2:4]); low >= "dc" && low <= "df" {
			return 2 * plain
		}
	}
	return plain
}

// hex reports whether s begins with n hexadecimal digits.
func hex(s string, n int) bool {
	return len(s) >= n && strings.Trim(s[:n], "0123456789abcdefABCDEF") == ""
}

// A Cut says how good a place is to cut a text.
type Cut int

// The places, from the worst to the best.
const (
	Amid    Cut = iota // within a word, and mostly within a string
	Blank              // behind a blank
	Between            // between two tokens of JSON
)

// CutAt says how good a cut before i is. It looks only at the characters beside i, since
// a text may be cut already, or not JSON.
func CutAt(s string, i int) Cut {
	if i <= 0 || i >= len(s) {
		return Amid
	}
	between := false
	switch s[i-1] {
	case ' ', '\n':
		return Blank
	case ',':
		between = strings.IndexByte(`"{[-0123456789tfn`, s[i]) >= 0
	case ':':
		between = i > 1 && s[i-2] == '"' && strings.IndexByte(`"{[`, s[i]) >= 0
	}
	if between {
		return Between
	}
	return Amid
}

// From is the first place at or after i where a unit of s begins.
func From(s string, i int) int {
	at := max(i, 0)
	for at > 0 && at < len(s) && i-at < utf8.UTFMax && !utf8.RuneStart(s[at]) {
		at--
	}
	const longest = len(`\ud83d\ude00`)
	for back := min(longest, at); back > 0; back-- {
		if begin := at - back; s[begin] == '\\' && !escaped(s, begin) {
			for begin < at {
				begin += Unit(s[begin:])
			}
			at = begin
			break
		}
	}
	for at < i && at < len(s) {
		at += Unit(s[at:])
	}
	return min(at, len(s))
}

// escaped reports whether the backslash at i belongs to an escape that begins
// before it.
func escaped(s string, i int) bool {
	n := 0
	for i-n > 0 && s[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// Middle keeps the beginning and the end of a text longer than most bytes, and counts
// the bytes between.
func Middle(s string, most int) (text string, cut bool) {
	if len(s) <= most {
		return s, false
	}
	head, tail := Ends(s, most*3/4, most/4)
	return fmt.Sprintf("%s ... %d bytes ... %s", head, len(s)-len(head)-len(tail), tail), true
}

// Ends gives the beginning and the end of a text, of about the given numbers of bytes.
// They end and begin between tokens of JSON where such a place is near, and never within
// an escape or a character. The text must be longer than both.
func Ends(s string, head, tail int) (beginning, ending string) {
	end, best := From(s, head), Amid
	for i := end; i > head*3/4; i-- {
		if c := CutAt(s, i); c > best {
			end, best = i, c
		}
	}
	begin := From(s, len(s)-tail)
	best = Amid
	for i := begin; i < len(s)-tail*3/4; i++ {
		if c := CutAt(s, i); c > best {
			begin, best = i, c
		}
	}
	return s[:end], s[begin:]
}
