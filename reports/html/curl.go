package html

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/reports"
)

// originIn is the origin of the address in the name of a target; empty where it has none.
func originIn(given string) string {
	return regexp.MustCompile(`\bhttps?://[^\s/,?#'"]+`).FindString(given)
}

var (
	requestLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Z]+) (/\S*)$`) })
	fieldName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[A-Za-z0-9!#$%&*+.^_|~-]+$") })
)

// largestCurl limits the commands on the page.
const largestCurl = 16 << 10

// curl is the command that sends a request over HTTP again; empty for other frames, and for
// requests that curl cannot write.
func curl(origin string, f reports.Frame) string {
	if origin == "" || f.Dir != "sent" || f.Truncated || len(f.Text) > largestCurl || !utf8.ValidString(f.Text) ||
		strings.ContainsRune(f.Text, 0) {
		return ""
	}
	head, body, _ := strings.Cut(f.Text, "\n\n")
	first, fields, _ := strings.Cut(head, "\n")
	request := requestLine().FindStringSubmatch(first)
	if request == nil {
		return ""
	}
	words := []string{"curl", "-i", "-N", "-g", "--path-as-is", "-X", request[1], quotedWord(origin + request[2])}
	for field := range strings.SplitSeq(fields, "\n") {
		name, value, ok := strings.Cut(field, ": ")
		switch {
		case field == "":
		case !ok || !fieldName().MatchString(name):
			return ""
		case value == "":
			words = append(words, "-H", quotedWord(name+";")) // curl's way to write an empty header
		default:
			words = append(words, "-H", quotedWord(field))
		}
	}
	if body != "" {
		words = append(words, "--data-raw", quotedWord(body))
	}
	return strings.Join(words, " ")
}

// quotedWord is a word for a shell.
func quotedWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
