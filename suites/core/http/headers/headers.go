// Package headers holds the cases of the section on request metadata: headers repeat
// what stands in the body of a request, and a server compares the two.
package headers

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases returns the cases in the order of the section.
func Cases() []suite.Case {
	answers := []suite.Need{suite.Answers()}
	return suite.Needing(answers, versionCases(), methodCases(), nameCases(), encodingCases(), paramCases(), mismatchCases())
}

// A trial is a valid request with one change in its headers.
type trial struct {
	what   string // names the change in findings
	text   string
	change probe.Option
}

// plain is a trial of the request that any server should serve.
func plain(c *probe.Client, what string, change probe.Option) trial {
	return trial{what, c.Compose(c.PlainMethod(), nil), change}
}

// judged makes the Run function of a case from a trial and an expectation.
func judged(build func(*probe.Client) trial, expect func(*probe.Client, trial) error) func(*probe.Client) error {
	return func(c *probe.Client) error { return expect(c, build(c)) }
}

func (t trial) ask(c *probe.Client) *probe.Reply {
	return c.Ask(t.text, t.change, probe.Patient())
}

// with sets a header to one value, or leaves the header out where no value is given.
func with(name string, values ...string) probe.Option {
	return probe.WithHeader(http.Header{http.CanonicalHeaderKey(name): values})
}

// rejected expects that the server does not serve the request. The case
// http/header-mismatch-error judges the form of the rejection.
func rejected(c *probe.Client, t trial) error {
	reply := t.ask(c)
	if reply.Served() && !reply.Refused() {
		return reply.Violation("a request with %s is served, want it rejected with HTTP status 400 and error %d", t.what, protocol.HeaderMismatch)
	}
	c.NotSeenIf(!reply.Refused() && !reply.Died(), "the answer to a request with "+t.what+" is "+reply.Outcome())
	return nil
}

// accepted expects that the server serves the request, provided that it serves the usual
// one.
func accepted(c *probe.Client, t trial, usual func() *probe.Reply) error {
	reply := t.ask(c)
	if !turnedDown(reply) {
		return nil
	}
	good := usual()
	c.NotSeenIf(!good.Served() || good.Refused(), "the usual request is rejected as well: "+good.Outcome())
	return probe.Shown(good, reply).Violation("a request with %s gets %s, want it served as without that", t.what, outcome(reply))
}

// turnedDown reports whether a request was rejected for its content, and not for its sender,
// its rate, or an internal error of the server.
func turnedDown(reply *probe.Reply) bool {
	switch reply.Status() {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return reply.Refused() && reply.Status() < http.StatusInternalServerError
}

func outcome(reply *probe.Reply) string {
	if !reply.Answered() || reply.Status() < http.StatusBadRequest {
		return reply.Outcome()
	}
	return "HTTP status " + probe.Show(reply.Status()) + " and " + reply.Outcome()
}

// unchanged sends the unchanged request the same way as probe.Bent sends a changed one.
func unchanged() probe.Option { return probe.Bent(func(*frame.HTTPRequest) {}) }
