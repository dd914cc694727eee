package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// These limits bound foreign text on the page. The page says how much it leaves out, and
// report.json has everything.
const (
	longestName  = 300   // bytes of a text on one line
	longestText  = 4_000 // bytes of a paragraph
	longestLine  = 2_000 // bytes of one line of a frame
	mostLines    = 400   // lines of a frame
	deepest      = 60    // levels of JSON: each level widens the indent
	largestFrame = 1 << 20
)

// A frame is one piece of evidence, set for reading.
type frame struct {
	Dir, Word, At string
	Curl          string // the command that sends it again, over HTTP
	Pieces        []piece
}

// A piece is some lines of a frame: lines as they were sent, the place that a problem
// names, or our remark on omitted lines.
type piece struct {
	Mark, Gap bool
	Text      string
}

func frames(f reports.Finding, origin string) []frame {
	all := make([]frame, len(f.Frames))
	want := placeIn(f.Problem)
	marked := false
	// A problem is about the last answer that has such a place.
	for i := len(f.Frames) - 1; i >= 0; i-- {
		from := f.Frames[i]
		path := want
		if marked || from.Dir == "sent" {
			path = nil
		}
		all[i] = newFrame(from)
		all[i].Curl = curl(origin, from)
		lines, found := set(from.Text, path)
		marked = marked || found
		all[i].Pieces = pieces(lines)
		if from.Truncated {
			all[i].Pieces = append(all[i].Pieces, piece{Gap: true, Text: "truncated when it was recorded"})
		}
		if from.Text == "" {
			all[i].Pieces = []piece{{Gap: true, Text: "no bytes"}}
		}
	}
	return all
}

func newFrame(from reports.Frame) frame {
	out := frame{Dir: "received", Word: "Received", At: took(from.AtMs)}
	switch {
	case from.Dir == "sent":
		out.Dir, out.Word = "sent", "Sent"
	case from.Kind == reports.EndFrame:
		out.Dir, out.Word = "end", "The end"
	}
	return out
}

// A line of a frame.
type line struct {
	text      string
	mark, gap bool
}

// set makes lines of a frame: a JSON value is indented, wherever it stands.
func set(raw string, want []string) (lines []line, found bool) {
	if raw == "" {
		return nil, false
	}
	if head, body, isHTTP := strings.Cut(raw, "\n\n"); isHTTP && firstLine().MatchString(raw) {
		lines, found = set(body, want)
		return append(append(plain(head), line{}), lines...), found
	}
	if pretty, ok := indented(raw); ok {
		return mark(pretty, want)
	}
	for each := range strings.SplitSeq(raw, "\n") {
		data, isEvent := strings.CutPrefix(each, "data: ")
		if pretty, ok := indented(data); isEvent && ok {
			of, at := mark(pretty, want)
			of[0].text = "data: " + of[0].text
			lines, found = append(lines, of...), found || at
			continue
		}
		lines = append(lines, line{text: each})
	}
	return lines, found
}

// firstLine is how a message of HTTP begins.
var firstLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Z]+ /\S*|HTTP/[0-9.]+ [0-9]{3}[^\n]*)\n`)
})

func plain(text string) []line {
	var lines []line
	for each := range strings.SplitSeq(text, "\n") {
		lines = append(lines, line{text: each})
	}
	return lines
}

// indented writes a JSON object or array over several lines. Only blanks between tokens
// change. A deeply nested value stays as it is, since indenting would make it many times
// as long.
func indented(raw string) (string, bool) {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || len(raw) > largestFrame || depth(trimmed) > deepest {
		return "", false
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(trimmed), "", "  ") != nil {
		return "", false
	}
	return b.String(), true
}

func depth(raw string) int {
	now, most, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most
}

var (
	leadingPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$((?:` + token + `)+)[ ,]`) })
	pathToken   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(token) })
)

const token = `\.[A-Za-z_][A-Za-z0-9_]*|\["(?:[^"\\]|\\.)*"\]|\[[0-9]+\]`

// placeIn reads the path at the beginning of a problem, as in "$.result.tools[3].name is
// "a b", want ...", token by token; nil where the problem names no place.
func placeIn(problem string) []string {
	path := leadingPath().FindStringSubmatch(problem)
	if path == nil {
		return nil
	}
	var tokens []string
	for _, t := range pathToken().FindAllString(path[1], -1) {
		var name string
		switch {
		case t[0] == '.':
			name = t[1:]
		case t[1] != '"':
			name = t
		case json.Unmarshal([]byte(t[1:len(t)-1]), &name) != nil:
			return nil
		}
		tokens = append(tokens, name)
	}
	return tokens
}

// pieces joins lines of one kind, and cuts long pieces.
func pieces(lines []line) []piece {
	var all []piece
	add := func(l line) {
		shown := l.text
		if !l.gap {
			shown = cutLine(l.text)
		}
		if last := len(all) - 1; last >= 0 && all[last].Mark == l.mark && all[last].Gap == l.gap {
			all[last].Text += "\n" + shown
			return
		}
		all = append(all, piece{l.mark, l.gap, shown})
	}
	if left := len(lines) - mostLines; left > 0 {
		tail := lines[len(lines)-mostLines/2:]
		head := lines[:mostLines/2]
		gap := line{gap: true, text: fmt.Sprintf("%s left out", layout.Plural(left, "line"))}
		lines = append(append(append([]line{}, head...), gap), tail...)
	}
	for _, l := range lines {
		add(l)
	}
	return all
}

// cutLine cuts a line of a frame and makes it inert.
func cutLine(s string) string { return cut(s, longestLine) }

func cut(s string, most int) string {
	if len(s) <= most {
		return layout.Safe(s)
	}
	head, tail := excerpt.From(s, most*2/3), excerpt.From(s, len(s)-most/3)
	return layout.Safe(s[:head]) + fmt.Sprintf(" … %s left out … ", layout.Plural(tail-head, "byte")) + layout.Safe(s[tail:])
}

// short is a text that stands on one line.
func short(s string) string { return cut(s, longestName) }

// text is a paragraph, with its line breaks.
func text(s string) string {
	var lines []string
	left := longestText
	all := strings.Split(s, "\n")
	for i, each := range all {
		if left <= 0 {
			lines = append(lines, "… "+layout.Plural(len(all)-i, "line")+" left out")
			break
		}
		lines = append(lines, cut(each, min(longestLine, max(left, longestName))))
		left -= len(lines[i]) + 1
	}
	return strings.Join(lines, "\n")
}
