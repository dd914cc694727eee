package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// forms are the texts to search for one secret: in a text without its escapes,
// and in the text as it is.
func forms(secret string) (unescaped, asTheyAre []string) {
	for _, form := range append(encoded(secret), secret) {
		if form = bare(form); len(form) >= Shortest {
			unescaped = append(unescaped, form)
		}
	}
	if len(secret) <= 2*swallowed || len(bare(secret)) < Shortest {
		// What stands before the secret may swallow too much of it, or nearly all of its
		// JSON form looks like escapes.
		quoted, _ := json.Marshal(secret) // a string always has a JSON form
		asTheyAre = append(asTheyAre, secret, string(quoted[1:len(quoted)-1]), url.QueryEscape(secret), url.PathEscape(secret))
	}
	return unescaped, asTheyAre
}

// shortestHex is the shortest secret that is hidden in hexadecimal too: fewer digits occur in hashes
// by chance.
const shortestHex = 8

// encoded are the base64 characters that depend only on the secret, at any
// place within a longer text, and its hexadecimal digits.
func encoded(secret string) []string {
	var all []string
	texts := []string{secret}
	if trimmed := strings.TrimSpace(secret); trimmed != secret && len(trimmed) >= Shortest {
		texts = append(texts, trimmed)
	}
	for _, text := range texts {
		if len(text) >= shortestHex {
			all = append(all, fmt.Sprintf("%x", text))
		}
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

// bare is a text without escapes and surrounding blanks.
func bare(text string) string {
	var out []byte
	for at := 0; at < len(text); {
		if !special(text[at]) {
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
	return strings.Trim(string(out), " ")
}
