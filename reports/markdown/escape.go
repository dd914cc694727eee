package markdown

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Nothing of a server's text is left to Markdown: what it says goes into code, in
// a line or in a block, and other texts have their marks escaped.

// code is a text on one line between as many backticks as it takes. A bar would
// end the cell of a table, so that it is spelled out.
func code(s, otherwise string) string {
	s = layout.Harmless(layout.Clip(cmp.Or(s, otherwise), textWidth))
	if strings.TrimSpace(s) == "" {
		return ""
	}
	s = strings.ReplaceAll(s, "|", `\x7c`)
	marks := strings.Repeat("`", longest(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s != strings.TrimSpace(s) {
		s = " " + s + " "
	}
	return marks + s + marks
}

// fenced is a block of lines between fences that it cannot end.
func fenced(s string) string {
	fence := strings.Repeat("`", max(longest(s, '`')+1, 3))
	return fence + "text\n" + s + "\n" + fence + "\n"
}

// longest is the length of the longest row of a character.
func longest(s string, of byte) int {
	most, now := 0, 0
	for i := range len(s) {
		if s[i] != of {
			now = 0
			continue
		}
		now++
		most = max(most, now)
	}
	return most
}

// prose is a sentence of ours. Words of somebody else may stand in it, so that all
// marks are escaped, and what would become a link or name a person is taken apart
// by an empty comment, which no reader sees.
func prose(s string, width int) string {
	s = layout.Clip(s, width)
	var b strings.Builder
	for i, r := range s {
		switch {
		case strings.ContainsRune("\\`*_{}[]()<>|~$^=+", r):
			b.WriteByte('\\')
		case r == '-' && i == 0:
			b.WriteByte('\\')
		case r == '&':
			b.WriteString("&amp;")
			continue
		case r == '#':
			b.WriteString("&#35;")
			continue
		case r == '!' && strings.HasPrefix(s[i+1:], "["):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		if r == '@' || r == ':' && strings.HasPrefix(s[i+1:], "//") || r == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www") {
			b.WriteString("<!-- -->")
		}
	}
	return strings.ReplaceAll(b.String(), "::", "&#58;:")
}

// link is an address that can be followed, and a text where it cannot.
func link(s string) string {
	u, err := url.Parse(s)
	web := err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
	if !web || strings.ContainsAny(s, "<> \n\\`()[]|\"'") || layout.Safe(s) != s {
		return code(s, "")
	}
	return "<" + s + ">"
}
