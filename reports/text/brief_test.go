package text_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/fleet"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/text"
)

func TestBrief(t *testing.T) {
	t.Parallel()
	f := reports.Finding{Status: reports.Fail, Case: "tools/list-schema", Revision: "2025-11-25", Transport: "stdio", Problem: "two\nlines"}
	if got, want := text.Brief(f, 100, false), "FAIL  tools/list-schema  two lines  (2025-11-25 over stdio)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := text.Brief(f, 30, false), "FAIL  tools/list-schema  tw..."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := text.Brief(f, 40, true), "\x1b[1;31mFAIL  \x1b[0mtools/list-schema  two lines"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, f := range samples.Hostile().Findings {
		line := text.Brief(f, 120, false)
		if layout.Width(line) > 120+3 || strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Errorf("%q is too long or acts on the terminal", line)
		}
		if strings.HasPrefix(strings.TrimLeft(line, " "), "::") || strings.Contains(line, "##[") {
			t.Errorf("%q is a command for the log of a build", line)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\tb":              "a\tb",
		"\x1b[2J\n::error":  `\x1b[2J\x0a::error`,
		"  ::error::x":      `  \x3a:error::x`,
		"x ##teamcity[y":    `x \x23#teamcity[y`,
		"x ##[error]##vso[": `x \x23#[error]\x23#vso[`,
		"\t::error::x":      "\t" + `\x3a:error::x`,
	} {
		if got := text.Line(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	got := text.Wrap("  ", "one two\nthree-and-more four", 10)
	if want := "  one two\n  three-an\n  d-more\n  four\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The line of a server that could not be judged in full says why.
func TestFleetRow(t *testing.T) {
	t.Parallel()
	some := reports.Counts{Pass: 15}
	columns := []fleet.Column{{Revision: "2025-11-25"}}
	for name, row := range map[string]struct {
		row  fleet.Row
		want string
	}{
		"unreachable": {fleet.Row{ExitCode: 3, Text: "refused\n  asked: initialize"}, "refused"},
		"locked": {fleet.Row{ExitCode: 3, Counts: some, Columns: columns, Text: "the server wants a login\nwithout it, little is judged"},
			"0 failed, 0 warnings, 15 passed; the server wants a login"},
		"cut short": {fleet.Row{ExitCode: 3, Counts: some, Columns: columns, Text: "a doubt\ncut short after 2s, the limit of this run"},
			"0 failed, 0 warnings, 15 passed; cut short after 2s, the limit of this run"},
		"an error": {fleet.Row{ExitCode: 3, Counts: reports.Counts{Pass: 15, Error: 1}, Columns: columns, Text: "a doubt"},
			"0 failed, 0 warnings, 15 passed, 1 error"},
		"no case exists": {fleet.Row{ExitCode: 3, Columns: columns, Text: "a doubt\nnone of the selected cases exists"},
			"none of the selected cases exists"},
		"an old baseline": {fleet.Row{ExitCode: 1, Counts: some, Columns: columns, Text: "a doubt\nbaseline: it is old"},
			"0 failed, 0 warnings, 15 passed; baseline: it is old"},
		"a failure": {fleet.Row{ExitCode: 1, Counts: reports.Counts{Fail: 1}, Columns: columns, Text: "a doubt",
			Broken: []fleet.Broken{{Case: "ping/empty-result"}}}, "1 failed, 0 warnings, 0 passed; ping/empty-result"},
		"judged": {fleet.Row{Counts: some, Columns: columns, Text: "a doubt"}, "0 failed, 0 warnings, 15 passed"},
	} {
		if got := text.FleetRow(row.row); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
