package junit

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// GitLab stops at an output of some 10 MB and a file of 30 MB.
const (
	evidenceOfOne = 64 << 10
	allEvidence   = 16 << 20
	seeReport     = "\n... the rest is in report.json ...\n"
)

// The layout of a finding inside an element.
const (
	messageWidth = 500
	pageWidth    = 100
	pageRows     = 5
	pageFrames   = 6
)

// A tester turns findings into tests.
type tester struct {
	report   reports.Report
	opts     Options
	evidence int // bytes of output that still fit into the file
	first    map[spot]reports.Finding
}

// A spot identifies a finding.
type spot struct {
	caseID string
	place  reports.Place
}

func spotOf(f reports.Finding) spot { return spot{f.Case, f.Place()} }

// firsts maps each later finding of a requirement to the finding that shows the
// evidence.
func firsts(r reports.Report) map[spot]reports.Finding {
	first := map[spot]reports.Finding{}
	for _, status := range reports.Statuses() {
		if status == reports.Pass || status == reports.Skip {
			continue
		}
		for _, b := range r.Blocks(status) {
			for _, g := range append([]reports.Group{b.Group}, b.Also...) {
				for _, at := range g.Places {
					if other := (spot{g.Finding.Case, at}); other != spotOf(b.Finding) {
						first[other] = b.Finding
					}
				}
			}
		}
	}
	return first
}

func (t *tester) test(f reports.Finding, class string) testcase {
	name := layout.Safe(f.Case + " (" + f.Place().String() + ")")
	c := testcase{Testcase: junit.Testcase{Name: name, Classname: class, Time: seconds(f.DurationMs)}}
	problem := layout.Clip(cmp.Or(f.Problem, "no problem was stated"), messageWidth)
	// Some readers show only the first lines of a body, others only the message. The body
	// begins with the message, and states the problem again below it only if it was cut.
	body := func() string {
		return problem + "\n\n" + t.finding(f, strings.TrimSpace(f.Problem) == problem) + t.about(f)
	}
	switch f.Status {
	case reports.Fail:
		c.Failure = result(string(f.Level), problem, body())
		c.SystemOut = t.proof(f)
	case reports.Warn:
		switch t.opts.Warnings {
		case WarningsFailure:
			c.Failure = result(string(f.Level), problem, body())
			c.SystemOut = t.proof(f)
		case WarningsSkipped:
			c.Skipped = result("", "warning: "+problem, "")
			c.SystemOut = t.spend(body())
		case WarningsPass:
			c.SystemOut = t.spend(body())
		}
	case reports.Skip:
		c.Skipped = skipped(f)
	case reports.Error:
		c.Error = result("kit", problem, body())
		c.SystemOut = t.proof(f)
	case reports.Pass:
		if len(f.Notes) > 0 {
			c.SystemOut = t.spend(notes(f))
		}
	}
	return c
}

// about ends a body: it names the requirements, and the line of the file that names the
// server. Readers look for the last "file:line" of a body where no attribute has one.
func (t *tester) about(f reports.Finding) string {
	ids := make([]string, len(f.Requirements))
	for i, id := range f.Requirements {
		ids[i] = string(id)
	}
	text := ""
	if len(ids) > 0 {
		text = "  checks    " + layout.Safe(strings.Join(ids, ", ")) + "\n"
	}
	if t.opts.File != "" {
		text += fmt.Sprintf("  config    %s:%d\n", layout.Safe(t.opts.File), max(t.opts.Line, 1))
	}
	return text
}

func skipped(f reports.Finding) *junit.Result {
	if f.Reason == nil {
		return result("", "not judged", "")
	}
	return result("", layout.Clip(f.Reason.String(), messageWidth), "")
}

func notes(f reports.Finding) string {
	safe := make([]string, len(f.Notes))
	for i, note := range f.Notes {
		safe[i] = "note: " + layout.Safe(note)
	}
	return strings.Join(safe, "\n")
}

func page() layout.Page { return layout.Page{Width: pageWidth, Rows: pageRows, Frames: pageFrames} }

// finding sets the finding as in the text report. Where another finding shows the
// evidence, it names that finding instead.
func (t *tester) finding(f reports.Finding, told bool) string {
	page := page()
	page.Told = told
	lines := page.Finding(reports.Group{Finding: f, Places: []reports.Place{f.Place()}})
	if first, other := t.first[spotOf(f)]; other {
		lines = page.Reference(f, first)
	}
	return strings.Join(lines, "\n") + "\n"
}

// proof is the evidence in full, for a finding whose own text had to be cut.
func (t *tester) proof(f reports.Finding) *junit.Output {
	if _, other := t.first[spotOf(f)]; other || page().Whole(f) {
		return nil
	}
	var b strings.Builder
	for _, frame := range f.Frames {
		if b.Len() > evidenceOfOne {
			break
		}
		// Text beyond the limit would be cut anyway.
		text := frame.Text[:min(len(frame.Text), evidenceOfOne)]
		fmt.Fprintf(&b, "%s after %d ms:\n%s\n", frame.Dir, frame.AtMs, strings.Join(layout.Rows(text, evidenceOfOne, 0), "\n"))
	}
	return t.spend(b.String())
}

// spend cuts a text to the room left in one output and in the whole file.
func (t *tester) spend(text string) *junit.Output {
	text = inert(clean(text))
	room := min(evidenceOfOne, max(t.evidence, 0))
	if len(text) > room {
		text = strings.ToValidUTF8(text[:max(room-len(seeReport), 0)], "") + seeReport
	}
	t.evidence -= len(text)
	return output(text)
}
