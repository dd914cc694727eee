package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Title heads the changes of a kind.
func (k Kind) Title() string {
	switch k {
	case NewFailure:
		return "new failures"
	case NewWarning:
		return "new warnings"
	case NewError:
		return "new errors"
	case Fixed:
		return "fixed"
	case Milder:
		return "only a warning now"
	case Changed:
		return "another problem than before"
	case NewlySkipped:
		return "no longer judged"
	case Accepted:
		return "accepted as known failures"
	case Inapplicable:
		return "no longer apply"
	case Gone:
		return "no longer in the report"
	}
	return string(k)
}

// counted is the number of changes of a kind, as a part of a sentence.
func (k Kind) counted(n int) string {
	switch k {
	case NewFailure:
		return layout.Plural(n, "new failure")
	case NewWarning:
		return layout.Plural(n, "new warning")
	case NewError:
		return layout.Plural(n, "new error")
	case Fixed, Milder, Changed, NewlySkipped, Accepted, Inapplicable, Gone:
	}
	return layout.Number(n) + " " + k.Title()
}

// word sums the result up in one word or two.
func (r Result) word() string {
	better := len(r.Of(Fixed))+len(r.Of(Milder)) > 0
	switch {
	case r.Worse():
		return "WORSE"
	case better:
		return "BETTER"
	case len(r.Changes)+len(r.Grades)+len(r.Extensions) > 0, r.Old.Verdict.Status != r.New.Verdict.Status:
		return "CHANGED"
	}
	return "SAME"
}

// summary counts the changes. It names a worse verdict where no case says what got worse,
// and grades where nothing else changed.
func (r Result) summary() string {
	if r.VerdictWorse() && !slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Kind.Worse() }) {
		return "a worse verdict, " + r.counted()
	}
	return r.counted()
}

func (r Result) counted() string {
	var parts []string
	for _, k := range Kinds() {
		if n := len(r.Of(k)); n > 0 {
			parts = append(parts, k.counted(n))
		}
	}
	switch n := len(r.Grades) + len(r.Extensions); {
	case len(parts) > 0:
	case n > 0:
		return "every case in both reports has the same result; " + layout.Plural(n, "grade") + " changed"
	default:
		return "every case has the same result"
	}
	return strings.Join(parts, ", ")
}

// remarks warn of differences that may not come from the server.
func (r Result) remarks() []string {
	var lines []string
	was, now := r.Old.Target, r.New.Target
	if was.Name != now.Name && was.Name != "" && now.Name != "" {
		lines = append(lines, fmt.Sprintf("these are reports of different servers: %s and %s", layout.Safe(was.Name), layout.Safe(now.Name)))
	}
	if !slices.ContainsFunc(r.New.Places(), func(p reports.Place) bool { return slices.Contains(r.Old.Places(), p) }) &&
		len(r.New.Findings)*len(r.Old.Findings) > 0 {
		lines = append(lines, "no revision over one transport is in both reports, so that every case counts as new")
	}
	if r.Old.Kit != r.New.Kit {
		lines = append(lines, fmt.Sprintf("judged by %s, then by %s: a difference may come from there",
			layout.Safe(r.Old.Kit.String()), layout.Safe(r.New.Kit.String())))
	}
	return lines
}

// named is a server and its version.
func named(t reports.Target) string {
	name := layout.Clip(strings.TrimSpace(t.Name+" "+t.Version), 60)
	if name == "" {
		return "unnamed server"
	}
	return name
}

// verdictWord is a verdict as the text report writes it.
func verdictWord(s reports.VerdictStatus) string {
	if s == reports.Unjudged {
		return "NOT JUDGED"
	}
	return layout.Safe(strings.ToUpper(string(s)))
}

// turn writes the earlier and the later value.
func turn(was, now string) string {
	if was == now {
		return now
	}
	return was + " -> " + now
}

// formerly names the earlier status of a case; empty where the heading names it.
func (c Change) formerly() string {
	switch {
	case c.Was == "":
		return "new case"
	case c.Kind == Changed:
		return ""
	}
	return "was " + layout.Safe(c.Was)
}

// shown are the lines of evidence of a change: a label and a text each.
func (c Change) shown() [][2]string {
	f := c.Finding
	var rows [][2]string
	row := func(label, text string) {
		if text != "" {
			rows = append(rows, [2]string{label, text})
		}
	}
	switch c.Kind {
	case NewFailure, NewWarning, NewError, Changed:
		if c.Kind == Changed {
			row("was", c.Problem)
		}
		row("problem", f.Problem)
		row("rule", f.Rule)
		row("link", f.Link)
		row("from", f.Origin)
		row("fix", f.Fix)
		row("again", f.Again)
	case Milder:
		row("problem", f.Problem)
	case Accepted:
		if f.Reason != nil {
			row("reason", f.Reason.String())
		}
	case Fixed, NewlySkipped, Inapplicable, Gone:
	}
	return rows
}
