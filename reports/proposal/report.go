// Package proposal writes a report, and the list of cases, in the form that the
// extension proposals describe for conformance tests. That form knows neither
// columns nor warnings: they stand in members of their own.
package proposal

import (
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	schemas "github.com/mcp-conform/mcp-conform/schemas/report"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Foreign texts are cut at this many columns; report.json has them in full.
const textWidth = 1000

type document struct {
	Schema  string                `json:"$schema"`
	Server  string                `json:"server_name"`
	Version string                `json:"server_version"`
	Suite   string                `json:"suite_version"`
	Tested  string                `json:"tested_at"`
	Results []result              `json:"results"`
	Summary summary               `json:"summary"`
	Verdict reports.VerdictStatus `json:"verdict"`
	Grades  []grade               `json:"grades"`
}

type summary struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Errors  int `json:"errors"`
}

type grade struct {
	Revision   requirements.Revision  `json:"mcp_spec_version"`
	Transport  requirements.Transport `json:"transport"`
	Grade      string                 `json:"grade"`
	WhyNotNext string                 `json:"why_not_next,omitempty"`
}

type result struct {
	ID       string             `json:"test_id"`
	Status   string             `json:"status"`
	Message  string             `json:"message,omitempty"`
	Duration int64              `json:"duration_ms"`
	Level    requirements.Level `json:"level"`
	Warning  bool               `json:"warning,omitempty"`
	Columns  []column           `json:"columns"`

	worst reports.Status
}

type column struct {
	Revision  requirements.Revision  `json:"mcp_spec_version"`
	Transport requirements.Transport `json:"transport"`
	Status    reports.Status         `json:"status"`
}

// Write writes one result for each case: the worst over all columns.
func Write(w io.Writer, r reports.Report) error {
	doc := document{
		Schema:  schemas.ProposalURL,
		Server:  cmp.Or(text(r.Target.Name), "unnamed server"),
		Version: cmp.Or(text(r.Target.Version), "unknown"),
		Suite:   cmp.Or(text(r.Kit.Version), "unknown"),
		Tested:  r.Run.Started.UTC().Format(time.RFC3339),
		Results: []result{}, Verdict: r.Verdict.Status, Grades: []grade{},
	}
	at := map[string]int{}
	for _, f := range r.Findings {
		i, known := at[f.Case]
		if !known {
			i = len(doc.Results)
			at[f.Case] = i
			doc.Results = append(doc.Results, result{ID: text(f.Case)})
		}
		doc.Results[i].take(f)
	}
	for i := range doc.Results {
		doc.Summary.add(doc.Results[i].Status)
	}
	for _, c := range r.Verdict.Columns {
		doc.Grades = append(doc.Grades, grade{c.Revision, c.Transport, text(c.Grade), text(c.WhyNotNext)})
	}
	return jsonfile.Encode(w, doc)
}

// take adds the finding of the case in one more column.
func (r *result) take(f reports.Finding) {
	r.Columns = append(r.Columns, column{f.Revision, f.Transport, f.Status})
	r.Duration += f.DurationMs
	if r.worst != "" && !worse(f.Status, r.worst) {
		return
	}
	r.worst, r.Level = f.Status, f.Level
	r.Status, r.Message, r.Warning = "passed", "", false
	switch f.Status {
	case reports.Fail:
		r.Status, r.Message = "failed", said(f)
	case reports.Error:
		r.Status, r.Message = "error", said(f)
	case reports.Warn:
		r.Message, r.Warning = "warning: "+said(f), true
	case reports.Skip:
		r.Status, r.Message = "skipped", "not judged"
		if f.Reason != nil {
			r.Message = text(f.Reason.String())
		}
	case reports.Pass:
	}
}

// worse picks the status of a case whose columns differ. A judgment anywhere outweighs a
// skip elsewhere.
func worse(a, b reports.Status) bool {
	order := []reports.Status{reports.Skip, reports.Pass, reports.Warn, reports.Error, reports.Fail}
	return slices.Index(order, a) > slices.Index(order, b)
}

func said(f reports.Finding) string {
	return text(f.Place().String() + ": " + cmp.Or(f.Problem, "no problem was stated"))
}

func (s *summary) add(status string) {
	switch status {
	case "passed":
		s.Passed++
	case "failed":
		s.Failed++
	case "skipped":
		s.Skipped++
	default:
		s.Errors++
	}
}

func text(s string) string { return layout.Harmless(layout.Clip(s, textWidth)) }
