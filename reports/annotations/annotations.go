// Package annotations writes a report as workflow commands of GitHub Actions, which show
// findings beside a change. It leaves every line that is not a command to the other
// writers.
package annotations

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Options say where the findings are shown.
type Options struct {
	Strict bool   // a broken SHOULD fails the run
	File   string // file that names the server, from the root of the repository
	Line   int
}

// GitHub shows ten of a kind for each step, and drops the others without a word.
const (
	shown      = 10
	titleWidth = 200
	textWidth  = 500
	textRows   = 20
)

// A kind is what GitHub calls a level of annotations.
type kind string

const (
	problem kind = "error"
	caution kind = "warning"
	notice  kind = "notice"
)

// A message is one annotation.
type message struct {
	title string
	lines []string
}

// Write writes the annotations, the worst first. Of more than ten of a kind, the
// tenth says how many are left out.
func Write(w io.Writer, r reports.Report, opts Options) error {
	all := map[kind][]message{}
	for _, status := range []reports.Status{reports.Fail, reports.Error, reports.Warn} {
		for _, b := range r.Blocks(status) {
			to := problem
			if status == reports.Warn && !opts.Strict {
				to = caution
			}
			all[to] = append(all[to], of(b))
		}
	}
	if m, needed := verdict(r); needed {
		all[problem] = append([]message{m}, all[problem]...)
	}
	if m, needed := partial(r); needed {
		all[notice] = append(all[notice], m)
	}
	var out strings.Builder
	for _, k := range []kind{problem, caution, notice} {
		messages := all[k]
		if left := len(messages) - shown; left > 0 {
			left++ // this one makes room for the notice
			messages = append(messages[:shown-1:shown-1], message{
				title: layout.Plural(left, "more "+string(k)),
				lines: []string{"GitHub shows ten of a kind; report.json and junit.xml have all of them"},
			})
		}
		for _, m := range messages {
			out.WriteString(command(k, m, opts))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func of(b reports.Block) message {
	f := b.Finding
	m := message{title: strings.ToUpper(string(f.Status)) + " " + f.Case + " (" + string(f.Level) + ")"}
	m.lines = []string{cmp.Or(f.Problem, "no problem was stated"), "expected: " + f.Title + ", " + layout.Places(b.Places)}
	for _, row := range []struct{ label, text string }{
		{"rule: ", f.Rule}, {"from ", f.Origin}, {"fix: ", f.Fix}, {"again: ", f.Again}, {"see ", f.Link},
	} {
		if row.text != "" {
			m.lines = append(m.lines, row.label+row.text)
		}
	}
	if f.Status == reports.Warn && len(f.Notes) > 0 { // a note may say why a MUST is a warning only
		m.lines = append(m.lines, "note: "+f.Notes[0])
	}
	if len(b.Also) > 0 {
		m.lines = append(m.lines, layout.Plural(len(b.Also), "more finding")+" of the same requirement, the first is "+b.Also[0].Finding.Case)
	}
	return m
}

// verdict is an annotation for a run that failed without any finding that shows why.
func verdict(r reports.Report) (message, bool) {
	v := r.Verdict
	switch {
	case v.Status == reports.Unjudged:
		return message{"the server could not be judged", lines(cmp.Or(v.Text, "nothing is known about it"))}, true
	case v.ExitCode == reports.ExitFailed && v.Total().Fail == 0 && v.Text != "":
		return message{"the run failed", lines(v.Text)}, true
	}
	return message{}, false
}

// partial says what keeps the run from saying that the server conforms.
func partial(r reports.Report) (message, bool) {
	untested := r.Untested()
	if r.Verdict.Status != reports.Partial || len(untested) == 0 {
		return message{}, false
	}
	m := message{title: "partial: a MUST that applies was not judged"}
	m.lines = []string{layout.Plural(len(untested), "case") + ", the first is " + untested[0]}
	for _, g := range r.Gaps() {
		if g.Role != "" {
			m.lines = append(m.lines, g.Role+" enables "+layout.Plural(len(g.Cases), "case"))
		}
	}
	return m, true
}

func lines(text string) []string { return strings.Split(text, "\n") }

// command is one line that GitHub obeys.
func command(k kind, m message, opts Options) string {
	var properties []string
	if opts.File != "" {
		properties = append(properties, "file="+property(opts.File), fmt.Sprintf("line=%d", max(opts.Line, 1)))
	}
	properties = append(properties, "title="+property(m.title))
	rows := m.lines
	if left := len(rows) - textRows; left > 0 {
		rows = append(rows[:textRows:textRows], "and "+layout.Plural(left, "more line"))
	}
	safe := make([]string, len(rows))
	for i, row := range rows {
		safe[i] = data(row, textWidth)
	}
	return "::" + string(k) + " " + strings.Join(properties, ",") + "::" + strings.Join(safe, "%0A") + "\n"
}

// data puts a text on one line behind a command. Other build servers may read the log
// too, so their commands are spelled out.
func data(s string, width int) string {
	s = layout.Harmless(layout.Clip(s, width))
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s, titleWidth))
}
