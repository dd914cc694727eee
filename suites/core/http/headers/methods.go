package headers

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func methodCases() []suite.Case {
	const compare = "compare the header Mcp-Method with the method in the body, character by character, and reject the request if they differ"
	cases := []suite.Case{
		{
			ID:     "http/method-header-required",
			Title:  "a request without the header Mcp-Method is rejected",
			Checks: []requirements.ID{"http-mcp-method-required"},
			Fix:    "reject a request without the header Mcp-Method with HTTP status 400 and error -32020",
			Run:    judged(withoutMethod, rejected),
		},
		{
			ID:     "http/method-header-mismatch",
			Title:  "a request whose header Mcp-Method names another method than its body is rejected",
			Checks: []requirements.ID{"http-mcp-method-mismatch"},
			Fix:    compare,
			Run:    judged(otherMethod, rejected),
		},
		{
			ID:     "http/method-header-case",
			Title:  "a request whose header Mcp-Method has other letter case than the method in its body is rejected",
			Checks: []requirements.ID{"http-header-values-case-sensitive"},
			Fix:    compare,
			Run:    judged(upperCaseMethod, rejected),
		},
	}
	return append(cases, spellingCases()...)
}

func withoutMethod(c *probe.Client) trial {
	return plain(c, "no header Mcp-Method", with(protocol.HeaderMethod))
}

// other is another method than the plain one, which the server may know.
func other(c *probe.Client) string {
	if method := "server/discover"; c.PlainMethod() != method {
		return method
	}
	return protocol.Tools().Method
}

func otherMethod(c *probe.Client) trial {
	return methodHeader(c, other(c))
}

func upperCaseMethod(c *probe.Client) trial {
	return methodHeader(c, strings.ToUpper(c.PlainMethod()))
}

// methodHeader writes a value into the header Mcp-Method of the plain request.
func methodHeader(c *probe.Client, value string) trial {
	return plain(c, "the header Mcp-Method: "+value+" and the method "+c.PlainMethod(), with(protocol.HeaderMethod, value))
}

// spellingCases write the same headers in other spellings of the same meaning.
func spellingCases() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, what, title string
		rule              requirements.ID
		fix               string
		spell             func(r *frame.HTTPRequest, header string)
	}{
		{
			"lower-case", "header names in lower case", "headers are recognized when their names are in lower case",
			"http-header-names-case-insensitive", "compare the names of headers without regard to letter case",
			func(r *frame.HTTPRequest, header string) { r.Set(header, strings.ToLower(header)+": "+r.Value(header)) },
		},
		{
			"upper-case", "header names in upper case", "headers are recognized when their names are in upper case",
			"http-header-names-case-insensitive", "compare the names of headers without regard to letter case",
			func(r *frame.HTTPRequest, header string) { r.Set(header, strings.ToUpper(header)+": "+r.Value(header)) },
		},
		{
			"blanks", "blanks around the values of headers", "blanks around the value of a header do not belong to it",
			"http-header-whitespace-trimmed", "take spaces and tabs off both ends of a header's value before it is compared",
			func(r *frame.HTTPRequest, header string) { r.Set(header, header+": \t "+r.Value(header)+" \t ") },
		},
	} {
		cases = append(cases, suite.Case{
			ID:     "http/header-" + row.slug,
			Title:  row.title,
			Checks: []requirements.ID{row.rule},
			Fix:    row.fix,
			Run: func(c *probe.Client) error {
				text := c.Compose(c.PlainMethod(), nil)
				bend := probe.Bent(func(r *frame.HTTPRequest) {
					row.spell(r, protocol.HeaderVersion)
					row.spell(r, protocol.HeaderMethod)
				})
				return accepted(c, trial{row.what, text, bend}, func() *probe.Reply {
					return c.Call(c.PlainMethod(), nil, unchanged())
				})
			},
		})
	}
	return cases
}
