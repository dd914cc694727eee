package layout

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
)

func (p Page) frames(f reports.Finding) []string {
	head, tail := f.Frames, []reports.Frame(nil)
	left := 0
	if p.Frames > 0 && len(f.Frames) > p.Frames {
		left = len(f.Frames) - p.Frames
		head = f.Frames[:p.Frames/3] // the problem shows at the end
		tail = f.Frames[len(head)+left:]
	}
	var lines []string
	for _, frame := range head {
		lines = append(lines, p.frame(frame, f)...)
	}
	if left > 0 {
		lines = append(lines, p.row("", Plain, []string{"... " + Plural(left, "frame") + " omitted ..."})...)
	}
	for _, frame := range tail {
		lines = append(lines, p.frame(frame, f)...)
	}
	if silent(f) {
		lines = append(lines, p.row("received", Plain, []string{"nothing"})...)
	}
	return lines
}

// silent reports that the server was asked and did not answer: silence is evidence too.
func silent(f reports.Finding) bool {
	if f.Status != reports.Fail && f.Status != reports.Warn {
		return false
	}
	for _, frame := range f.Frames {
		if frame.Dir != "sent" {
			return false
		}
	}
	return len(f.Frames) > 0
}

func (p Page) frame(frame reports.Frame, of reports.Finding) []string {
	rows, _ := p.set(frame, of)
	if frame.Truncated {
		rows = append(rows, "... truncated when it was recorded")
	}
	return p.row(frameLabel(frame.Dir), Plain, rows)
}

func frameLabel(dir string) string {
	if dir == "sent" {
		return "sent"
	}
	return "received"
}

// Whole reports whether all frames of a finding stand on the page uncut.
func (p Page) Whole(f reports.Finding) bool {
	if p.Frames > 0 && len(f.Frames) > p.Frames {
		return false
	}
	for _, frame := range f.Frames {
		if _, whole := p.set(frame, f); !whole {
			return false
		}
	}
	return true
}

// set sets the text of a frame, and reports whether the rows hold all of it.
func (p Page) set(frame reports.Frame, of reports.Finding) (rows []string, whole bool) {
	if frame.Text == "" {
		return []string{"(no bytes)"}, true
	}
	if p.Rows == 0 {
		return Rows(frame.Text, p.Room(), 0), true
	}
	if frame.Kind == reports.EndFrame {
		return p.lines(frame.Text)
	}
	if m, isHTTP := readHTTP(frame.Text); isHTTP {
		return p.http(m, of)
	}
	return p.rows(frame.Text, p.Rows)
}

func (p Page) rows(text string, limit int) (rows []string, whole bool) {
	set, rest := fill(text, p.Room(), limit)
	if rest == "" {
		return texts(set), true
	}
	return texts(cut(text, set, p.Room(), limit)), false
}

// linesOfEnd is the number of lines shown of the end of a process: the cause, and the
// last ten lines of stderr.
const linesOfEnd = 14

// lines sets each line of a text in two rows at most: a reader goes through the last
// output of a process line by line, and a line of source code may be as long as a
// program.
func (p Page) lines(text string) (rows []string, whole bool) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	whole = true
	gap := ""
	if left := len(lines) - linesOfEnd; left > 0 {
		gap, whole = "... "+Plural(left+1, "line")+" ...", false
		lines = slices.Delete(lines, 3, 3+left+1)
	}
	for i, line := range lines {
		if i == 3 && gap != "" {
			rows = append(rows, gap)
		}
		set, rest := fill(line, p.Room(), 2)
		if rest != "" {
			behind := line[set[0].bytes:]
			set, whole = []row{set[0], {text: Clip(behind, p.Room())}}, false
		}
		rows = append(rows, texts(set)...)
	}
	return rows, whole
}

// A message of HTTP, as reports show it.
type message struct {
	first  string   // request line or status line
	fields []string // header
	body   string
}

var (
	firstLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[A-Z]+ /\S*|HTTP/[0-9.]+ [0-9]{3}.*)$`)
	})
	fieldLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Za-z0-9!#$%&'*+.^_|~-]+): `)
	})
)

func readHTTP(text string) (message, bool) {
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if !firstLine().MatchString(lines[0]) {
		return message{}, false
	}
	for _, line := range lines[1:] {
		if !fieldLine().MatchString(line) {
			return message{}, false
		}
	}
	return message{lines[0], lines[1:], body}, true
}

// http sets a message of HTTP: the first line, the header fields that the reader has to
// see, and the body with as much room as any other frame.
func (p Page) http(m message, of reports.Finding) (rows []string, whole bool) {
	var shown []string
	for _, field := range m.fields {
		if telling(fieldLine().FindStringSubmatch(field)[1], m.body == "", of) {
			shown = append(shown, field)
		}
	}
	whole = len(shown) == len(m.fields)
	first := m.first
	if !whole {
		first += fmt.Sprintf("  (%s not shown)", Plural(len(m.fields)-len(shown), "header field"))
	}
	parts := append([]string{first}, shown...)
	for _, part := range parts {
		set, all := p.rows(part, max(p.Rows/2, 1))
		rows, whole = append(rows, set...), whole && all
	}
	if m.body != "" {
		set, all := p.rows(m.body, p.Rows)
		rows, whole = append(rows, set...), whole && all
	}
	return rows, whole
}

// telling reports whether a header field explains the finding: the finding names the
// field, or the message has nothing else to show.
func telling(name string, bare bool, of reports.Finding) bool {
	name = strings.ToLower(name)
	switch name {
	case "content-type", "location", "www-authenticate", "retry-after", "allow":
		if bare {
			return true
		}
	}
	for _, text := range []string{of.Problem, of.Rule, of.Title, of.Fix} {
		if mentions(strings.ToLower(text), name) {
			return true
		}
	}
	return false
}

// mentions reports whether a name stands in a text as a whole word.
func mentions(text, name string) bool {
	part := func(r rune) bool { return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	words := strings.FieldsFuncSeq(text, func(r rune) bool { return !part(r) })
	for word := range words {
		if word == name {
			return true
		}
	}
	return false
}
