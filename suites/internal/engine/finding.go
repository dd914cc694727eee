package engine

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// shown is how much of a frame a report keeps.
const shown = 4096

func (g *Gathering) finding(s Spec) reports.Finding {
	return reports.Finding{
		Case: s.Case.ID, Suite: s.Suite.Name, Title: s.Case.Title,
		Revision: s.Column.Revision, Transport: s.Column.Transport,
		Level: s.clause.Level, Requirements: s.Case.Checks,
		Rule: s.clause.Text, Link: s.clause.Link(s.Column.Revision),
	}
}

func skipped(f reports.Finding, why reports.Reason) reports.Finding {
	f.Status, f.Reason = reports.Skip, &why
	return f
}

func passed(f reports.Finding) reports.Finding {
	f.Status = reports.Pass
	return f
}

// broken is the only place where a violation becomes a finding.
func (g *Gathering) broken(s Spec, f reports.Finding, v *probe.Violation) reports.Finding {
	var why string
	f.Status, why = severity(s.clause, s.Suite.Extension.Name, g.strength(s), v)
	if why != "" {
		f.Notes = append(f.Notes, why)
	}
	f.Problem, f.Fix, f.Again = g.redact(v.Problem), s.Case.Fix, g.again(s, s.Case.ID)
	f.Frames = evidence(v.Frames)
	return f
}

func (g *Gathering) unjudged(f reports.Finding, err error) reports.Finding {
	f.Status, f.Problem = reports.Error, g.redact(err.Error())
	return f
}

func (g *Gathering) strength(s Spec) probe.Strength {
	if survey := g.surveys[s.Column]; survey != nil {
		return survey.Claims[s.Suite.Extension.Name].Strength
	}
	return probe.Weak
}

// again is the command line that judges this case alone. A watcher needs the
// case whose traffic it complained about, or all of them where that is nobody's.
func (g *Gathering) again(s Spec, by string) string {
	line := "mcp-conform run"
	switch {
	case by == s.Case.ID:
		line += " --case " + by
	case by != "":
		line += " --case " + by + "," + s.Case.ID
	}
	if len(g.columns) > 1 {
		line += fmt.Sprintf(" --revision %s --transport %s", s.Column.Revision, s.Column.Transport)
	}
	if g.plan.Again != "" {
		line += " " + g.plan.Again
	}
	return line
}

func evidence(frames []frame.Frame) []reports.Frame {
	var out []reports.Frame
	for _, f := range frames {
		text, cut := middle(written(f), shown)
		if slices.ContainsFunc(out, func(e reports.Frame) bool {
			return e.Text == text && e.Dir == string(f.Dir) && e.AtMs == f.At.Milliseconds()
		}) {
			continue // a case and its expectation both kept it
		}
		out = append(out, reports.Frame{
			Dir: string(f.Dir), AtMs: f.At.Milliseconds(), Text: text, Truncated: cut || f.Truncated,
		})
	}
	return out
}

// written is a frame as a reader wants it: the bytes of a message, and the
// request line and headers where they went over HTTP.
func written(f frame.Frame) string {
	if f.Kind == frame.KindMessage && f.Dir == frame.Received {
		return f.Payload()
	}
	return f.Text()
}

// middle keeps the beginning and the end of a text that is too long.
func middle(s string, most int) (string, bool) {
	if len(s) <= most {
		return s, false
	}
	runes := []rune(s)
	if len(runes) <= most {
		return s, false
	}
	return fmt.Sprintf("%s ... %d characters ... %s", string(runes[:most*3/4]), len(runes)-most, string(runes[len(runes)-most/4:])), true
}

func declares(capabilities probe.Object, path string) bool {
	return declaredAt(map[string]any(capabilities), path)
}

// notes keeps the first of equal notes, in order.
func (g *Gathering) notes(noted []string) []string {
	var unique []string
	for _, n := range noted {
		if n = g.redact(n); !slices.Contains(unique, n) {
			unique = append(unique, n)
		}
	}
	return unique
}
