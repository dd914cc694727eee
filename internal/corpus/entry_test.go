package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const folder = "../../fixtures/corpus"

// Each entry can be started and compared, and gives a reason for each finding.
func TestEntries(t *testing.T) {
	t.Parallel()
	entries, err := readAll(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) == 0 {
		t.Fatal("the corpus has no server")
	}
	var cases []string
	for _, s := range suites.All() {
		for _, c := range s.Cases {
			cases = append(cases, c.ID)
		}
	}
	for _, e := range entries {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			wantStartable(t, e)
			for _, x := range e.Findings {
				if !slices.Contains(cases, x.Case) {
					t.Errorf("there is no case %s", x.Case)
				}
				if x.Status != "fail" && x.Status != "warn" {
					t.Errorf("%s is %q, want fail or warn", x.Case, x.Status)
				}
				if len(strings.Fields(x.Reason)) < 5 || !strings.HasSuffix(x.Reason, ".") {
					t.Errorf("%s has the reason %q, want a sentence", x.Case, x.Reason)
				}
				for _, revision := range x.Revisions {
					if !slices.Contains(e.Revisions, revision) {
						t.Errorf("%s is found at %s, where the server is not judged", x.Case, revision)
					}
				}
			}
		})
	}
}

func wantStartable(t *testing.T, e entry) {
	t.Helper()
	if len(e.Command) == 0 || len(e.Npm) == 0 && e.Go == "" {
		t.Error("nothing says what is started, or where it comes from")
	}
	for _, from := range append(slices.Clone(e.Npm), e.Go) {
		if at := strings.LastIndex(from, "@"); from != "" && (at < 1 || at == len(from)-1) {
			t.Errorf("%s has no version", from)
		}
	}
	if _, known := proxies()[e.Behind]; e.Behind != "" && !known {
		t.Errorf("there is no proxy %q", e.Behind)
	}
	if system, machine, _ := strings.Cut(e.Platform, "/"); e.Platform != "" && (system == "" || machine == "") {
		t.Errorf("the platform is %q, want one as linux/amd64", e.Platform)
	}
	if len(e.Revisions) == 0 {
		t.Error("no revision is judged")
	}
	for _, revision := range e.Revisions {
		if !slices.Contains(requirements.Revisions(), requirements.Revision(revision)) {
			t.Errorf("there is no revision %s", revision)
		}
	}
}

var sample = entry{Revisions: []string{"2026-07-28", "2025-11-25"}, Findings: []expected{
	{Case: "a/same", Status: "warn", Revisions: []string{"2025-11-25"}, Reason: "It is so."},
	{Case: "a/worse", Status: "warn", Revisions: []string{"2025-11-25"}, Reason: "It was so."},
	{Case: "a/gone", Status: "fail", Revisions: []string{"2026-07-28"}, Reason: "It was there."},
}}

var found = findings{
	{"a/same", "2025-11-25"}: "warn", {"a/worse", "2025-11-25"}: "fail",
	{"a/new", "2025-11-25"}: "fail", {"a/new", "2026-07-28"}: "fail",
	{"a/gone", "2026-07-28"}: undecided, {"a/other", "2025-11-25"}: undecided,
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	want := []string{
		"gone: a/gone at 2026-07-28 was fail", "new: a/new at 2026-07-28 is fail", "new: a/new at 2025-11-25 is fail",
		"changed: a/worse at 2025-11-25 is fail, it was warn",
	}
	if diff := cmp.Diff(want, sample.differences(found)); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	unsteady := sample
	unsteady.Behind = "unsteady"
	if diff := cmp.Diff(want[1:], unsteady.differences(found)); diff != "" {
		t.Errorf("differences behind a proxy that answers itself (-want +got):\n%s", diff)
	}
}

// What a server does in some runs only may be there or not, and is kept where findings are
// written anew.
func TestSometimes(t *testing.T) {
	t.Parallel()
	e := entry{Revisions: []string{"2025-11-25"}, Findings: []expected{
		{Case: "a/raced", Status: "fail", Revisions: []string{"2025-11-25"}, Reason: "It depends on the moment.", Sometimes: true},
	}}
	at := place{"a/raced", "2025-11-25"}
	for status, want := range map[string][]string{"": nil, "fail": nil, undecided: nil, "warn": {"changed: a/raced at 2025-11-25 is warn, it was fail"}} {
		if diff := cmp.Diff(want, e.differences(findings{at: status})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", status, diff)
		}
	}
	for _, got := range []findings{{}, {at: "fail"}, {at: undecided}} {
		if diff := cmp.Diff(e.Findings, e.with(got).Findings); diff != "" {
			t.Errorf("%v (-want +got):\n%s", got, diff)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	kept := sample.with(found)
	kept.Name = "sample"
	want := []expected{
		{Case: "a/new", Status: "fail", Revisions: []string{"2026-07-28", "2025-11-25"}},
		{Case: "a/same", Status: "warn", Revisions: []string{"2025-11-25"}, Reason: "It is so."},
		{Case: "a/worse", Status: "fail", Revisions: []string{"2025-11-25"}, Reason: "It was so."},
	}
	if diff := cmp.Diff(want, kept.Findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a/new is fail without a reason"}, kept.unexplained()); diff != "" {
		t.Errorf("without a reason (-want +got):\n%s", diff)
	}
	dir := t.TempDir()
	if err := kept.write(dir); err != nil {
		t.Fatal(err)
	}
	read, err := readAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]entry{kept}, read); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}
