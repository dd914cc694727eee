// Package markdown writes a report as the summary of a job, in the Markdown that GitHub,
// GitLab and Azure show: the verdict, the columns, then the problems, the worst first.
// It cuts a summary that a build server would refuse, and says so.
package markdown

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Limit is the greatest length of a summary: GitHub refuses a summary longer than 1 MiB
// as a whole.
const Limit = 900_000

// Options say how much room there is.
type Options struct {
	Limit int // bytes; 0: the constant Limit
}

// How much is shown of one finding, and of the cases that were not judged.
const (
	pageWidth   = 100
	pageRows    = 5
	pageFrames  = 6
	textWidth   = 500
	nameWidth   = 60
	gapsOfAKind = 12
	casesOfAGap = 5
	verdictRows = 20
	notesOfOne  = 2 // the evidence has all of them
)

// Write writes the summary. The same report and options give the same bytes.
func Write(w io.Writer, r reports.Report, opts Options) error {
	var out strings.Builder
	out.WriteString(head(r))
	after := tail(r)
	room := max(cmp.Or(opts.Limit, Limit)-out.Len()-len(after)-roomForRest, 0)
	left := map[reports.Status]int{}
	for _, status := range []reports.Status{reports.Fail, reports.Error, reports.Warn} {
		for _, b := range r.Blocks(status) {
			text := fitting(b, room)
			if text == "" {
				left[status] += 1 + len(b.Also)
				room = 0 // a lesser problem never takes the room of a worse one
				continue
			}
			room -= len(text)
			out.WriteString(text)
		}
	}
	out.WriteString(rest(left))
	out.WriteString(after)
	_, err := io.WriteString(w, out.String())
	return err
}

// fitting sets as much of a block as fits, if anything does.
func fitting(b reports.Block, room int) string {
	if room == 0 {
		return ""
	}
	for _, set := range []func(reports.Block) string{block, short} {
		if text := set(b); len(text) <= room {
			return text
		}
	}
	return ""
}

// roomForRest is the room for the line that counts the omitted problems.
const roomForRest = 300

// rest counts the findings that did not fit.
func rest(left map[reports.Status]int) string {
	var parts []string
	for _, row := range []struct {
		status reports.Status
		noun   string
	}{{reports.Fail, "failure"}, {reports.Error, "error"}, {reports.Warn, "warning"}} {
		if n := left[row.status]; n > 0 {
			parts = append(parts, layout.Plural(n, row.noun))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "> **Left out: " + strings.Join(parts, ", ") + ".** A summary cannot be longer; `report.json` and `junit.xml` have all of them.\n\n"
}

func head(r reports.Report) string {
	var b strings.Builder
	v := r.Verdict
	fmt.Fprintf(&b, "## %s %s\n\n", word(v.Status), code(strings.TrimSpace(r.Target.Name+" "+r.Target.Version), "unnamed server"))
	if r.Target.Given != "" {
		b.WriteString("Judged: " + code(r.Target.Given, "") + "\n\n")
	}
	b.WriteString(counts(r) + "\n\n")
	if v.Text != "" {
		lines := strings.Split(v.Text, "\n")
		rest := len(lines) - verdictRows
		for _, line := range lines[:min(len(lines), verdictRows)] {
			b.WriteString("> " + prose(strings.TrimSpace(line), textWidth) + "  \n")
		}
		if rest > 0 {
			b.WriteString("> and " + layout.Plural(rest, "more line") + "  \n")
		}
		b.WriteString("\n")
	}
	b.WriteString(columns(v))
	if others := r.OtherRevisions(); others != "" {
		b.WriteString(strings.ToUpper(others[:1]) + prose(others[1:], textWidth) + ".\n\n")
	}
	b.WriteString(extensions(r))
	return b.String()
}

func word(s reports.VerdictStatus) string {
	switch s {
	case reports.Passed:
		return "✅ PASS"
	case reports.Failed:
		return "❌ FAIL"
	case reports.Partial:
		return "🟡 PARTIAL"
	case reports.Unjudged:
		return "⚪ NOT JUDGED"
	case reports.Stopped:
		return "⚪ INTERRUPTED"
	}
	return prose(strings.ToUpper(string(s)), nameWidth)
}

func counts(r reports.Report) string {
	sum := r.Verdict.Total()
	if sum.Total() == 0 {
		if r.Verdict.Status == reports.Unjudged {
			return "The server could not be judged."
		}
		return "No case was selected."
	}
	known := ""
	if n := r.Known(); n > 0 {
		known = ", " + layout.Plural(n, "known failure")
	}
	text := fmt.Sprintf("**%s failed**%s, %s, %s passed, %s not judged, %s not applicable", layout.Number(sum.Fail), known,
		layout.Plural(sum.Warn, "warning"), layout.Number(sum.Pass), layout.Number(sum.Open()), layout.Number(sum.Inapplicable))
	if sum.Error > 0 {
		text += ", " + layout.Plural(sum.Error, "error")
	}
	if musts := layout.Musts(r); musts != "" {
		text += "; " + musts
	}
	if open := r.Untested(); r.Verdict.Status == reports.Partial && len(open) > 0 {
		text += ", the first left is " + code(layout.Clip(open[0], nameWidth), "")
	}
	if part := r.Part(); part != "" && r.Verdict.Status == reports.Passed {
		text += "; " + prose(part, textWidth)
	}
	return text
}

func columns(v reports.Verdict) string {
	if len(v.Columns) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("| revision | transport | grade | fail | warn | error | pass | not judged | what keeps it from the next grade |\n")
	b.WriteString("|---|---|---|--:|--:|--:|--:|--:|---|\n")
	for _, c := range v.Columns {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			prose(string(c.Revision), nameWidth), prose(string(c.Transport), nameWidth), prose(cmp.Or(c.Grade, "none"), nameWidth),
			layout.Number(c.Counts.Fail), layout.Number(c.Counts.Warn), layout.Number(c.Counts.Error),
			layout.Number(c.Counts.Pass), layout.Number(c.Counts.Open()), prose(c.WhyNotNext, textWidth))
	}
	return b.String() + "\n"
}

func extensions(r reports.Report) string {
	verdicts := r.ExtensionVerdicts()
	if len(verdicts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("| extension | claim | verdict | fail | warn | error | pass | not judged | why |\n|---|---|---|--:|--:|--:|--:|--:|---|\n")
	for _, e := range verdicts {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			code(layout.Clip(e.Name, nameWidth), ""), prose(e.Claim, nameWidth), e.Word(),
			layout.Number(e.Counts.Fail), layout.Number(e.Counts.Warn), layout.Number(e.Counts.Error),
			layout.Number(e.Counts.Pass), layout.Number(e.Counts.Open()), prose(e.Why, textWidth))
	}
	return b.String() + "\n"
}

// block sets the first finding of a block with its evidence, and lists the other places.
func block(b reports.Block) string {
	page := layout.Page{Width: pageWidth, Rows: pageRows, Frames: pageFrames}
	lines := page.Evidence(b)
	for i, line := range lines {
		lines[i] = layout.Harmless(line)
	}
	return short(b) + "<details><summary>evidence</summary>\n\n" + fenced(strings.Join(lines, "\n")) + "\n</details>\n\n"
}

// short sets the facts that a reader needs before the evidence.
func short(b reports.Block) string {
	f := b.Finding
	var out strings.Builder
	fmt.Fprintf(&out, "### %s %s %s\n\nExpected: %s, %s\n\n", strings.ToUpper(prose(string(f.Status), nameWidth)), code(f.Case, ""),
		prose(string(f.Level), nameWidth), prose(f.Title, textWidth), prose(layout.Places(b.Places), textWidth))
	fmt.Fprintf(&out, "- **problem** %s\n", code(f.Problem, "no problem was stated"))
	if f.Rule != "" || f.Link != "" {
		parts := []string{"- **rule**"}
		if f.Rule != "" {
			parts = append(parts, prose(f.Rule, textWidth))
		}
		if f.Link != "" {
			parts = append(parts, link(f.Link))
		}
		if f.Origin != "" {
			parts = append(parts, "(from "+prose(f.Origin, textWidth)+")")
		}
		out.WriteString(strings.Join(parts, " ") + "\n")
	}
	if f.Fix != "" {
		out.WriteString("- **fix** " + prose(f.Fix, textWidth) + "\n")
	}
	// Nobody can copy a command that is cut or respelled.
	if again := code(f.Again, ""); f.Again != "" && strings.Contains(again, f.Again) {
		out.WriteString("- **again** " + again + "\n")
	}
	for _, note := range f.Notes[:min(len(f.Notes), notesOfOne)] {
		out.WriteString("- **note** " + prose(note, textWidth) + "\n")
	}
	if n := len(b.Also); n > 0 {
		out.WriteString("- **also** " + layout.Plural(n, "more finding") + " of the same requirement\n")
	}
	return out.String() + "\n"
}
