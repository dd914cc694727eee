package junit_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/npm"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/junit"
	schemas "github.com/mcp-conform/mcp-conform/schemas/report"
)

// files writes every sample in every way that a warning can be told, and says
// what the tests of each are.
func files(t *testing.T) map[string]counted {
	t.Helper()
	dir := t.TempDir()
	all := map[string]counted{}
	for _, s := range append(samples.All(), samples.Sample{Name: "huge", Report: samples.Huge()},
		samples.Sample{Name: "large", Report: samples.Large()}) {
		for _, warnings := range junit.AllWarnings() {
			path := filepath.Join(dir, s.Name+"-"+string(warnings)+".xml")
			data := written(t, s.Report, junit.Options{Warnings: warnings, File: "mcp-conform.yaml", Line: 2})
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			all[path] = expected(s.Report, warnings)
		}
	}
	return all
}

// counted is what a reader counts.
type counted struct {
	Tests, Failed, Skipped int
}

func expected(r reports.Report, warnings junit.Warnings) counted {
	sum := reports.Tally(r.Findings)
	want := counted{Tests: sum.Total(), Failed: sum.Fail + sum.Error, Skipped: sum.Skip}
	switch warnings {
	case junit.WarningsFailure:
		want.Failed += sum.Warn
	case junit.WarningsSkipped:
		want.Skipped += sum.Warn
	case junit.WarningsPass:
	}
	if r.Verdict.Status == reports.Unjudged { // a test of its own
		want.Tests++
		want.Failed++
	}
	return want
}

func TestFitsTheSchema(t *testing.T) {
	t.Parallel()
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not installed (Debian: libxml2-utils), so junit.xml is not validated")
	}
	xsd := filepath.Join(t.TempDir(), "junit.xsd")
	if err := os.WriteFile(xsd, []byte(schemas.JUnit()), 0o600); err != nil {
		t.Fatal(err)
	}
	for path := range files(t) {
		out, err := exec.CommandContext(t.Context(), xmllint, "--huge", "--nonet", "--noout", "--schema", xsd, path).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %.500s", filepath.Base(path), err, out)
		}
	}
	// The schema refuses what the strictest reader refuses.
	good := string(written(t, samples.EveryStatus(), junit.Options{}))
	for name, change := range map[string][2]string{
		"timestamp": {`<testsuites `, `<testsuites timestamp="2027-03-01T09:30:00" `},
		"skipped":   {`<testsuites `, `<testsuites skipped="1" `},
		"file":      {`<testcase `, `<testcase file="a.yaml" `},
		"property":  {`<skipped `, `<properties></properties><skipped `},
		"twice": {`name="pagination/invalid-cursor (2025-06-18 over stdio)" classname="mcpconform.2025-06-18.stdio.pagination"`,
			`name="lifecycle/initialize-answered (2025-06-18 over stdio)" classname="mcpconform.2025-06-18.stdio.lifecycle"`},
		"no name": {`name="ping/answered (2025-11-25 over stdio)"`, `name=" "`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%s: nothing to change", name)
		}
		path := filepath.Join(t.TempDir(), "bad.xml")
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if exec.CommandContext(t.Context(), xmllint, "--nonet", "--noout", "--schema", xsd, path).Run() == nil {
			t.Errorf("%s: the schema takes what a reader refuses", name)
		}
	}
}

// TestReadersCount has published readers of JUnit count the tests of a file.
func TestReadersCount(t *testing.T) {
	t.Parallel()
	node := npm.NewNode(t, "junit2json@4.0.0", "test-results-parser@0.4.6")
	all := files(t)
	paths := make([]string, 0, len(all))
	for path := range all {
		paths = append(paths, path)
	}
	out := node.Run(t, filepath.Join("testdata", "readers.mjs"), paths...)
	var got map[string]map[string]counted
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 {
		t.Fatalf("%d readers, want 2", len(got))
	}
	for reader, counts := range got {
		if diff := cmp.Diff(all, counts); diff != "" {
			t.Errorf("%s counts differently (-want +got):\n%s", reader, diff)
		}
	}
}
