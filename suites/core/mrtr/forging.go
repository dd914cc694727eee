package mrtr

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// A coding is a way in which states are written.
type coding struct {
	decode func(string) ([]byte, error)
	encode func([]byte) string
}

// codings are the usual ones, the strictest first.
func codings() []coding {
	all := []coding{
		{func(text string) ([]byte, error) { return []byte(text), nil }, func(text []byte) string { return string(text) }},
		{hex.DecodeString, hex.EncodeToString},
	}
	for _, each := range []*base64.Encoding{base64.RawURLEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.StdEncoding} {
		all = append(all, coding{each.DecodeString, each.EncodeToString})
	}
	return all
}

// rewritten replaces a text in a state of which a part can be read, such as one part of a token
// whose parts are joined by dots.
func rewritten(state, from, to string) (changed string, found bool) {
	parts := strings.Split(state, ".")
	for i, part := range parts {
		for _, c := range codings() {
			text, err := c.decode(part)
			if err != nil || !strings.Contains(string(text), from) {
				continue
			}
			parts[i], found = c.encode([]byte(strings.ReplaceAll(string(text), from, to))), true
			break
		}
	}
	return strings.Join(parts, "."), found
}
