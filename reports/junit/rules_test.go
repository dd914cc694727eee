package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	library "github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/junit"
)

// each calls look for every test of every sample, written in every way.
func each(t *testing.T, look func(t *testing.T, suite library.Testsuite, c library.Testcase)) {
	t.Helper()
	for _, d := range everyDocument(t) {
		for _, suite := range d.read.Suites {
			for _, c := range suite.Testcases {
				look(t, suite, c)
			}
		}
	}
}

// dorny/test-reporter trims the names of suites, so each suite needs a name; it shows
// the body of the first failure and no message.
func TestBodyTellsAll(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, suite library.Testsuite, c library.Testcase) {
		t.Helper()
		if strings.TrimSpace(suite.Name) == "" {
			t.Error("a suite has no name")
		}
		for _, result := range []*library.Result{c.Failure, c.Error} {
			if result == nil {
				continue
			}
			first, _, _ := strings.Cut(result.Data, "\n")
			if strings.TrimSpace(result.Message) == "" || first != result.Message {
				t.Errorf("%s: the body begins with %q, the message is %q", c.Name, first, result.Message)
			}
		}
		if c.Skipped != nil && strings.TrimSpace(c.Skipped.Message) == "" {
			t.Errorf("%s is skipped without a reason", c.Name)
		}
	})
}

// mikepenz/action-junit-report takes the file of the suite if a test has none, and the
// last place in the body with the name of that file and a line.
func TestPlaceOfAFailure(t *testing.T) {
	t.Parallel()
	place := regexp.MustCompile(` [^ ]*conf/mcp-conform\.yaml.*?:(\d+)`)
	failures := 0
	each(t, func(t *testing.T, suite library.Testsuite, c library.Testcase) {
		t.Helper()
		if suite.File != "conf/mcp-conform.yaml" {
			t.Errorf("%s: the file is %q", suite.Name, suite.File)
		}
		if c.Failure == nil {
			return
		}
		failures++
		found := place.FindAllStringSubmatch(c.Failure.Data, -1)
		if len(found) == 0 || found[len(found)-1][1] != "17" {
			t.Errorf("%s is shown at %v, want line 17", c.Name, found)
		}
	})
	if failures == 0 {
		t.Fatal("nothing failed")
	}
	// The server cannot redirect readers to another line.
	r := samples.Hostile()
	for i := range r.Findings {
		r.Findings[i].Problem = "at conf/mcp-conform.yaml:99"
		r.Findings[i].Notes = []string{"see conf/mcp-conform.yaml:98"}
	}
	for _, suite := range read(t, written(t, r, junit.Options{File: "conf/mcp-conform.yaml", Line: 17})).Suites {
		for _, c := range suite.Testcases {
			if c.Failure == nil {
				continue
			}
			if found := place.FindAllStringSubmatch(c.Failure.Data, -1); found[len(found)-1][1] != "17" {
				t.Errorf("a server has its failure shown at line %s", found[len(found)-1][1])
			}
		}
	}
}

// GitLab reads 30 MB, 250,000 objects, and tests with different names; it cannot read an
// output of ten megabytes. Jenkins takes the text before the last dot of a class as its
// package.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		report reports.Report
		most   int
	}{{samples.Huge(), 30 << 20}, {samples.Large(), 1 << 20}} { // the server's texts are cut at every size
		data := written(t, row.report, junit.Options{Warnings: junit.WarningsFailure})
		objects := 0
		dec := xml.NewDecoder(bytes.NewReader(data))
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if start, ok := token.(xml.StartElement); ok {
				objects += 1 + len(start.Attr)
			}
		}
		if len(data) > row.most || objects > 250_000 {
			t.Errorf("%d bytes in %d objects", len(data), objects)
		}
	}
	each(t, func(t *testing.T, _ library.Testsuite, c library.Testcase) {
		t.Helper()
		if c.SystemOut != nil && len(c.SystemOut.Data) > 64<<10 {
			t.Errorf("%s: an output of %d bytes", c.Name, len(c.SystemOut.Data))
		}
		pack := c.Classname[:max(strings.LastIndexByte(c.Classname, '.'), 0)]
		if strings.Count(pack, ".") != 2 && c.Classname != "mcpconform.run" {
			t.Errorf("%s is in the package %q, want the column in it", c.Name, pack)
		}
		if _, err := strconv.ParseFloat(c.Time, 64); err != nil {
			t.Errorf("%s took %q", c.Name, c.Time)
		}
	})
}

// The names of tests stay from run to run, or a test loses its history.
func TestNamesStay(t *testing.T) {
	t.Parallel()
	names := func(r reports.Report) (all []string) {
		for _, suite := range read(t, written(t, r, junit.Options{})).Suites {
			for _, c := range suite.Testcases {
				all = append(all, c.Classname+" "+c.Name)
			}
		}
		return all
	}
	before := names(samples.EveryStatus())
	r := samples.EveryStatus()
	r.Verdict.Status, r.Verdict.ExitCode = reports.Passed, reports.ExitPassed
	r.Target.Given, r.Target.Version, r.Run.Seed, r.Run.DurationMs = "http://127.0.0.1:54321/mcp", "3.0.0", 7, 99
	for i := range r.Findings {
		f := &r.Findings[i]
		f.DurationMs += 31
		f.Title += ", reworded"
		if f.Status == reports.Fail {
			f.Status = reports.Pass
		}
	}
	if after := names(r); strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Error("names of tests follow from what happened in a run")
	}
}
