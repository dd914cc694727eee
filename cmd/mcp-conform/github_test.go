package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
)

// GitHub drops the whole summary of a step if it is too long.
func TestSummaryOfAStepFits(t *testing.T) {
	t.Parallel()
	r := reports.Report{Verdict: reports.Verdict{Status: reports.Failed}}
	for i := range 3000 {
		r.Findings = append(r.Findings, reports.Finding{
			Case: fmt.Sprintf("tools/case-%d", i), Status: reports.Fail, Level: "MUST", Revision: "2025-11-25", Transport: "stdio",
			Problem: strings.Repeat("problem ", 50), Fix: strings.Repeat("fix ", 50),
		})
	}
	for _, there := range []int{0, 100_000, 880_000, 899_990, 1_000_000} {
		path := filepath.Join(t.TempDir(), "step.md")
		before := bytes.Repeat([]byte("x"), there)
		if err := os.WriteFile(path, before, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := appendSummary(path, r); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(after) > 1<<20 || !bytes.HasPrefix(after, before) || !bytes.Contains(after, []byte("## ❌ FAIL")) ||
			!bytes.Contains(after, []byte("**Left out: ")) {
			t.Errorf("%d bytes after %d: too many, or something is lost", len(after), there)
		}
	}
	path := filepath.Join(t.TempDir(), "full.md")
	full := bytes.Repeat([]byte("x"), 1<<20-10)
	if err := os.WriteFile(path, full, 0o600); err != nil {
		t.Fatal(err)
	}
	err := appendSummary(path, r)
	if after, read := os.ReadFile(path); err == nil || read != nil || !bytes.Equal(after, full) {
		t.Errorf("a file that is full was changed, or nothing was said: %v", err)
	}
}
