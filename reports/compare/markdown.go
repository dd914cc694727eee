package compare

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// mostMarkdown is the room in a comment on GitHub, 65,536 characters, less some for a
// heading.
const mostMarkdown = 60_000

// Markdown writes the result as a comment on a pull request, and counts the changes that
// do not fit. All foreign text stands in code, where nothing is a link, a mention or
// markup.
func Markdown(w io.Writer, r Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### MCP conformance: %s\n\n%s: %s, verdict %s.\n", strings.ToLower(r.word()), r.summary(),
		arrow(code(named(r.Old.Target)), code(named(r.New.Target))),
		arrow(verdictWord(r.Old.Verdict.Status), verdictWord(r.New.Verdict.Status)))
	for _, remark := range r.remarks() {
		fmt.Fprintf(&b, "\n> %s\n", code(remark))
	}
	left := 0
	for _, k := range Kinds() {
		if k == NewlySkipped {
			gradesTable(&b, r)
		}
		of := r.Of(k)
		if len(of) == 0 {
			continue
		}
		// The reader looks for what broke; the rest is one click away.
		before, after := fmt.Sprintf("\n#### %s: %s\n\n", sentence(k.Title()), layout.Number(len(of))), ""
		if !k.Worse() && k != Fixed {
			before = fmt.Sprintf("\n<details><summary>%s: %s</summary>\n\n", sentence(k.Title()), layout.Number(len(of)))
			after = "\n</details>\n"
		}
		b.WriteString(before)
		for _, item := range items(k, of) {
			if b.Len()+len(item.text) > mostMarkdown {
				left += item.changes
				continue
			}
			b.WriteString(item.text)
		}
		b.WriteString(after)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%s left out, since a comment holds no more; `mcp-conform diff` prints all.\n", were(left))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// isPlainLink says whether the text is an address in which nothing is markup. A bound
// on its length within the expression would take a hundred times the memory.
func isPlainLink(text string) bool { return len(text) <= 308 && plainLink.MatchString(text) }

var plainLink = regexp.MustCompile(`^https://[A-Za-z0-9./_~#?=&%-]+$`)

func arrow(was, now string) string {
	if was == now {
		return now
	}
	return was + " → " + now
}

func were(n int) string {
	if n == 1 {
		return "1 change was"
	}
	return layout.Number(n) + " changes were"
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func gradesTable(b *strings.Builder, r Result) {
	if len(r.Grades)+len(r.Extensions) == 0 {
		return
	}
	b.WriteString("\n| | was | is | why not more |\n|---|---|---|---|\n")
	row := func(name, was, now, absent, why string) {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(name), cell(cmp.Or(was, absent)), cell(cmp.Or(now, absent)), cell(why))
	}
	for _, g := range r.Grades {
		row(g.Place.String(), g.Was, g.Now, "not judged", g.Why)
	}
	for _, e := range r.Extensions {
		row(e.Name, e.Was, e.Now, "not claimed", e.Why)
	}
}

// An item is one entry of a list, and the number of changes it stands for.
type item struct {
	text    string
	changes int
}

func items(k Kind, of []Change) []item {
	var all []item
	if !k.bundled() {
		for _, c := range of {
			all = append(all, item{listItem(c), 1})
		}
		return all
	}
	for _, b := range bundles(of) {
		text := "- " + layout.Plural(len(b.cases), "case") + ", " + code(b.places)
		if b.was != "" {
			text += ", " + code(b.was)
		}
		if b.reason != "" {
			text += ": " + code(b.reason)
		}
		all = append(all, item{text + "\n  - " + b.names(code) + "\n", len(b.cases)})
	}
	return all
}

func listItem(c Change) string {
	var b strings.Builder
	f := c.Finding
	fmt.Fprintf(&b, "- **%s** %s %s, %s", layout.Safe(strings.ToUpper(string(f.Status))), code(f.Case),
		layout.Safe(string(f.Level)), code(layout.Places(c.Places)))
	if was := c.formerly(); was != "" {
		b.WriteString(", " + code(was))
	}
	b.WriteString("\n")
	for _, row := range c.shown() {
		text := code(row[1])
		if row[0] == "link" && isPlainLink(row[1]) {
			text = "<" + row[1] + ">"
		}
		fmt.Fprintf(&b, "  - %s: %s\n", row[0], text)
	}
	return b.String()
}

// cell is a text in a table, where a bar ends a cell even in code.
func cell(s string) string {
	if s == "" {
		return ""
	}
	return strings.ReplaceAll(code(s), "|", `\|`)
}

// code is a text of somebody else as a span of code. Its fence is longer than any
// run of backticks in it, and blanks keep those at its ends apart.
func code(s string) string {
	s = layout.Harmless(layout.Clip(strings.TrimSpace(s), longest))
	if s == "" {
		return ""
	}
	longestRun, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longestRun = max(longestRun, run)
	}
	fence := strings.Repeat("`", longestRun+1)
	if longestRun > 0 {
		s = " " + s + " "
	}
	return fence + s + fence
}
