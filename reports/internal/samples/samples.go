// Package samples holds the reports that the tests of all writers share, so that
// every format is tried on the same difficult content.
package samples

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Sample is one report and the name of its golden file.
type Sample struct {
	Name   string
	Report reports.Report
}

// All returns every sample but the huge one: nobody would read its golden file.
func All() []Sample {
	return []Sample{
		{"pass", Pass()},
		{"every-status", EveryStatus()},
		{"empty", Empty()},
		{"unjudged", Unjudged()},
		{"partial", Partial()},
		{"non-ascii", NonASCII()},
		{"hostile", Hostile()},
	}
}

func newest() reports.Place {
	return reports.Place{Revision: requirements.R20251125, Transport: requirements.Stdio}
}

func web() reports.Place {
	return reports.Place{Revision: requirements.R20251125, Transport: requirements.HTTP}
}

func older() reports.Place {
	return reports.Place{Revision: requirements.R20250618, Transport: requirements.Stdio}
}

// report puts findings into a report with the same kit, run and target everywhere.
func report(findings ...reports.Finding) reports.Report {
	return reports.Report{
		Format: reports.Format,
		Kit:    reports.Kit{Name: "mcp-conform", Version: "1.0.0"},
		Run: reports.Run{
			Seed: 42, Jobs: 4, DurationMs: 812,
			Started: time.Date(2027, time.March, 1, 9, 30, 0, 0, time.UTC),
		},
		Target: reports.Target{
			Name: "tidewater", Version: "2.1.0", Given: "node dist/index.js",
			Transports: []string{"stdio", "http"},
			Revisions:  []requirements.Revision{requirements.R20250618, requirements.R20251125},
			Eras:       []string{"legacy"},
		},
		Verdict:  reports.Verdict{Status: reports.Passed},
		Findings: findings,
	}
}

// judged fills columns, suites and rules from the findings.
func judged(r reports.Report, grade, whyNotNext string) reports.Report {
	for _, place := range r.Places() {
		column := reports.Column{Revision: place.Revision, Transport: place.Transport, Grade: grade, WhyNotNext: whyNotNext}
		for _, f := range r.Findings {
			if f.Place() == place {
				column.Counts.Add(f)
			}
		}
		r.Verdict.Columns = append(r.Verdict.Columns, column)
	}
	for _, f := range r.Findings {
		if slices.ContainsFunc(r.Suites, func(s reports.Suite) bool { return s.Name == f.Suite }) {
			continue
		}
		s := reports.Suite{Name: f.Suite, Title: "the page " + f.Suite, Grade: requirements.GradeCore}
		if name, ok := strings.CutPrefix(f.Suite, "ext-"); ok {
			s.Extension, s.Grade = name, ""
		}
		r.Suites = append(r.Suites, s)
	}
	r.Suites = reports.CountBySuite(r.Findings, r.Suites)
	r.Rules = reports.Rules(r.Findings, func(id requirements.ID) (requirements.Requirement, bool) {
		area, _, _ := strings.Cut(string(id), "-")
		return requirements.Requirement{ID: id, Area: area, Clauses: []requirements.Clause{{
			Since: requirements.R20241105, Level: requirements.Must, Basis: requirements.Keyword,
			Page: "basic/" + area, Text: "The rule " + string(id) + " holds.",
		}}}, true
	})
	return r
}

func passed(at reports.Place, suite, slug, title string) reports.Finding {
	return reports.Finding{
		Case: suite + "/" + slug, Suite: suite, Title: title,
		Revision: at.Revision, Transport: at.Transport,
		Status: reports.Pass, Level: requirements.Must,
		Requirements: []requirements.ID{requirements.ID(suite + "-" + slug)},
		Rule:         title,
		DurationMs:   3,
	}
}

func skipped(f reports.Finding, why reports.Reason) reports.Finding {
	f.Status, f.Reason, f.DurationMs = reports.Skip, &why, 0
	return f
}

// cursor is the example finding of the style guide.
func cursor(at reports.Place) reports.Finding {
	f := passed(at, "pagination", "invalid-cursor", "a cursor the server never issued is refused as invalid params")
	f.Status, f.Level = reports.Warn, requirements.Should
	f.Problem = "$.result is present, want $.error with code -32602"
	f.Rule = "a cursor the server never issued is refused with error -32602"
	f.Link = "https://modelcontextprotocol.io/specification/" + string(at.Revision) + "/server/utilities/pagination#error-handling"
	f.Fix = "decode the cursor first; if that fails, answer error -32602 instead of the first page"
	f.Again = "mcp-conform run --case pagination/invalid-cursor -- node dist/index.js"
	f.Frames = []reports.Frame{
		{Dir: "sent", AtMs: 12, Text: `{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"never-issued"}}`},
		{Dir: "received", AtMs: 14, Text: `{"jsonrpc":"2.0","id":4,"result":{"tools":[` + tools(12) + `]}}`},
	}
	return f
}

func tools(n int) string {
	text := ""
	for i := range n {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"name":"berth_%d","description":"books berth %d","inputSchema":{"type":"object"}}`, i, i)
	}
	return text
}

// Pass is a server without a flaw.
func Pass() reports.Report {
	var findings []reports.Finding
	for _, at := range []reports.Place{newest(), web()} {
		findings = append(findings,
			passed(at, "lifecycle", "initialize-answered", "initialize is answered with the revision asked for"),
			passed(at, "tools", "list-answered", "the tools are listed"))
	}
	return judged(report(findings...), "Full", "")
}

// Empty is a run whose selection matched nothing.
func Empty() reports.Report { return report() }

// Unjudged is a server that never spoke.
func Unjudged() reports.Report {
	r := report()
	r.Target = reports.Target{Given: "node dist/index.js"}
	r.Verdict = reports.Verdict{
		Status: reports.Unjudged, ExitCode: reports.ExitUnjudged,
		Text: "the server ended with exit code 1 before it answered initialize\n" +
			"tried: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05 over stdio\n" +
			"its last words: Error: Cannot find module 'dist/index.js'\n" +
			"next: run the command yourself; it has to stay alive and to wait for input",
	}
	return r
}

// Partial is a server with a MUST that could not be judged.
func Partial() reports.Report {
	slow := passed(newest(), "cancellation", "request-stops", "a cancelled request is not answered")
	r := judged(report(
		passed(newest(), "lifecycle", "initialize-answered", "initialize is answered with the revision asked for"),
		skipped(slow, reports.Reason{Kind: reports.NoRole, Text: "a tool that runs for some time", Role: "roles.slow-tool"}),
	), "Core (partial)", "cancellation/request-stops was not judged")
	r.Verdict.Status = reports.Partial
	return r
}
