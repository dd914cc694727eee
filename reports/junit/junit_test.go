package junit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"unicode"

	library "github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/junit"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func written(t *testing.T, r reports.Report, opts junit.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := junit.Write(&out, r, opts); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	for _, s := range samples.All() {
		t.Run(s.Name, func(t *testing.T) {
			golden.Compare(t, s.Name+".xml", written(t, s.Report, junit.Options{}), *update)
		})
	}
	opts := junit.Options{Warnings: junit.WarningsFailure, File: "mcp-conform.yaml", Line: 2}
	golden.Compare(t, "every-status-strict.xml", written(t, samples.EveryStatus(), opts), *update)
	opts = junit.Options{Warnings: junit.WarningsSkipped}
	golden.Compare(t, "every-status-skipped.xml", written(t, samples.EveryStatus(), opts), *update)
}

func TestHuge(t *testing.T) {
	got := written(t, samples.Huge(), junit.Options{})
	if len(got) > 30<<20 {
		t.Errorf("%d bytes, GitLab reads 30 MB", len(got))
	}
	short := fmt.Sprintf("%d bytes, sha256 %x\n\n%s\n", len(got), sha256.Sum256(got), got[:1500])
	golden.Compare(t, "huge.txt", []byte(short), *update)
}

// A document is one sample with one way to write a warning.
type document struct {
	samples.Sample
	warnings junit.Warnings
	data     []byte
	read     library.Testsuites
}

// documents holds all samples in all ways, written and read once for all tests. The huge
// sample writes warnings only in the way that makes it largest.
var documents = sync.OnceValues(func() (all []document, err error) {
	for _, s := range append(samples.All(), samples.Sample{Name: "huge", Report: samples.Huge()}) {
		for _, warnings := range junit.AllWarnings() {
			if s.Name == "huge" && warnings != junit.WarningsFailure {
				continue
			}
			var out bytes.Buffer
			if err := junit.Write(&out, s.Report, junit.Options{Warnings: warnings, File: "conf/mcp-conform.yaml", Line: 17}); err != nil {
				return nil, err
			}
			d := document{Sample: s, warnings: warnings, data: out.Bytes()}
			if d.read, err = parsed(d.data); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			all = append(all, d)
		}
	}
	return all, nil
})

func everyDocument(t *testing.T) []document {
	t.Helper()
	all, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// parsed reads a document as its readers do: to the end, strictly, and into the
// library's own elements.
func parsed(data []byte) (doc library.Testsuites, err error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&doc); err != nil {
		return doc, err
	}
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return doc, nil
		} else if err != nil {
			return doc, fmt.Errorf("not well-formed: %w", err)
		}
	}
}

func read(t *testing.T, data []byte) library.Testsuites {
	t.Helper()
	doc, err := parsed(data)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestEveryReaderIsContent(t *testing.T) {
	for _, s := range everyDocument(t) {
		names := map[string]bool{}
		if !bytes.HasPrefix(s.data, []byte(xml.Header+"<testsuites ")) {
			t.Errorf("%s: begins with %q", s.Name, s.data[:60])
		}
		doc := s.read
		var sum library.Testsuite
		keys := map[string]bool{}
		for _, suite := range doc.Suites {
			want := library.Testsuite{}
			for _, c := range suite.Testcases {
				want.AddTestcase(c)
				key := c.Classname + "\x00" + c.Name
				if names[c.Name] { // several readers show only the name of a test
					t.Errorf("%s: two tests are called %q", s.Name, c.Name)
				}
				names[c.Name] = true
				if c.Name == "" || c.Classname == "" || c.Time == "" || keys[key] {
					t.Errorf("%s: test %q of %q is incomplete or not the only one", s.Name, c.Name, c.Classname)
				}
				keys[key] = true
			}
			if suite.Name == "" || suite.Time == "" || suite.Tests != want.Tests || suite.Failures != want.Failures ||
				suite.Errors != want.Errors || suite.Skipped != want.Skipped {
				t.Errorf("%s: the counts of %q are wrong", s.Name, suite.Name)
			}
			sum.Tests, sum.Failures = sum.Tests+want.Tests, sum.Failures+want.Failures
			sum.Errors, sum.Skipped = sum.Errors+want.Errors, sum.Skipped+want.Skipped
		}
		if doc.Tests != sum.Tests || doc.Failures != sum.Failures || doc.Errors != sum.Errors {
			t.Errorf("%s: the counts of the document are wrong", s.Name)
		}
		checkAgainst(t, s, sum)
	}
}

// checkAgainst compares the document with the report's own counts.
func checkAgainst(t *testing.T, s document, doc library.Testsuite) {
	t.Helper()
	want := reports.Tally(s.Report.Findings)
	failures, errs := want.Fail, want.Error
	switch s.warnings {
	case junit.WarningsFailure:
		failures += want.Warn
	case junit.WarningsSkipped:
		want.Skip += want.Warn
	case junit.WarningsPass:
	}
	if s.Report.Verdict.Status == reports.Unjudged {
		errs++
	}
	if doc.Failures != failures || doc.Errors != errs || doc.Skipped != want.Skip {
		t.Errorf("%s: %d failures, %d errors, %d skipped, want %d, %d, %d",
			s.Name, doc.Failures, doc.Errors, doc.Skipped, failures, errs, want.Skip)
	}
}

func TestHostileStaysText(t *testing.T) {
	doc := read(t, written(t, samples.Hostile(), junit.Options{}))
	found := false
	for _, suite := range doc.Suites {
		for _, c := range suite.Testcases {
			if c.Failure != nil {
				found = true
				if !strings.Contains(c.Failure.Data, "]]> <script>alert(1)</script>") {
					t.Error("the body lost a part of what the server wrote")
				}
				if c.SystemOut == nil || len(c.SystemOut.Data) > 64<<10 {
					t.Error("the evidence is missing or longer than 64 KB")
				}
				if !strings.HasSuffix(c.SystemOut.Data, "... the rest is in report.json ...\n") {
					t.Error("the evidence does not say where the rest is")
				}
			}
		}
	}
	if !found {
		t.Error("the failure is missing")
	}
}

func TestNothingHidesInTheFile(t *testing.T) {
	for _, r := range string(written(t, samples.Hostile(), junit.Options{File: samples.Evil})) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%U stands in the file", r)
		}
	}
}

// The output of a server before it could be judged stands on separate lines.
func TestVerdictIsNoCommand(t *testing.T) {
	r := samples.Pass()
	r.Verdict.Status, r.Verdict.Text = reports.Unjudged, "its last words on stderr:\n::error::owned\n  ##teamcity[buildStop]\n##[error]owned"
	for line := range strings.Lines(string(written(t, r, junit.Options{}))) {
		line = strings.TrimLeft(line, " ")
		if strings.HasPrefix(line, "::") || strings.HasPrefix(line, "##") {
			t.Errorf("a build obeys %q", line)
		}
	}
}

func TestVerdictWithoutFailedTest(t *testing.T) {
	r := samples.Pass()
	r.Verdict.Status, r.Verdict.Text = reports.Failed, "baseline entry tools/gone matches no case\nremove it"
	doc := read(t, written(t, r, junit.Options{}))
	if doc.Failures != 1 {
		t.Fatalf("%d failures, want 1: a failed run must not look green", doc.Failures)
	}
	last := doc.Suites[len(doc.Suites)-1].Testcases[0]
	if last.Name != "run/verdict" || last.Failure.Message != "baseline entry tools/gone matches no case" {
		t.Errorf("got %s: %s", last.Name, last.Failure.Message)
	}
}

func TestPartialThatFails(t *testing.T) {
	r := samples.Partial()
	if doc := read(t, written(t, r, junit.Options{})); doc.Failures != 0 {
		t.Errorf("%d failures, want none: partial is no failure by itself", doc.Failures)
	}
	r.Verdict.ExitCode, r.Verdict.Text = reports.ExitFailed, "--fail-on-partial: not judged was a case"
	doc := read(t, written(t, r, junit.Options{}))
	if last := doc.Suites[len(doc.Suites)-1].Testcases[0]; doc.Failures != 1 || last.Failure.Message != r.Verdict.Text {
		t.Errorf("%d failures, the last test is %s: a failed run must not look green", doc.Failures, last.Name)
	}
}

func TestSameNameTwice(t *testing.T) {
	r := samples.Pass()
	r.Findings = append(r.Findings, r.Findings[0])
	doc := read(t, written(t, r, junit.Options{}))
	if got := doc.Suites[0].Testcases[1].Name; got != r.Findings[0].Case+" (2025-11-25 over stdio) (2)" {
		t.Errorf("the second test is called %q", got)
	}
}

// A requirement that several cases find broken makes as many failures, and only the
// first shows the evidence.
func TestOthersReferToTheFirst(t *testing.T) {
	doc := read(t, written(t, samples.EveryStatus(), junit.Options{}))
	proofs, references := 0, 0
	for _, suite := range doc.Suites {
		for _, c := range suite.Testcases {
			if c.Failure == nil || !strings.HasPrefix(c.Name, "stdio/survives-") || strings.HasPrefix(c.Name, "stdio/survives-empty") {
				continue
			}
			if strings.Contains(c.Failure.Data, "exited with code 1") {
				proofs++
				continue
			}
			references++
			leads := strings.Contains(c.Failure.Data, "see stdio/survives-text, 2025-11-25 over stdio")
			if !leads || c.SystemOut != nil || c.Failure.Message == "" {
				t.Errorf("%s does not lead to the evidence: %s", c.Name, c.Failure.Data)
			}
		}
	}
	if proofs != 1 || references != 3 {
		t.Errorf("%d with evidence and %d without, want 1 and 3", proofs, references)
	}
}
