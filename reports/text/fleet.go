package text

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/fleet"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Of a server the line in the summary of a fleet names this many cases.
const casesOfServer = 3

// WriteFleet writes the summary of a fleet: a line for each server with a failure or
// without a verdict, what most servers break, and the verdict on all. A verbose summary
// has a line for every server, a quiet one the verdict only.
func WriteFleet(w io.Writer, x fleet.Index, opts Options) error {
	p := newPrinter(opts)
	if !opts.Quiet {
		for _, row := range x.Servers {
			if opts.Verbose || row.Status != reports.Passed {
				p.server(row)
			}
		}
		p.tolls(x)
	}
	word, ink := verdictWord(x.Verdict.Status)
	if p.out.Len() > 0 {
		p.line()
	}
	p.behind(word, ink, fleetCounts(x))
	if x.Verdict.Text != "" {
		p.prose(indent, x.Verdict.Text)
	}
	_, err := io.WriteString(w, p.out.String())
	return err
}

// fleetCounts counts the servers of a fleet by their verdict.
func fleetCounts(x fleet.Index) string {
	text := layout.Plural(len(x.Servers), "server")
	if x.Shard != "" {
		text += " of " + layout.Number(x.Named) + ", part " + x.Shard
	}
	var parts []string
	for _, s := range fleet.Statuses() {
		if n := x.Verdict.Counts.Of(s); n > 0 {
			parts = append(parts, layout.Number(n)+" "+statusOfServer(s))
		}
	}
	if len(parts) == 0 {
		return text
	}
	return text + ": " + strings.Join(parts, ", ")
}

func statusOfServer(s reports.VerdictStatus) string {
	switch s {
	case reports.Passed:
		return "passed"
	case reports.Partial:
		return "partial"
	case reports.Failed:
		return "failed"
	case reports.Unjudged:
		return "not judged"
	case reports.Stopped:
		return "interrupted"
	}
	return string(s)
}

func (p *printer) server(row fleet.Row) {
	word, ink := verdictWord(row.Status)
	p.behind(pad(word, len("INTERRUPTED")), ink, layout.Clip(row.Name, nameWidth)+": "+FleetRow(row))
}

// FleetRow says in one line what was found of a server.
func FleetRow(row fleet.Row) string {
	if row.Counts.Judged()+row.Counts.Known == 0 {
		return cmp.Or(layout.Safe(row.Why()), "nothing was judged")
	}
	n := row.Counts
	parts := []string{fmt.Sprintf("%d failed", n.Fail), layout.Plural(n.Warn, "warning"), fmt.Sprintf("%d passed", n.Pass)}
	if n.Known > 0 {
		parts = slices.Insert(parts, 1, layout.Plural(n.Known, "known failure"))
	}
	if n.Error > 0 {
		parts = append(parts, layout.Plural(n.Error, "error"))
	}
	text := strings.Join(parts, ", ")
	if row.Grade != "" {
		text = row.Grade + ": " + text
	}
	var cases []string
	for _, b := range row.Broken[:min(casesOfServer, len(row.Broken))] {
		cases = append(cases, b.Case)
	}
	if more := len(row.Broken) - len(cases); more > 0 {
		cases = append(cases, fmt.Sprintf("%d more", more))
	}
	if len(cases) > 0 {
		text += "; " + strings.Join(cases, ", ")
	}
	if row.Doubtful() {
		text += "; " + row.Why()
	}
	return layout.Safe(text)
}

// tolls lists what most servers break.
func (p *printer) tolls(x fleet.Index) {
	const most = 10
	all := x.Tolls()
	if len(all) == 0 {
		return
	}
	p.title("broken by the most servers")
	for _, t := range all[:min(most, len(all))] {
		p.line(layout.Clip(fmt.Sprintf("  %6d  %s: expected %s", t.Servers, t.Case, t.Title), p.width))
	}
	if more := len(all) - most; more > 0 {
		p.line("          and ", layout.Plural(more, "other rule"))
	}
}
