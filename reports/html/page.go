package html

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A page is the data of the templates. Every text in it is safe to show: characters that
// a browser would act on or leave invisible are spelled out.
type page struct {
	sheet
	Badge template.HTML // the badge package escapes it

	Name, Given      string
	Status, Word     string // of the verdict
	Says, Next, Text string
	Facts            []fact
	Columns          []column
	Extensions       []extension
	Suites           []row
	Idle             []row    // suites without a judged case
	Absent           []string // suites without a finding
	First            []finding
	More             int // number of further findings of the kind of First

	Tabs       []tab
	Levels     []string
	Problems   []section // findings that failed, warned or could not be judged
	Gaps, Rest []gap     // skips: cases that concern the server, and other cases
	Skipped    int
	Passed     []passedSuite
	Passes     int
	Findings   int
}

// A fact has values that should not be broken over two lines.
type fact struct {
	Name   string
	Values []string
}

// A column is one revision over one transport, as a card and as an entry of the
// filter.
type column struct {
	Name, Revision, Transport string
	Grade, Why                string
	Counts                    []count
	Bar                       []bar
	Judged                    bool
}

// A count is the number of findings of one status.
type count struct {
	Status, Word string
	N            int
}

// A bar is one part of a line that shows the counts.
type bar struct {
	Status   string
	X, Width float64
}

// An extension is a line about one extension that the server claims.
type extension struct {
	Name, Claim, Where string
	Status, Word, Why  string // the verdict on the extension
	Counts             string
}

// A row is a suite in the matrix; a cell is its result in one column.
type row struct {
	Name, Title, Key string
	Cells            []cell
}

type cell struct {
	Status, Shown, Says string
	Column              int
}

// A tab shows the findings of one status, or all of them.
type tab struct {
	Status, Word string
	N            int
}

func newPage(r reports.Report) page {
	b := newBuilder(r)
	name := cmp.Or(strings.TrimSpace(r.Target.Name+" "+r.Target.Version), "unnamed server")
	p := page{
		Name: short(name), Given: short(r.Target.Given),
		Status: string(r.Verdict.Status), Word: verdictWord(r.Verdict.Status),
		Says: says(r), Next: next(r), Text: text(r.Verdict.Text),
		Facts:    facts(r),
		Findings: len(r.Findings),
	}
	p.Icon, p.Kit = icon(r.Verdict.Status), short(strings.TrimSpace(r.Kit.Name+" "+r.Kit.Version))
	p.Title = p.Word + ": " + p.Name
	p.Columns = b.columns()
	p.Extensions = extensions(r)
	p.Suites, p.Idle, p.Absent = b.matrix()
	p.Tabs = tabs(reports.Tally(r.Findings), len(r.Findings))
	p.Levels = levels(r)
	for _, s := range []reports.Status{reports.Fail, reports.Warn, reports.Error} {
		if blocks := b.blocks(s); len(blocks) > 0 {
			p.Problems = append(p.Problems, newSection(s, blocks))
		}
	}
	if len(p.Problems) > 0 {
		p.Problems[0].Blocks[0].Open = true
		p.First, p.More = first(p.Problems[0].Blocks)
	}
	p.Gaps, p.Rest = b.gaps()
	p.Passed = b.passed()
	sum := reports.Tally(r.Findings)
	p.Skipped, p.Passes = sum.Skip, sum.Pass
	return p
}

// first gives the blocks that the top of the page names.
func first(blocks []block) (shown []finding, more int) {
	const most = 5
	for _, b := range blocks[:min(most, len(blocks))] {
		shown = append(shown, b.finding)
	}
	return shown, len(blocks) - len(shown)
}

func verdictWord(s reports.VerdictStatus) string {
	switch s {
	case reports.Passed:
		return "Pass"
	case reports.Failed:
		return "Fail"
	case reports.Partial:
		return "Partial"
	case reports.Unjudged:
		return "Not judged"
	case reports.Stopped:
		return "Interrupted"
	}
	return short(string(s))
}

// statusWord names a status as the page does everywhere.
func statusWord(s reports.Status) string {
	switch s {
	case reports.Pass:
		return "Passed"
	case reports.Fail:
		return "Failed"
	case reports.Warn:
		return "Warning"
	case reports.Skip:
		return "Not judged"
	case reports.Error:
		return "Error"
	}
	return short(string(s))
}

// icon is the picture of the browser's tab: a dot in the color of the verdict.
// Without one the browser would ask the server of the page.
func icon(s reports.VerdictStatus) template.URL {
	fill := map[reports.VerdictStatus]string{reports.Passed: "1a7f37", reports.Failed: "cf222e", reports.Partial: "bf8700"}[s]
	svg := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="#` +
		cmp.Or(fill, "6e7781") + `"/></svg>`
	return template.URL("data:image/svg+xml," + url.PathEscape(svg))
}

// says puts the verdict into one sentence.
func says(r reports.Report) string {
	sum := reports.Tally(r.Findings)
	broken := len(r.Blocks(reports.Fail))
	switch r.Verdict.Status {
	case reports.Passed:
		if sum.Total() == 0 {
			return "No case was selected."
		}
		if part := r.Part(); part != "" {
			return "Nothing failed, and every MUST case of this run that applies was judged" + saidNone(r) + "; " + text(part) + "."
		}
		return "Nothing failed, and every MUST that applies was judged" + saidNone(r) + "."
	case reports.Failed:
		if broken == 0 && !r.Run.Strict {
			return "Entries of the baseline are out of date."
		}
		if broken == 0 {
			return "Warnings count in this run, and there " + isAre(sum.Warn, "warning") + "."
		}
		return layout.Plural(broken, "thing") + " to fix, found in " + layout.Plural(sum.Fail, "failed check") + "."
	case reports.Partial:
		if judged, all := r.Musts(); judged < all {
			return "Nothing failed; " + layout.Musts(r) + "."
		}
		return "Nothing failed, but not everything that applies could be judged."
	case reports.Stopped:
		return "The run was interrupted: this is what was found until then."
	case reports.Unjudged:
	}
	return "Nothing can be said about the server."
}

// saidNone names what a pass takes from the configuration.
func saidNone(r reports.Report) string {
	n := reports.MustsSaidNone(r.Findings)
	if n == 0 {
		return ""
	}
	return "; " + layout.Plural(n, "MUST case") + " left out, because the configuration says that the server has no such thing"
}

func isAre(n int, noun string) string {
	if n == 1 {
		return "is 1 " + noun
	}
	return "are " + layout.Plural(n, noun)
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// next tells the reader what to do now; empty where nothing is left to do.
func next(r reports.Report) string {
	sum := reports.Tally(r.Findings)
	widest := r.Enabling()
	switch {
	case sum.Fail > 0:
		return "Start with the first one; its command runs that case again."
	case r.Verdict.Status == reports.Failed && !r.Run.Strict:
		return "Remove or correct those that are named below."
	case r.Verdict.Status == reports.Failed && sum.Warn > 0:
		return "Start with the first one."
	case sum.Error > 0:
		return "An error below says why a case could not be judged."
	case r.Verdict.Status == reports.Partial && reports.Locked(r) > 0:
		return "Give the token that the server wants, as " + reports.LoginKey + " in mcp-conform.yaml or with --header: " +
			layout.Waiting(reports.Locked(r)) + "."
	case r.Verdict.Status == reports.Partial && r.Verdict.Slowed():
		return "Set " + reports.RateKey + " in mcp-conform.yaml to fewer requests a second, such as 5, and judge again."
	case r.Verdict.Status == reports.Partial && widest.Role != "":
		return fmt.Sprintf("Fill %s in mcp-conform.yaml: it enables %s. Or write none there if the server has no such thing.", short(widest.Role),
			layout.Plural(len(widest.Cases), "case"))
	}
	return ""
}

func facts(r reports.Report) []fact {
	var all []fact
	add := func(name string, values ...string) {
		f := fact{Name: name}
		for _, v := range values {
			if strings.TrimSpace(v) != "" {
				f.Values = append(f.Values, short(v))
			}
		}
		if len(f.Values) > 0 {
			all = append(all, f)
		}
	}
	var judged, over, knows []string
	for _, c := range r.Verdict.Columns {
		if !slices.Contains(judged, string(c.Revision)) {
			judged = append(judged, string(c.Revision))
		}
		if !slices.Contains(over, string(c.Transport)) {
			over = append(over, string(c.Transport))
		}
	}
	for _, v := range r.Target.Revisions {
		knows = append(knows, string(v))
	}
	add("Server", r.Target.Given)
	add(one(len(judged), "Revision"), judged...)
	add(one(len(over), "Transport"), over...)
	slices.Sort(knows)
	if !slices.Equal(knows, slices.Sorted(slices.Values(judged))) {
		add("Supports", knows...)
	}
	if !r.Run.Started.IsZero() {
		add("Judged", r.Run.Started.UTC().Format("2 January 2006"), r.Run.Started.UTC().Format("15:04 UTC"), "in "+took(r.Run.DurationMs))
	}
	add("By", strings.TrimSpace(r.Kit.Name+" "+r.Kit.Version), fmt.Sprintf("seed %d", r.Run.Seed))
	return all
}

func one(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// took is a duration in the unit that suits it.
func took(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// extensions gives the verdict on each extension.
func extensions(r reports.Report) []extension {
	where := map[string]string{}
	for _, e := range r.Target.Extensions {
		where[e.Name] = e.Where
	}
	var all []extension
	for _, v := range r.ExtensionVerdicts() {
		all = append(all, extension{
			Name: short(v.Name), Claim: short(v.Claim), Where: short(where[v.Name]), Counts: countsText(v.Counts),
			Status: key(string(v.Status)), Word: short(v.Word()), Why: text(v.Why),
		})
	}
	return all
}

// countsText writes the counts that are not zero.
func countsText(c reports.Counts) string {
	var parts []string
	for _, s := range []reports.Status{reports.Fail, reports.Warn, reports.Error, reports.Pass, reports.Skip} {
		if n := applying(c, s); n > 0 {
			parts = append(parts, counted(s, n))
		}
	}
	if c.Known > 0 {
		parts = append(parts, layout.Plural(c.Known, "known failure"))
	}
	return cmp.Or(strings.Join(parts, ", "), "not applicable")
}

// applying is the number of findings of a status whose cases apply.
func applying(c reports.Counts, s reports.Status) int {
	if s == reports.Skip {
		return c.Open()
	}
	return c.Of(s)
}

func counted(s reports.Status, n int) string {
	switch s {
	case reports.Warn:
		return layout.Plural(n, "warning")
	case reports.Error:
		return layout.Plural(n, "error")
	case reports.Pass, reports.Fail, reports.Skip:
	}
	return layout.Number(n) + " " + strings.ToLower(statusWord(s))
}

func tabs(c reports.Counts, all int) []tab {
	list := []tab{{"", "All", all}}
	for _, t := range []tab{
		{string(reports.Fail), "Failed", c.Fail}, {string(reports.Warn), "Warnings", c.Warn}, {string(reports.Error), "Errors", c.Error},
		{string(reports.Skip), "Not judged", c.Open()}, {known, "Known failures", c.Known}, {string(reports.Pass), "Passed", c.Pass},
		{inapplicable, "Not applicable", c.Inapplicable},
	} {
		if t.N > 0 || t.Status == string(reports.Fail) {
			list = append(list, t)
		}
	}
	return list
}

func levels(r reports.Report) []string {
	var found []string
	for _, l := range []requirements.Level{requirements.Must, requirements.Should, requirements.May} {
		if slices.ContainsFunc(r.Findings, func(f reports.Finding) bool { return f.Level == l }) {
			found = append(found, string(l))
		}
	}
	return found
}
