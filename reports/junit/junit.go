// Package junit writes a report as JUnit XML: the part of that format on which
// the readers of the large build servers agree.
//
// A column and suite make one testsuite. The classname is
// mcpconform.<revision>.<transport>.<suite>: Jenkins takes all before the last
// dot as a package and GitLab knows a test by classname and name, so that columns
// stay apart in both. The name is the id of the case and its column, which some
// readers show alone; titles may be reworded, and a test that changes its name
// loses its history.
//
// The shape is the one that schemas/report/junit.xsd describes: no attribute and no
// element that the strictest reader, the xunit plugin of Jenkins, refuses. So the
// file that names the server is an attribute of the testsuite, its line stands at
// the end of a failure, and a testcase has no properties.
package junit

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// Options say how a report is turned into tests.
type Options struct {
	Warnings Warnings // how a broken SHOULD is written; the zero value is a passed test
	File     string   // file that names the server, shown as the place of every test
	Line     int
}

// Warnings says how a broken SHOULD is written for readers that know no warnings.
type Warnings string

// The ways to write a warning. A passed test names the problem in its output.
const (
	WarningsPass    Warnings = "pass"
	WarningsSkipped Warnings = "skipped"
	WarningsFailure Warnings = "failure"
)

// AllWarnings lists the ways to write a warning.
func AllWarnings() []Warnings { return []Warnings{WarningsPass, WarningsSkipped, WarningsFailure} }

// Write writes the report as one XML document.
func Write(w io.Writer, r reports.Report, opts Options) error {
	doc := document(r, opts)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("write junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func document(r reports.Report, opts Options) testsuites {
	doc := testsuites{Testsuites: junit.Testsuites{Name: "mcp-conform", Time: seconds(r.Run.DurationMs)}}
	opts.Warnings = cmp.Or(opts.Warnings, WarningsPass)
	t := &tester{report: r, opts: opts, evidence: allEvidence, first: firsts(r)}
	for _, group := range suitesOf(r) {
		doc.add(t.suite(group))
	}
	if s, needed := t.verdict(doc); needed {
		doc.add(s)
	}
	return doc
}

// A group holds the findings of one testsuite.
type group struct {
	place    reports.Place
	suite    string
	findings []reports.Finding
}

// suitesOf sorts findings into testsuites: columns in the order of the verdict,
// suites and cases in the order of the report.
func suitesOf(r reports.Report) []group {
	var groups []group
	for _, place := range r.Places() {
		at := map[string]int{}
		for _, f := range r.Findings {
			if f.Place() != place {
				continue
			}
			i, known := at[f.Suite]
			if !known {
				i = len(groups)
				at[f.Suite] = i
				groups = append(groups, group{place: place, suite: f.Suite})
			}
			groups[i].findings = append(groups[i].findings, f)
		}
	}
	return groups
}

func (t *tester) suite(g group) testsuite {
	revision, transport := string(g.place.Revision), string(g.place.Transport)
	class := classname(revision, transport, g.suite)
	s := testsuite{Testsuite: junit.Testsuite{
		Name:      layout.Safe(strings.Join([]string{revision, transport, g.suite}, " ")),
		Timestamp: timestamp(t.report.Run.Started),
		File:      layout.Safe(t.opts.File),
	}}
	s.Properties = &[]junit.Property{
		property("kit", t.report.Kit.Name+" "+t.report.Kit.Version),
		property("target", t.report.Target.Name+" "+t.report.Target.Version),
		property("revision", revision),
		property("transport", transport),
	}
	*s.Properties = append(*s.Properties, t.verdictOf(g)...)
	var ms int64
	times := map[string]int{}
	for _, f := range g.findings {
		times[f.Case]++
		c := t.test(f, class)
		if n := times[f.Case]; n > 1 { // GitLab drops the second test of a name
			c.Name += fmt.Sprintf(" (%d)", n)
		}
		s.add(c)
		ms += f.DurationMs
	}
	s.Time = seconds(ms)
	return s
}

// verdictOf is the verdict that the tests of a suite count for: the verdict on the
// extension they judge, or the grade of their column.
func (t *tester) verdictOf(g group) []junit.Property {
	for _, s := range t.report.Suites {
		if s.Name != g.suite || s.Extension == "" {
			continue
		}
		for _, e := range t.report.ExtensionVerdicts() {
			if e.Name == s.Extension {
				return []junit.Property{property("extension", e.Name), property("verdict", e.String())}
			}
		}
		return []junit.Property{property("extension", s.Extension), property("verdict", "not claimed")}
	}
	for _, c := range t.report.Verdict.Columns {
		if c.Place() == g.place {
			all := []junit.Property{property("grade", cmp.Or(c.Grade, "none"))}
			if c.WhyNotNext != "" {
				all = append(all, property("grade-not-higher", c.WhyNotNext))
			}
			return all
		}
	}
	return nil
}

// verdict is an extra test for a run that failed without any test that shows why: a
// build that reads only this file must not stay green.
func (t *tester) verdict(doc testsuites) (testsuite, bool) {
	v := t.report.Verdict
	c := testcase{Testcase: junit.Testcase{Name: "run/verdict", Classname: "mcpconform.run", Time: seconds(0)}}
	switch {
	case v.Status == reports.Unjudged:
		c.Error = because("unjudged", v.Text, "the server could not be judged")
	case v.Status == reports.Failed && doc.Failures == 0 && v.Total().Fail == 0:
		c.Failure = because("verdict", v.Text, "warnings count in this run")
	case v.ExitCode == reports.ExitFailed && doc.Failures == 0:
		c.Failure = because("verdict", v.Text, "the run failed")
	default:
		return testsuite{}, false
	}
	s := testsuite{Testsuite: junit.Testsuite{Name: "run", Time: seconds(0), Timestamp: timestamp(t.report.Run.Started)}}
	s.File = layout.Safe(t.opts.File)
	s.add(c)
	return s, true
}

func classname(parts ...string) string {
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(part, ".", "_")
	}
	return layout.Safe("mcpconform." + strings.Join(parts, "."))
}

// because is a result whose message is the first line of its text. The server may have
// written any line, and the file may end up in the log of a build.
func because(kind, text, otherwise string) *junit.Result {
	lines := strings.Split(cmp.Or(text, otherwise), "\n")
	for i, line := range lines {
		lines[i] = layout.Safe(line)
	}
	return result(kind, layout.Clip(lines[0], messageWidth), strings.Join(lines, "\n"))
}

func seconds(ms int64) string {
	return fmt.Sprintf("%.3f", (time.Duration(ms) * time.Millisecond).Seconds())
}

// timestamp is in UTC and names no zone: the schema of strict readers has no room for a
// zone.
func timestamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05")
}
