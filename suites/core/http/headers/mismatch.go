package headers

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// mismatchCases judge how wrong headers are rejected. Each kind of wrong header has a
// case of its own, because servers check them in different places.
func mismatchCases() []suite.Case {
	const fix = "answer a request whose headers do not fit its body with HTTP status 400 and error -32020"
	plain := func(build func(*probe.Client) trial) func(*probe.Client) trial {
		return func(c *probe.Client) trial { return build(c) }
	}
	var cases []suite.Case
	for _, row := range []struct {
		slug, title string
		need        []suite.Need
		build       func(*probe.Client) trial
		codes       []int
	}{
		{"missing", "a missing header is answered with HTTP status 400 and error -32020", nil,
			plain(withoutMethod), []int{protocol.HeaderMismatch}},
		{"method", "a header that names another method is answered with HTTP status 400 and error -32020", nil,
			plain(otherMethod), []int{protocol.HeaderMismatch}},
		// The body names an unsupported revision, so the error for that is right too.
		{"version", "headers at another revision than the body are answered with HTTP status 400 and an error that says so", nil,
			plain(otherVersion), []int{protocol.HeaderMismatch, protocol.UnsupportedVersion}},
		{"name", "a header that names another thing is answered with HTTP status 400 and error -32020", []suite.Need{anyName()},
			otherName, []int{protocol.HeaderMismatch}},
	} {
		cases = append(cases, suite.Case{
			ID:     "http/header-mismatch-error-" + row.slug,
			Title:  row.title,
			Checks: []requirements.ID{"http-header-mismatch-error"},
			Needs:  needs(row.need...),
			Fix:    fix,
			Run: judged(row.build, func(c *probe.Client, t trial) error {
				return wantMismatch(c, t.ask(c), t, row.codes)
			}),
		})
	}
	return cases
}

func otherName(c *probe.Client) trial {
	return firstNaming(c).naming(c, func(name string) string { return name + "-" + c.Nonce() })
}

// wantMismatch expects a rejection with status 400 and an error with one of the codes.
// Another rule demands the rejection itself. A gateway in front of the server may reject
// by the status alone.
func wantMismatch(c *probe.Client, reply *probe.Reply, t trial, codes []int) error {
	if !turnedDown(reply) {
		c.NotSeen("a request with " + t.what + " is not rejected: " + reply.Outcome())
	}
	code, ok := reply.Code()
	if reply.Status() == http.StatusBadRequest && ok && slices.Contains(codes, code) {
		return nil
	}
	problem := reply.Violation("a request with %s gets HTTP status %d and %s, want status 400 and error %d",
		t.what, reply.Status(), reply.Outcome(), codes[0])
	switch bare := !reply.Answered() && reply.Status() == http.StatusBadRequest; {
	case bare && !c.Survey().Local():
		c.NotSeen("the request is rejected by HTTP status 400 alone, as a gateway does")
	case bare:
		return problem.AtMostWarn()
	}
	return problem
}
