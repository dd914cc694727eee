package junit_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/internal/npm"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/junit"
	schemas "github.com/mcp-conform/mcp-conform/schemas/report"
)

// files puts every document, and a large one, into a folder, and returns the expected
// counts of each.
func files(t *testing.T) map[string]counted {
	t.Helper()
	dir := t.TempDir()
	all := map[string]counted{}
	put := func(d document) {
		path := filepath.Join(dir, d.Name+"-"+string(d.warnings)+".xml")
		if err := os.WriteFile(path, d.data, 0o600); err != nil {
			t.Fatal(err)
		}
		all[path] = expected(d.Report, d.warnings)
	}
	for _, d := range everyDocument(t) {
		put(d)
	}
	large := samples.Sample{Name: "large", Report: samples.Large()}
	data := written(t, large.Report, junit.Options{Warnings: junit.WarningsFailure, File: "mcp-conform.yaml", Line: 2})
	put(document{Sample: large, warnings: junit.WarningsFailure, data: data})
	return all
}

// counted holds the counts of a reader.
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
	if r.Verdict.Status == reports.Unjudged { // the verdict is an extra test
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
	args := slices.AppendSeq([]string{"--huge", "--nonet", "--noout", "--schema", xsd}, maps.Keys(files(t)))
	if out, err := exec.CommandContext(t.Context(), xmllint, args...).CombinedOutput(); err != nil {
		for line := range strings.Lines(string(out)) {
			if !strings.HasSuffix(line, " validates\n") {
				t.Errorf("%v: %.500s", err, line)
			}
		}
		if !t.Failed() {
			t.Error(err)
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

// TestReadersCount makes published readers of JUnit count the tests of a file.
func TestReadersCount(t *testing.T) {
	t.Parallel()
	node := npm.NewNode(t, "junit2json@4.0.0", "test-results-parser@0.4.6")
	all := files(t)
	out := node.Run(t, filepath.Join("testdata", "readers.mjs"), slices.Collect(maps.Keys(all))...)
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
