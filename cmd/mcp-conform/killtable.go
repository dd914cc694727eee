package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
)

// writeKills lists the cases that found each fault, and the durations.
func writeKills(out io.Writer, t selftest.Table, format string) error {
	if format == "json" {
		return jsonfile.Encode(out, asJSON(t))
	}
	var rows strings.Builder
	held := 0
	for _, r := range t.Rows {
		word := "ok"
		if r.Holds() {
			held++
		} else {
			word = "NOT OK"
		}
		fmt.Fprintf(&rows, "%s\t%s\t%s\t%s over %s\t%s\n", word, r.Subject, seconds(r.Took),
			r.Column.Revision, r.Column.Transport, strings.Join(r.Spoke, ", "))
		for _, line := range blame(r) {
			fmt.Fprintf(&rows, "\t  %s\n", line)
		}
	}
	for _, id := range t.Unkilled {
		fmt.Fprintf(&rows, "NOT OK\tno fault makes %s fail or warn\n", id)
	}
	if err := align(out, rows.String()); err != nil {
		return err
	}
	if err := align(out, durations(t)); err != nil {
		return err
	}
	each := "every case has a fault"
	if n := len(t.Unkilled); n > 0 {
		each = plural(n, "case") + " without a fault"
	}
	_, err := fmt.Fprintf(out, "%d of %s detected; %s\n", held, plural(len(t.Rows), "fault"), each)
	return err
}

// align writes lines with tab-separated cells in columns.
func align(out io.Writer, lines string) error {
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(tab, lines); err != nil {
		return err
	}
	return tab.Flush()
}

// durations lists the slowest trials, and the time of each area.
func durations(t selftest.Table) string {
	const few = 5
	var lines strings.Builder
	if len(t.Rows) > few {
		lines.WriteString("\nslowest\n")
		for _, r := range t.Slowest(few) {
			fmt.Fprintf(&lines, "  %s\t%s\t%s over %s\n", r.Subject, seconds(r.Took), r.Column.Revision, r.Column.Transport)
		}
	}
	lines.WriteString("\nby area\n")
	for _, sum := range t.Areas() {
		fmt.Fprintf(&lines, "  %s\t%s\t%d tried\n", sum.Area, seconds(sum.Took), sum.Trials)
	}
	return lines.String() + "\n"
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// blame lists the problems of a row.
func blame(r selftest.Row) []string {
	var lines []string
	for _, id := range r.Silent {
		lines = append(lines, "did not fail or warn: "+id)
	}
	for _, id := range r.Astray {
		lines = append(lines, "must not fail or warn: "+id)
	}
	if r.Trouble != "" {
		lines = append(lines, strings.Split(strings.TrimSpace(r.Trouble), "\n")...)
	}
	return lines
}

type tableEntry struct {
	Holds    bool       `json:"holds"`
	Rows     []rowEntry `json:"rows"`
	Areas    []sumEntry `json:"areas"`
	Unkilled []string   `json:"unkilled"`
}

type sumEntry struct {
	Area       string `json:"area"`
	Trials     int    `json:"trials"`
	DurationMs int64  `json:"durationMs"`
}

type rowEntry struct {
	Fault     string                 `json:"fault"`
	Area      string                 `json:"area"`
	Breaks    requirements.ID        `json:"breaks"`
	Revision  requirements.Revision  `json:"revision"`
	Transport requirements.Transport `json:"transport"`
	Holds     bool                   `json:"holds"`
	Spoke     []string               `json:"spoke"`
	Silent    []string               `json:"silent"`
	Astray    []string               `json:"astray"`
	Trouble   string                 `json:"trouble,omitempty"`

	DurationMs int64 `json:"durationMs"`
}

func asJSON(t selftest.Table) tableEntry {
	e := tableEntry{Holds: t.Holds(), Rows: []rowEntry{}, Areas: []sumEntry{}, Unkilled: orNone(t.Unkilled)}
	for _, r := range t.Rows {
		e.Rows = append(e.Rows, rowEntry{
			Fault: r.Subject, Area: r.Area, Breaks: r.Breaks, Revision: r.Column.Revision, Transport: r.Column.Transport, Holds: r.Holds(),
			Spoke: orNone(r.Spoke), Silent: orNone(r.Silent), Astray: orNone(r.Astray), Trouble: r.Trouble, DurationMs: r.Took.Milliseconds(),
		})
	}
	for _, sum := range t.Areas() {
		e.Areas = append(e.Areas, sumEntry{sum.Area, sum.Trials, sum.Took.Milliseconds()})
	}
	return e
}
