package main

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
)

// A changed verdict is a difference; a changed duration or wording is not.
func TestDifferences(t *testing.T) {
	t.Parallel()
	finding := func(status reports.Status, problem string, kind reports.ReasonKind) reports.Finding {
		f := reports.Finding{Case: "tools/x", Revision: "2025-11-25", Transport: "stdio", Status: status, Problem: problem}
		if kind != "" {
			f.Reason = &reports.Reason{Kind: kind, Text: problem}
		}
		return f
	}
	quiet := of(reports.Report{Findings: []reports.Finding{finding(reports.Fail, "took 3 ms", "")}})
	for name, row := range map[string]struct {
		found []reports.Finding
		want  int
	}{
		"the same":        {[]reports.Finding{finding(reports.Fail, "took 5 ms", "")}, 0},
		"another verdict": {[]reports.Finding{finding(reports.Pass, "", "")}, 1},
		"a skip":          {[]reports.Finding{finding(reports.Skip, "late", reports.Undecided)}, 1},
		"an error":        {[]reports.Finding{finding(reports.Error, "no connection", "")}, 1},
		"nothing":         {nil, 1},
	} {
		if got := quiet.differences(of(reports.Report{Findings: row.found})); len(got) != row.want {
			t.Errorf("%s: %q, want %d", name, got, row.want)
		}
	}
	undecided := of(reports.Report{Findings: []reports.Finding{finding(reports.Skip, "late", reports.Undecided)}})
	blocked := of(reports.Report{Findings: []reports.Finding{finding(reports.Skip, "late", reports.Blocked)}})
	if got := undecided.differences(blocked); len(got) != 1 {
		t.Errorf("two kinds of skip: %q", got)
	}
	if got := of(reports.Report{Findings: []reports.Finding{finding(reports.Error, "slip", "")}}).errors(); !slices.Equal(got, []string{
		"tools/x at 2025-11-25 over stdio: error: slip",
	}) {
		t.Errorf("got %q", got)
	}
}
