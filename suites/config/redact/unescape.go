package redact

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// special reports whether a byte may begin an escape, or is changed by one.
func special(c byte) bool {
	const low uint64 = 1<<'%' | 1<<'&' | 1<<'+' | 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'\r'
	return c == '\\' || c < 64 && low>>c&1 != 0
}

// A unit is one character of a text, in whatever escaped form.
type unit struct {
	bytes [utf8.UTFMax]byte
	n     int // 0 for text that does not count
	end   int // of the text read
}

// unescape reads the unit that begins at a special byte. A text may have been
// escaped several times, in JSON, in a URL and in HTML, and nothing says where
// that begins, so all escapes are undone: a backslash only affects the next
// character, %25 is %, and + is a blank. Secrets are read in the same way, so
// that both match. Line ends are dropped, since base64 is wrapped with them.
func unescape(text string, at int) unit {
	switch c := text[at]; c {
	case '\\':
		return backslash(text, at)
	case '%':
		return percent(text, at)
	case '&':
		return entity(text, at)
	default:
		return one(c, at+1)
	}
}

// one is a unit of one byte.
func one(b byte, end int) unit {
	switch b {
	case '\n', '\r':
		return unit{end: end}
	case '\t', '+':
		b = ' '
	}
	return unit{bytes: [utf8.UTFMax]byte{b}, n: 1, end: end}
}

func char(r rune, end int) unit {
	if r < utf8.RuneSelf {
		return one(byte(r), end)
	}
	u := unit{end: end}
	u.n = utf8.EncodeRune(u.bytes[:], r)
	return u
}

// backslash reads any number of backslashes and the escape after them, if it is
// more than the next character.
func backslash(text string, at int) unit {
	for at < len(text) {
		switch {
		case text[at] == '\\':
			at++
			continue
		case hasFold(text[at:], "%5c"):
			at += 3
			continue
		case hasFold(text[at:], "u005c"):
			at += 5
			continue
		}
		break
	}
	if at == len(text) {
		return unit{end: at}
	}
	switch text[at] {
	case 'u', 'U':
		// Capitals are no sign of eight digits, since either case may have been changed.
		if v, ok := hex(text, at+1, 8); ok && v > 0xffff && v <= utf8.MaxRune {
			return number(text, at, 8)
		}
		return codeUnit(text, at)
	case 'x', 'X':
		if v, ok := hex(text, at+1, 2); ok {
			return one(byte(v), at+3)
		}
	case 'n', 'r', 'N', 'R':
		return unit{end: at + 1}
	case 't', 'T':
		return one(' ', at+1)
	case 'b', 'B':
		return one('\b', at+1)
	case 'f', 'F':
		return one('\f', at+1)
	}
	return unit{end: at}
}

// codeUnit reads an escape that begins with u after the backslash, and the
// other half of a surrogate pair.
func codeUnit(text string, at int) unit {
	u := number(text, at, 4)
	first, ok := hex(text, at+1, 4)
	if !ok || !utf16.IsSurrogate(rune(first)) {
		return u
	}
	next := u.end
	for next < len(text) && text[next] == '\\' {
		next++
	}
	if next > u.end && next < len(text) && lower(text[next]) == 'u' {
		if second, ok := hex(text, next+1, 4); ok {
			if r := utf16.DecodeRune(rune(first), rune(second)); r != utf8.RuneError {
				return char(r, next+5)
			}
		}
	}
	return u
}

// number reads a letter and the given number of hexadecimal digits. Without the
// digits the letter is a letter.
func number(text string, at, digits int) unit {
	if v, ok := hex(text, at+1, digits); ok {
		return char(rune(min(v, utf8.MaxRune+1)), at+1+digits)
	}
	return unit{end: at}
}

func percent(text string, at int) unit {
	at++
	for strings.HasPrefix(text[at:], "25") {
		at += 2
	}
	v, ok := hex(text, at, 2)
	switch {
	case !ok:
		return one('%', at)
	case v == '\\':
		return backslash(text, at+2)
	}
	return one(byte(v), at+2)
}

// entity reads an entity of HTML for a special character.
func entity(text string, at int) unit {
	at++
	for hasFold(text[at:], "amp;") {
		at += 4
	}
	for _, known := range []struct {
		name string
		is   byte
	}{{"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}} {
		if hasFold(text[at:], known.name) {
			return one(known.is, at+len(known.name))
		}
	}
	const longest = 8 // digits of a character's number
	if !strings.HasPrefix(text[at:], "#") {
		return one('&', at)
	}
	digits, base := text[at+1:min(len(text), at+1+longest)], 10
	name, _, closed := strings.Cut(digits, ";")
	if hexadecimal := strings.TrimLeft(name, "xX"); len(name)-len(hexadecimal) == 1 {
		name, base = hexadecimal, 16
	}
	v, err := strconv.ParseUint(name, base, 21)
	if !closed || err != nil {
		return one('&', at)
	}
	return char(rune(v), at+1+strings.IndexByte(digits, ';')+1)
}

// hex reads the given number of hexadecimal digits.
func hex(text string, at, digits int) (value uint32, ok bool) {
	if at+digits > len(text) {
		return 0, false
	}
	for _, c := range []byte(text[at : at+digits]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		value = value<<4 | uint32(c)
	}
	return value, true
}

// lower is an ASCII letter in lower case; another byte is what it was. A server may write a
// key of hexadecimal digits, for example, in either case, and both are the key.
func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// lowered is a text in lower case, with every byte in its place.
func lowered(text string) string {
	out := []byte(text)
	for i, c := range out {
		out[i] = lower(c)
	}
	return string(out)
}

func hasFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}
