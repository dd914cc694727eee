package junit

import (
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// The library knows the elements most readers agree on. What it lacks stands
// here: encoding/xml takes the shallower of two fields with one name, so a field
// declared again replaces the library's. Its AddTestcase and AddSuite would
// count into the hidden fields and are not used.

type testsuites struct {
	junit.Testsuites
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Tests     int         `xml:"tests,attr"` // zero is a count too
	Errors    int         `xml:"errors,attr"`
	Failures  int         `xml:"failures,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Suites    []testsuite `xml:"testsuite"`
}

type testsuite struct {
	junit.Testsuite
	Skipped    int               `xml:"skipped,attr"`
	Properties *[]junit.Property `xml:"properties>property,omitempty"`
	Testcases  []testcase        `xml:"testcase"`
}

type testcase struct {
	junit.Testcase
	File       string            `xml:"file,attr,omitempty"`
	Line       int               `xml:"line,attr,omitempty"`
	Properties *[]junit.Property `xml:"properties>property,omitempty"`
	Skipped    *junit.Result     `xml:"skipped,omitempty"`
	Error      *junit.Result     `xml:"error,omitempty"`
	Failure    *junit.Result     `xml:"failure,omitempty"`
	SystemOut  *junit.Output     `xml:"system-out,omitempty"`
}

func (s *testsuite) add(c testcase) {
	s.Testcases = append(s.Testcases, c)
	s.Tests++
	switch {
	case c.Error != nil:
		s.Errors++
	case c.Failure != nil:
		s.Failures++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func (t *testsuites) add(s testsuite) {
	s.ID = len(t.Suites)
	t.Suites = append(t.Suites, s)
	t.Tests += s.Tests
	t.Errors += s.Errors
	t.Failures += s.Failures
	t.Skipped += s.Skipped
}

func result(kind, message, body string) *junit.Result {
	return &junit.Result{Type: clean(kind), Message: clean(message), Data: clean(body)}
}

func output(text string) *junit.Output {
	if text == "" {
		return nil
	}
	return &junit.Output{Data: clean(text)}
}

func property(name, value string) junit.Property {
	return junit.Property{Name: name, Value: clean(layout.Safe(value))}
}

// clean replaces what XML 1.0 has no way to write, escaped or not, with U+FFFD.
// The library cleans attributes and leaves CDATA as it is. Most texts were made
// safe for people before, which keeps more of them.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r',
			r >= 0x20 && r <= 0xd7ff, r >= 0xe000 && r <= 0xfffd, r >= 0x10000:
			return r
		}
		return '\ufffd'
	}, s)
}
