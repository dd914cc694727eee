package text

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// verdict writes the last screen: the verdict in a word, its counts, grades, the worst
// findings, and the next step of the reader.
func (p *printer) verdict(r reports.Report) {
	word, ink := verdictWord(r.Verdict.Status)
	p.line()
	p.behind(word, ink, summary(r, p.blocks))
	if r.Verdict.Text != "" {
		p.prose(indent, r.Verdict.Text)
	}
	p.grades(r)
	if others := r.OtherRevisions(); others != "" {
		p.labelled("also", others)
	}
	p.worst(r)
	p.next(r)
}

// verdictWord is a verdict as a reader of a terminal sees it.
func verdictWord(s reports.VerdictStatus) (string, layout.Ink) {
	switch s {
	case reports.Passed:
		return "PASS", layout.InkPass
	case reports.Failed:
		return "FAIL", layout.InkFail
	case reports.Partial:
		return "PARTIAL", layout.InkWarn
	case reports.Unjudged:
		return "NOT JUDGED", layout.InkError
	case reports.Stopped:
		return "INTERRUPTED", layout.InkError
	}
	return layout.Clip(strings.ToUpper(string(s)), narrowest/2), layout.Plain
}

// summary counts the findings, and the blocks where several findings share one.
func summary(r reports.Report, blocks func(reports.Report, reports.Status) []reports.Block) string {
	sum := r.Verdict.Total()
	inBlocks := ""
	if n := len(blocks(r, reports.Fail)); 0 < n && n < sum.Fail {
		inBlocks = " in " + layout.Plural(n, "block")
	}
	known := r.Known()
	counts := []string{layout.Number(sum.Fail) + " failed" + inBlocks}
	if known > 0 {
		counts = append(counts, layout.Plural(known, "known failure"))
	}
	counts = append(counts,
		layout.Plural(sum.Warn, "warning"),
		layout.Number(sum.Pass)+" passed",
		layout.Number(sum.Open())+" not judged",
		layout.Number(sum.Inapplicable)+" not applicable",
	)
	if sum.Error > 0 {
		counts = append(counts, layout.Plural(sum.Error, "error"))
	}
	text := strings.Join(counts, ", ")
	musts := layout.Musts(r)
	switch {
	case sum.Total() == 0 && r.Verdict.Status == reports.Unjudged:
		return "the server could not be judged"
	case sum.Total() == 0:
		return "no case was selected"
	case r.Verdict.Status == reports.Partial && len(r.Untested()) > 0:
		return text + "; " + musts + ", the first left is " + layout.Clip(r.Untested()[0], nameWidth)
	case r.Verdict.Status == reports.Passed && musts != "":
		text += "; " + musts
	}
	if part := r.Part(); part != "" && r.Verdict.Status == reports.Passed {
		text += "; " + part
	}
	return text
}

// next tells the reader what to do now; empty where nothing is left to do.
func next(r reports.Report) string {
	sum := r.Verdict.Total()
	switch {
	case sum.Fail > 0:
		return "fix the first FAIL; this runs its case alone"
	case r.Verdict.Status == reports.Failed && !r.Run.Strict:
		return "entries of the baseline are out of date: remove or correct those named above"
	case r.Verdict.Status == reports.Failed && sum.Warn > 0:
		return "warnings count in this run; fix the first WARN, this runs its case alone"
	case sum.Error > 0:
		return "an ERROR says why a case could not be judged; if the kit is at fault, please report it"
	case r.Verdict.Status == reports.Partial && reports.Locked(r) > 0:
		return "give the token that the server wants, as " + reports.LoginKey + " in mcp-conform.yaml or with --header; " +
			layout.Waiting(reports.Locked(r))
	case r.Verdict.Status == reports.Partial && r.Verdict.Slowed():
		return "set " + reports.RateKey + " in mcp-conform.yaml to fewer requests a second, such as 5, and judge again"
	case r.Verdict.Status == reports.Partial && r.Enabling().Role != "":
		return enable(r)
	case sum.Warn > 0:
		return "fix the first WARN; this runs its case alone"
	}
	return ""
}

// enable names the config key that lets most cases be judged; empty where there is none.
func enable(r reports.Report) string {
	best := r.Enabling()
	if best.Role == "" {
		return ""
	}
	return "fill " + best.Role + " in mcp-conform.yaml, it enables " + layout.Plural(len(best.Cases), "case") +
		", or write none there if the server has no such thing; see \"mcp-conform explain " + roleOf(best.Role) + "\""
}

// roleOf is the role of a key such as roles.state-change.observe.
func roleOf(key string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(key, "roles."), ".")
	return name
}
