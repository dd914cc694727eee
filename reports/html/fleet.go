package html

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/fleet"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A fleetPage is the data of the page over many servers.
type fleetPage struct {
	sheet
	Name, Status, Word string
	Facts              []fact
	Tabs               []tab
	Rules              []toll // all that servers break, the most frequent first
	Often              int    // how many of them the top of the page names
	Rows               []server
}

// A toll is a rule, and the number of servers that break it.
type toll struct {
	Case, Title string
	N           int
}

// A server is a line of the table.
type server struct {
	Name, Link, Given string
	Status, Word      string
	Rank              int // of the verdict, the worst first
	Grade             string
	GradeRank         int
	Columns           []string
	Counts            reports.Counts
	Rules             string   // the places of what it breaks in the list of rules
	First             []string // the first of the cases that fail
	More              int
	Text              string
}

// WriteFleet writes the page over many servers. The same index gives the same bytes.
func WriteFleet(w io.Writer, x fleet.Index) error {
	p := newFleetPage(x)
	tmpl, err := p.load([]string{"assets/report.css", "assets/fleet.css"}, []string{"assets/theme.js", "assets/fleet.js"})
	if err != nil {
		return err
	}
	return tmpl.ExecuteTemplate(w, "fleet", p)
}

func newFleetPage(x fleet.Index) fleetPage {
	p := fleetPage{Status: string(x.Verdict.Status), Word: verdictWord(x.Verdict.Status)}
	p.Name = layout.Plural(len(x.Servers), "server") + " of " + short(x.File)
	p.Icon, p.Kit = icon(x.Verdict.Status), short(strings.TrimSpace(x.Kit.Name+" "+x.Kit.Version))
	p.Title = p.Word + ": " + p.Name
	if x.Shard != "" {
		p.Facts = append(p.Facts, fact{"Part", []string{short(x.Shard), layout.Plural(x.Named, "server") + " in all"}})
	}
	if !x.Started.IsZero() {
		p.Facts = append(p.Facts, fact{"Judged", []string{x.Started.UTC().Format("2 January 2006"), x.Started.UTC().Format("15:04 UTC")}})
	}
	p.Facts = append(p.Facts, fact{"By", []string{p.Kit, "seed " + strconv.FormatUint(x.Seed, 10)}})
	for line := range strings.SplitSeq(x.Verdict.Text, "\n") {
		if line != "" {
			p.Facts = append(p.Facts, fact{"Note", []string{text(line)}})
		}
	}
	p.Tabs = []tab{{"", "All", len(x.Servers)}}
	for _, s := range fleet.Statuses() {
		if n := x.Verdict.Counts.Of(s); n > 0 {
			p.Tabs = append(p.Tabs, tab{string(s), verdictWord(s), n})
		}
	}
	at := map[requirements.ID]int{}
	for i, t := range x.Tolls() {
		at[t.Rule] = i
		p.Rules = append(p.Rules, toll{short(t.Case), text(t.Title), t.Servers})
	}
	const often = 5
	p.Often = min(often, len(p.Rules))
	for _, row := range x.Servers {
		p.Rows = append(p.Rows, newServer(row, at))
	}
	return p
}

func newServer(row fleet.Row, at map[requirements.ID]int) server {
	s := server{
		Name: short(row.Name), Given: short(cmp.Or(row.Given, row.Server)), Status: key(string(row.Status)), Word: verdictWord(row.Status),
		Rank: slices.Index(fleet.Statuses(), row.Status), Grade: short(row.Grade), GradeRank: reports.GradeRank(row.Grade), Counts: row.Counts,
	}
	if row.Page {
		s.Link = row.Folder + "/report.html"
	}
	for _, c := range row.Columns {
		s.Columns = append(s.Columns, short(string(c.Revision)+" "+string(c.Transport)))
	}
	var places []string
	for _, b := range row.Broken {
		places = append(places, strconv.Itoa(at[b.Rule]))
	}
	s.Rules = strings.Join(places, " ")
	const shown = 3
	for _, b := range row.Broken[:min(shown, len(row.Broken))] {
		s.First = append(s.First, short(b.Case))
	}
	s.More = len(row.Broken) - len(s.First)
	if row.Doubtful() {
		s.Text = short(row.Why())
	}
	return s
}

// Top lists the rules that the top of the page names.
func (p fleetPage) Top() []toll { return p.Rules[:p.Often] }
