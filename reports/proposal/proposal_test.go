package proposal_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/proposal"
	schemas "github.com/mcp-conform/mcp-conform/schemas/report"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func written(t *testing.T, r reports.Report) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := proposal.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, s := range samples.All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			got := written(t, s.Report)
			golden.Compare(t, s.Name+".json", got, *update)
			golden.Fits(t, schemas.Proposal(), got)
		})
	}
}

// Two thousand findings: nobody reads the file, so the golden files hold its sum and its
// beginning.
func TestGoldenHuge(t *testing.T) {
	t.Parallel()
	got := written(t, samples.Huge())
	short := fmt.Sprintf("%d bytes, sha256 %x\n\n%s\n", len(got), sha256.Sum256(got), got[:1500])
	golden.Compare(t, "huge.txt", []byte(short), *update)
}

func TestMuch(t *testing.T) {
	t.Parallel()
	for _, r := range []reports.Report{samples.Huge(), samples.Large()} {
		got := written(t, r)
		golden.Fits(t, schemas.Proposal(), got)
		if len(got) > 1<<20 {
			t.Errorf("%d bytes", len(got))
		}
	}
}

// A case has one result, its worst, and the summary counts the results.
func TestOneResultForACase(t *testing.T) {
	t.Parallel()
	r := samples.EveryStatus()
	var doc struct {
		Results []struct {
			ID      string `json:"test_id"`
			Status  string
			Warning bool
			Message string
			Columns []struct{ Status reports.Status }
		}
		Summary struct{ Passed, Failed, Skipped, Errors int }
	}
	if err := json.Unmarshal(written(t, r), &doc); err != nil {
		t.Fatal(err)
	}
	columns, seen, counts := 0, map[string]string{}, map[string]int{}
	for _, result := range doc.Results {
		if seen[result.ID] != "" {
			t.Errorf("%s has several results", result.ID)
		}
		seen[result.ID] = result.Status
		counts[result.Status]++
		columns += len(result.Columns)
		said := "warning: 2025-11-25 over stdio: $.result"
		if result.ID == "pagination/invalid-cursor" && (!result.Warning || !strings.HasPrefix(result.Message, said)) {
			t.Errorf("the warning is told as %q", result.Message)
		}
	}
	if columns != len(r.Findings) {
		t.Errorf("%d columns of results, want %d", columns, len(r.Findings))
	}
	for id, want := range map[string]string{
		"ping/answered": "failed", "tools/schema-valid": "error", "logging/level-kept": "skipped", "pagination/invalid-cursor": "passed",
	} {
		if seen[id] != want {
			t.Errorf("%s is %q, want %s", id, seen[id], want)
		}
	}
	s := doc.Summary
	if s.Passed != counts["passed"] || s.Failed != counts["failed"] || s.Skipped != counts["skipped"] || s.Errors != counts["error"] {
		t.Errorf("the summary %+v does not count the results %v", s, counts)
	}
}

func TestTheWorstCounts(t *testing.T) {
	t.Parallel()
	order := []reports.Status{reports.Fail, reports.Error, reports.Warn, reports.Pass, reports.Skip}
	for i, worse := range order {
		for _, better := range order[i+1:] {
			for _, pair := range [][]reports.Status{{worse, better}, {better, worse}} {
				var r reports.Report
				for n, status := range pair {
					r.Findings = append(r.Findings, reports.Finding{Case: "a/b", Status: status, Level: "MUST",
						Revision: requirements.Revisions()[n], Transport: requirements.Stdio, Reason: &reports.Reason{Kind: reports.NoRole}})
				}
				alone := r
				alone.Findings = r.Findings[:1]
				if pair[0] != worse {
					alone.Findings = r.Findings[1:]
				}
				if got, want := statusOf(t, r), statusOf(t, alone); got != want {
					t.Errorf("%v is %s, want %s", pair, got, want)
				}
			}
		}
	}
}

func statusOf(t *testing.T, r reports.Report) string {
	t.Helper()
	var doc struct{ Results []struct{ Status string } }
	if err := json.Unmarshal(written(t, r), &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Results[0].Status
}

func TestNothingActs(t *testing.T) {
	t.Parallel()
	text := string(written(t, samples.Hostile()))
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%U stands in the file", r)
		}
	}
	for _, command := range []string{"##[", "##vso[", "##teamcity["} {
		if strings.Contains(text, command) {
			t.Errorf("%s stands in the file", command)
		}
	}
}

func TestRef(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                     "core-2026-07-28",
		"core tools":           "core-2026-07-28",
		"EP5 (MUST)":           "proposal-5",
		"EP11; DD 5.3":         "proposal-11",
		"EP4+EP6":              "proposal-4",
		"EP design principles": "proposal-principles",
		"DD 3.3.2, Appendix B": "dashdash-3.3.2",
		"DD Appendix B":        "dashdash-appendix-b",
		"DD":                   "dashdash-document",
		"WK (source of truth)": "well-known",
		"CC; core tools":       "content-core-tools",
		"CC":                   "content-checklist",
	} {
		if got := proposal.Ref(source, requirements.R20260728); got != want {
			t.Errorf("%q is %s, want %s", source, got, want)
		}
	}
}

func TestCases(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := proposal.WriteCases(&out, proposal.Cases{Version: "1.0.0", Revision: requirements.R20260728, Tests: []proposal.Case{
		{"ping/answered", "ping is answered", "", "", requirements.Must, []requirements.ID{"ping-answered"}},
		{"ext-errors/shape", "an error has a category", "structured-errors", "EP11", requirements.Should, []requirements.ID{"ext-errors-shape"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "cases.json", out.Bytes(), *update)
	golden.Fits(t, schemas.ProposalCases(), out.Bytes())
	golden.FitsNot(t, schemas.ProposalCases(), bytes.Replace(out.Bytes(), []byte("error_handling"), []byte("errors"), 1))
	golden.FitsNot(t, schemas.Proposal(), bytes.Replace(written(t, samples.EveryStatus()), []byte(`"failed"`), []byte(`"broken"`), 1))
}
