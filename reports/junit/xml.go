package junit

import (
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// The library knows the elements that most readers agree on. The missing elements stand
// here: encoding/xml takes the shallower of two fields with one name, so a field
// declared again replaces the field of the library. Its AddTestcase and AddSuite would
// count into the hidden fields and are not used.

type testsuites struct {
	junit.Testsuites
	Tests    int         `xml:"tests,attr"` // zero is a count too
	Errors   int         `xml:"errors,attr"`
	Failures int         `xml:"failures,attr"`
	Suites   []testsuite `xml:"testsuite"`
}

type testsuite struct {
	junit.Testsuite
	Skipped    int               `xml:"skipped,attr"`
	Properties *[]junit.Property `xml:"properties>property,omitempty"`
	Testcases  []testcase        `xml:"testcase"`
}

type testcase struct {
	junit.Testcase
	Skipped   *junit.Result `xml:"skipped,omitempty"`
	Error     *junit.Result `xml:"error,omitempty"`
	Failure   *junit.Result `xml:"failure,omitempty"`
	SystemOut *junit.Output `xml:"system-out,omitempty"`
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
}

func result(kind, message, body string) *junit.Result {
	return &junit.Result{Type: clean(kind), Message: inert(clean(message)), Data: inert(clean(body))}
}

func output(text string) *junit.Output {
	if text == "" {
		return nil
	}
	return &junit.Output{Data: text}
}

// inert changes a text so that no reader obeys it: neither the log of a build that shows
// the file, nor readers that let the output of a test attach a file of the build machine
// or change the data of the test.
func inert(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = layout.Harmless(line)
	}
	text = strings.Join(lines, "\n")
	for _, command := range []string{"[[ATTACHMENT|", "[[PROPERTY|"} {
		text = strings.ReplaceAll(text, command, `\x5b`+command[1:])
	}
	return text
}

func property(name, value string) junit.Property {
	return junit.Property{Name: name, Value: inert(clean(layout.Clip(value, messageWidth)))}
}

// clean replaces characters that XML 1.0 cannot represent, escaped or not, with U+FFFD.
// The library cleans attributes and leaves CDATA as it is. Most texts were made safe for
// people before, which keeps more of their characters.
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
