package markdown

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Markdown never interprets a server's text: the writer puts it into code, in a line or
// in a block, and escapes the marks in other texts.

// code puts a text on one line between backticks, one more than its longest run has. A
// bar would end the cell of a table, so it is spelled out.
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

// fenced puts lines between fences that no line can end.
func fenced(s string) string {
	fence := strings.Repeat("`", max(longest(s, '`')+1, 3))
	return fence + "text\n" + s + "\n" + fence + "\n"
}

// longest is the length of the longest run of a character.
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

// prose escapes all marks of a sentence of ours, since it may quote foreign words. An
// empty comment, which no reader sees, breaks texts that would become a link or mention
// a person.
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

// link writes an address as a link, or as text where it cannot be followed.
func link(s string) string {
	u, err := url.Parse(s)
	web := err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
	if !web || strings.ContainsAny(s, "<> \n\\`()[]|\"'") || layout.Safe(s) != s {
		return code(s, "")
	}
	return "<" + s + ">"
}
