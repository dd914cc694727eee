package frame

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// SameID reports whether two ids, given as JSON text, are the same value.
// Escapes in strings do not matter, and 1 equals 1.0, but "1" is not 1 and no
// digit is ever rounded away.
func SameID(a, b string) bool {
	if a == b {
		return true
	}
	if a == "" || b == "" {
		return false
	}
	if a[0] == '"' && b[0] == '"' {
		left, errLeft := jsontext.AppendUnquote(nil, a)
		right, errRight := jsontext.AppendUnquote(nil, b)
		return errLeft == nil && errRight == nil && string(left) == string(right)
	}
	if integer(a) && integer(b) {
		return false // both have the usual form and differ
	}
	left, okLeft := decimal(a)
	right, okRight := decimal(b)
	return okLeft && okRight && left == right
}

// IDKey is the same text for equal ids, and only for those: the key for tables
// of ids.
func IDKey(id string) string {
	if strings.HasPrefix(id, `"`) {
		if text, err := jsontext.AppendUnquote(nil, id); err == nil {
			return `"` + string(text)
		}
	} else if digits, ok := decimal(id); ok {
		return "number " + digits
	}
	return id
}

// Integer reads a JSON number that is an integer in any notation: 1.0 and 1e0
// are 1.
func Integer(number string) (int, bool) {
	text, ok := decimal(number)
	digits, power, scaled := strings.Cut(text, "e")
	const most = 18 // digits; a longer number would not fit anyway
	if scaled && ok {
		zeros, err := strconv.Atoi(power)
		if err != nil || zeros < 0 || zeros > most {
			return 0, false
		}
		digits += strings.Repeat("0", zeros)
	}
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil
}

// integer reports whether a text has the form of most ids: only digits,
// without a leading zero.
func integer[T string | []byte](s T) bool {
	if len(s) == 0 || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := range len(s) {
		if !digit(s[i]) {
			return false
		}
	}
	return true
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// decimal splits a JSON number into digits and exponent, without computing: an
// exponent of a billion must not become a billion digits.
func decimal(s string) (string, bool) {
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return "", false
	}
	rest, negative := strings.CutPrefix(s, "-")
	exponent := 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		n, err := strconv.Atoi(rest[i+1:])
		if err != nil {
			return "", false
		}
		rest, exponent = rest[:i], n
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	if short == "" {
		return "0", true
	}
	if negative {
		short = "-" + short
	}
	return short + "e" + strconv.Itoa(exponent), true
}
