package sarif_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/sarif"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func written(t *testing.T, r reports.Report, opts sarif.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := sarif.Write(&out, r, opts); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func schema(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// doc is the part of the document that the tests read.
type doc struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []struct{ ID string } }
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
		Results []struct {
			RuleID, Level       string
			RuleIndex           int
			Message             struct{ Text string }
			PartialFingerprints struct{ PrimaryLocationLineHash string }
		}
	}
}

func read(t *testing.T, data []byte) doc {
	t.Helper()
	var d doc
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, s := range samples.All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			golden.Compare(t, s.Name+".json", written(t, s.Report, sarif.Options{File: "conf/mcp-conform.yaml", Line: 2}), *update)
		})
	}
}

// Two thousand findings: nobody reads the file, so the golden files hold its sum and its
// beginning.
func TestGoldenHuge(t *testing.T) {
	t.Parallel()
	got := written(t, samples.Huge(), sarif.Options{File: "mcp-conform.yaml", Line: 2})
	short := fmt.Sprintf("%d bytes, sha256 %x\n\n%s\n", len(got), sha256.Sum256(got), got[:1500])
	golden.Compare(t, "huge.txt", []byte(short), *update)
}

func TestFitsCodeScanning(t *testing.T) {
	t.Parallel()
	all := append(samples.All(), samples.Sample{Name: "huge", Report: samples.Huge()}, samples.Sample{Name: "large", Report: samples.Large()})
	for _, s := range all {
		files := []string{samples.Evil}
		if s.Name != "large" {
			files = append(files, "", "mcp-conform.yaml", "/srv/a b.yaml")
		}
		for _, file := range files {
			data := written(t, s.Report, sarif.Options{File: file})
			golden.Fits(t, schema(t), data)
			prints := map[string]bool{}
			for _, run := range read(t, data).Runs {
				for _, result := range run.Results {
					if run.Tool.Driver.Rules[result.RuleIndex].ID != result.RuleID {
						t.Errorf("%s: the index of rule %s leads elsewhere", s.Name, result.RuleID)
					}
					if hash := result.PartialFingerprints.PrimaryLocationLineHash; prints[hash] {
						t.Errorf("%s: two alerts are one", s.Name)
					} else {
						prints[hash] = true
					}
				}
			}
		}
	}
	good := string(written(t, samples.EveryStatus(), sarif.Options{File: "mcp-conform.yaml"}))
	for name, change := range map[string][2]string{
		"outside":        {`"uri": "mcp-conform.yaml"`, `"uri": "../mcp-conform.yaml"`},
		"absolute":       {`"uri": "mcp-conform.yaml"`, `"uri": "/mcp-conform.yaml"`},
		"no region":      {`"startLine": 1,`, ``},
		"no fingerprint": {`"primaryLocationLineHash"`, `"other"`},
		"no text":        {`"shortDescription": {`, `"shortDescription": {"text": "", "a": {`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%s: nothing to change", name)
		}
		golden.FitsNot(t, schema(t), []byte(bad))
	}
}

// Fingerprints stay when the order of findings, the server's words or the place change:
// an alert stays the same alert.
func TestAlertsStay(t *testing.T) {
	t.Parallel()
	r := samples.EveryStatus()
	before := map[string]bool{}
	for _, result := range read(t, written(t, r, sarif.Options{})).Runs[0].Results {
		before[result.PartialFingerprints.PrimaryLocationLineHash] = true
	}
	r = samples.EveryStatus()
	r.Target.Version = "9.9.9"
	for i := range r.Findings {
		r.Findings[i].DurationMs += 7
		r.Findings[i].Problem += " today"
	}
	after := read(t, written(t, r, sarif.Options{File: "other.yaml", Line: 40})).Runs[0].Results
	for _, result := range after {
		if !before[result.PartialFingerprints.PrimaryLocationLineHash] {
			t.Errorf("%s became another alert", result.Message.Text)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d alerts, there were %d", len(after), len(before))
	}
}

// A server with many flaws: the file is small enough, and counts its omitted results.
func TestLimits(t *testing.T) {
	t.Parallel()
	var r reports.Report
	for i := range 5203 {
		r.Findings = append(r.Findings, reports.Finding{
			Case: fmt.Sprintf("tools/case-%d", i), Suite: "tools", Title: "a title", Level: "MUST", Status: reports.Warn,
			Problem: strings.Repeat(fmt.Sprint(i, " "), 400), Fix: strings.Repeat("fix ", 400), Revision: "2025-11-25", Transport: "stdio",
		})
	}
	r.Findings[5000].Status = reports.Fail
	data := written(t, r, sarif.Options{})
	golden.Fits(t, schema(t), data)
	run := read(t, data).Runs[0]
	if len(run.Results) != 5000 || run.Results[0].Level != "error" {
		t.Errorf("%d results, the first is a %s; want 5000, and the worst first", len(run.Results), run.Results[0].Level)
	}
	notes := run.Invocations[0].ToolExecutionNotifications
	if len(notes) != 1 || !strings.HasPrefix(notes[0].Message.Text, "203 more results than code scanning shows left out") {
		t.Errorf("it says %v", notes)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() > 10<<20 {
		t.Errorf("%d bytes packed, GitHub takes 10 MB", packed.Len())
	}
}

func TestNothingActs(t *testing.T) {
	t.Parallel()
	data := string(written(t, samples.Hostile(), sarif.Options{File: samples.Evil}))
	for _, r := range data {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%U stands in the file", r)
		}
	}
	for _, pattern := range []string{`\]\(`, `##\[`, `##vso\[`, `##teamcity\[`, `javascript:[^a]`} {
		if found := regexp.MustCompile(pattern).FindString(data); found != "" {
			t.Errorf("%s stands in the file", found)
		}
	}
}

// A finding that blames nobody is not a result.
func TestErrorsAreNoResults(t *testing.T) {
	t.Parallel()
	run := read(t, written(t, samples.EveryStatus(), sarif.Options{})).Runs[0]
	for _, result := range run.Results {
		if strings.Contains(result.Message.Text, "tools/schema-valid") {
			t.Error("a case that the kit did not survive blames the server")
		}
	}
	said := fmt.Sprint(run.Invocations)
	if !strings.Contains(said, "could not be judged: tools/schema-valid, 2025-11-25 over stdio: the case panicked") {
		t.Errorf("nothing tells of it: %s", said)
	}
	run = read(t, written(t, samples.Unjudged(), sarif.Options{})).Runs[0]
	if run.Invocations[0].ExecutionSuccessful || len(run.Results) > 0 {
		t.Error("a server that never spoke was judged")
	}
}

// The place of a result is a path below the root of the repository, whatever a report says.
func TestPlacesAreRelative(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"mcp-conform.yaml": "mcp-conform.yaml", "a b/c.yaml": "a%20b/c.yaml", "": nowhere, ".": nowhere,
		"javascript:alert(1)": "javascript%3Aalert%281%29", "file:///etc/passwd": nowhere, "https://evil.example/x": nowhere,
		"../../x": nowhere, "a/../../x": nowhere, "/etc/passwd": nowhere, "//evil.example/x": nowhere, "%2e%2e/x": "%252e%252e/x",
		"..\\x": "..%5Cx", "C:\\x": "C%3A%5Cx", "a/": nowhere,
	} {
		var log struct {
			Runs []struct {
				Results []struct {
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		if err := json.Unmarshal(written(t, samples.EveryStatus(), sarif.Options{File: file}), &log); err != nil {
			t.Fatal(err)
		}
		for _, result := range log.Runs[0].Results {
			if got := result.Locations[0].PhysicalLocation.ArtifactLocation.URI; got != want {
				t.Errorf("%q: the URI is %q, want %q", file, got, want)
			}
		}
	}
}

const nowhere = "no-file-names-the-server"

// A run that was interrupted, or that judged nothing, was no success of the tool.
func TestSuccessful(t *testing.T) {
	t.Parallel()
	for status, want := range map[reports.VerdictStatus]bool{
		reports.Passed: true, reports.Partial: true, reports.Failed: true, reports.Unjudged: false, reports.Stopped: false,
	} {
		out := string(written(t, reports.Report{Format: reports.Format, Verdict: reports.Verdict{Status: status}}, sarif.Options{}))
		if got := strings.Contains(out, `"executionSuccessful": true`); got != want {
			t.Errorf("%s: got %v, want %v", status, got, want)
		}
	}
}
