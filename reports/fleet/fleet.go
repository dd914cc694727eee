// Package fleet sums up the reports on many servers: a row for each, and an index over
// all of them. The report of a server stays in its folder.
package fleet

import (
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Format is the version of the JSON form of an Index and of a Row.
const Format = 1

// An Index is the outcome of a fleet, or of a part of it.
type Index struct {
	Format     int         `json:"format"`
	Kit        reports.Kit `json:"kit"`
	File       string      `json:"file"`            // names the servers
	Plan       string      `json:"plan"`            // a digest of what was to be judged and how, of all parts
	Shard      string      `json:"shard,omitempty"` // the part of the servers that this is, as in "1/4"
	Named      int         `json:"named"`           // the number of servers in the file
	Seed       uint64      `json:"seed"`
	Started    time.Time   `json:"started"`
	DurationMs int64       `json:"durationMs"`
	Verdict    Verdict     `json:"verdict"`
	Servers    []Row       `json:"servers"` // in the order of the file
}

// A Verdict is the worst of the servers' verdicts.
type Verdict struct {
	Status   reports.VerdictStatus `json:"status"`
	ExitCode int                   `json:"exitCode"`
	Counts   Counts                `json:"counts"`
	Text     string                `json:"text,omitempty"` // what is to be said of all servers together
}

// Counts are numbers of servers by their verdict.
type Counts struct {
	Pass        int `json:"pass"`
	Partial     int `json:"partial"`
	Fail        int `json:"fail"`
	Unjudged    int `json:"unjudged"`
	Interrupted int `json:"interrupted"`
}

// A Row is the result of one server.
type Row struct {
	Name     string `json:"name"`
	Position int    `json:"position"` // in the file, from 1
	Folder   string `json:"folder"`   // of its report, from that of the index, with slashes
	Page     bool   `json:"page"`     // the folder has a report.html
	Plan     string `json:"plan"`     // a digest of how it was to be judged

	Status     reports.VerdictStatus `json:"status"`
	ExitCode   int                   `json:"exitCode"`
	Text       string                `json:"text,omitempty"` // why it was not judged, or not in full
	Server     string                `json:"server"`         // the name and version that it gives itself
	Given      string                `json:"given"`          // how it was reached
	Grade      string                `json:"grade"`          // the lowest of its columns
	Columns    []Column              `json:"columns"`
	Counts     reports.Counts        `json:"counts"`
	Broken     []Broken              `json:"broken"` // what fails, in the order of the report
	Started    time.Time             `json:"started,omitzero"`
	DurationMs int64                 `json:"durationMs"`
}

// A Column is one revision over one transport.
type Column struct {
	Revision  requirements.Revision  `json:"revision"`
	Transport requirements.Transport `json:"transport"`
	Grade     string                 `json:"grade"`
	Counts    reports.Counts         `json:"counts"`
}

// Broken is a requirement that a server breaks, with the first case that shows it.
type Broken struct {
	Rule  requirements.ID    `json:"rule"`
	Level requirements.Level `json:"level"`
	Case  string             `json:"case"`
	Title string             `json:"title"`
}

// RowOf sums up the report on a server.
func RowOf(name string, r reports.Report) Row {
	row := Row{
		Name: name, Status: r.Verdict.Status, ExitCode: r.Verdict.ExitCode, Text: r.Verdict.Text,
		Server: joined(r.Target.Name, r.Target.Version), Given: r.Target.Given, Counts: r.Verdict.Total(),
		Columns: []Column{}, Broken: []Broken{}, Started: r.Run.Started, DurationMs: r.Run.DurationMs,
	}
	for i, c := range r.Verdict.Columns {
		row.Columns = append(row.Columns, Column{c.Revision, c.Transport, c.Grade, c.Counts})
		if i == 0 || reports.GradeRank(c.Grade) < reports.GradeRank(row.Grade) {
			row.Grade = c.Grade
		}
	}
	lead, seen := r.Leads(), map[requirements.ID]bool{}
	for _, f := range r.Findings {
		if rule := lead(f); f.CountsIn(r.Run.Strict) && !seen[rule] {
			seen[rule] = true
			row.Broken = append(row.Broken, Broken{rule, f.Level, f.Case, f.Title})
		}
	}
	return row
}

func joined(name, version string) string {
	if name == "" || version == "" {
		return name + version
	}
	return name + " " + version
}

// Why says in a line why a server was not judged, or not in full. The text of its report
// begins with what kept the run from a verdict, or ends with it where the run was cut short
// or has judged nothing.
func (r Row) Why() string {
	lines := strings.Split(r.Text, "\n")
	last := lines[len(lines)-1]
	inPart := r.Counts.Judged()+r.Counts.Known > 0 && r.ExitCode == reports.ExitUnjudged
	if len(r.Columns) == 0 || inPart && !strings.HasPrefix(last, "cut short ") {
		return lines[0]
	}
	return last
}

// Doubtful reports whether something that no case shows kept the run from judging more, or
// failed it.
func (r Row) Doubtful() bool {
	switch {
	case r.Counts.Judged()+r.Counts.Known == 0:
		return true
	case r.Text == "":
		return false
	case r.ExitCode == reports.ExitFailed:
		return len(r.Broken) == 0
	}
	return r.ExitCode == reports.ExitUnjudged && r.Counts.Error == 0
}

// Lost is the row of a server without a report.
func Lost(name string, code int, why string) Row {
	status := reports.Unjudged
	if code == reports.ExitInterrupted {
		status = reports.Stopped
	}
	return Row{Name: name, Status: status, ExitCode: code, Text: why, Columns: []Column{}, Broken: []Broken{}}
}

// Settled puts the rows in the order of the file and gives the verdict on all of them.
func (x Index) Settled(interrupted bool) Index {
	x.Format = Format
	x.Servers = slices.Clone(x.Servers)
	slices.SortStableFunc(x.Servers, func(a, b Row) int { return a.Position - b.Position })
	v := Verdict{Status: reports.Passed}
	codes := []int{reports.ExitPassed}
	var all []reports.VerdictStatus
	for _, row := range x.Servers {
		codes, all = append(codes, row.ExitCode), append(all, row.Status)
		v.Counts.add(row.Status)
	}
	v.ExitCode, v.Status = reports.WorstCode(codes...), reports.WorstStatus(all...)
	if interrupted {
		v.ExitCode, v.Status = reports.ExitInterrupted, reports.Stopped
	}
	x.Verdict = v
	return x
}

func (c *Counts) add(s reports.VerdictStatus) {
	switch s {
	case reports.Passed:
		c.Pass++
	case reports.Partial:
		c.Partial++
	case reports.Failed:
		c.Fail++
	case reports.Unjudged:
		c.Unjudged++
	case reports.Stopped:
		c.Interrupted++
	}
}

// Of is the number of servers with a verdict.
func (c Counts) Of(s reports.VerdictStatus) int {
	switch s {
	case reports.Passed:
		return c.Pass
	case reports.Partial:
		return c.Partial
	case reports.Failed:
		return c.Fail
	case reports.Unjudged:
		return c.Unjudged
	case reports.Stopped:
		return c.Interrupted
	}
	return 0
}

// Statuses lists the verdicts in the order in which an index counts them.
func Statuses() []reports.VerdictStatus {
	return []reports.VerdictStatus{reports.Failed, reports.Unjudged, reports.Stopped, reports.Partial, reports.Passed}
}

// A Toll is a requirement and the number of servers that break it.
type Toll struct {
	Broken
	Servers int
}

// Tolls lists what servers break, the most frequent first.
func (x Index) Tolls() []Toll {
	var all []Toll
	at := map[requirements.ID]int{}
	for _, row := range x.Servers {
		for _, b := range row.Broken {
			i, known := at[b.Rule]
			if !known {
				i = len(all)
				at[b.Rule] = i
				all = append(all, Toll{Broken: b})
			}
			all[i].Servers++
		}
	}
	slices.SortStableFunc(all, func(a, b Toll) int { return b.Servers - a.Servers })
	return all
}
