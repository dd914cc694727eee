package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// forms are the texts to look for on account of one secret, as they stand in a
// text and as they are once it is unescaped.
func forms(secret string) []string {
	if utf8.RuneCountInString(secret) < Shortest {
		return nil
	}
	plain := strings.Trim(read(secret), " ")
	all := []string{secret, plain}
	if len(plain) < Shortest {
		// Nearly all of it looks like escapes, so these have to be found as they are.
		quoted, _ := json.Marshal(secret) // a string always can be
		all = append(all, string(quoted[1:len(quoted)-1]), url.QueryEscape(secret), url.PathEscape(secret))
	}
	for _, encoded := range encoded(secret) {
		all = append(all, encoded, read(encoded))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// encoded are the characters of base64 that depend on nothing but the secret,
// when it stands at any place of a longer text.
func encoded(secret string) []string {
	var all []string
	texts := []string{secret}
	if trimmed := strings.TrimSpace(secret); trimmed != secret && len(trimmed) >= Shortest {
		texts = append(texts, trimmed)
	}
	for _, text := range texts {
		for before := range 3 {
			bits := 8 * (before + len(text))
			for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				whole := encoding.EncodeToString(append(make([]byte, before), text...))
				all = append(all, whole[(8*before+5)/6:bits/6])
			}
		}
	}
	return all
}

// read undoes the escapes of a text.
func read(text string) string {
	var out []byte
	for at := 0; at < len(text); {
		if !special[text[at]] {
			out = append(out, text[at])
			at++
			continue
		}
		u := unescape(text, at)
		for _, b := range u.bytes[:u.n] {
			if b != ' ' || len(out) == 0 || out[len(out)-1] != ' ' {
				out = append(out, b)
			}
		}
		at = u.end
	}
	return string(out)
}
