// Package headers holds the cases of the section on request metadata: headers repeat
// what stands in the body of a request, and a server compares the two.
package headers

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases are in the order of the section.
func Cases() []suite.Case {
	return slices.Concat(versionCases(), methodCases(), nameCases(), encodingCases(), paramCases(), mismatchCases())
}

// needs are those of a case here, which asks over HTTP.
func needs(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Over(requirements.HTTP), suite.Answers()}, more...)
}

// A trial is a request that is good but for what is changed in its head.
type trial struct {
	what   string // is wrong with it
	text   string
	change probe.Option
}

func (t trial) ask(c *probe.Client) *probe.Reply {
	return c.Ask(t.text, t.change, probe.Patient())
}

// with puts one value into a header; without any, the header is left out.
func with(name string, values ...string) probe.Option {
	return probe.WithHeader(http.Header{http.CanonicalHeaderKey(name): values})
}

// rejected expects that a server does not serve the request; how it says so is the
// rule of http/header-mismatch-error.
func rejected(c *probe.Client, t trial) error {
	return wantRejected(c, t.ask(c), t)
}

func wantRejected(c *probe.Client, reply *probe.Reply, t trial) error {
	if _, served := reply.Result(); served && !reply.Refused() {
		return reply.Violation("a request with %s is served, want it rejected with HTTP status 400 and error %d", t.what, protocol.HeaderMismatch)
	}
	if !reply.Refused() && !reply.Died() {
		c.NotSeen("the answer to a request with " + t.what + " is " + reply.Outcome())
	}
	return nil
}

// accepted expects that a server serves the request, if it serves the usual one.
func accepted(c *probe.Client, t trial, usual func() *probe.Reply) error {
	reply := t.ask(c)
	if !spurned(reply) {
		return nil
	}
	good := usual()
	if _, ok := good.Result(); !ok || good.Refused() {
		c.NotSeen("the usual request is rejected as well: " + good.Outcome())
	}
	return probe.Shown(good, reply).Violation("a request with %s gets %s, want it served as without that", t.what, outcome(reply))
}

// spurned reports whether a request was rejected for what it says, and not for who
// sends it, how often, or for trouble of the server's own.
func spurned(reply *probe.Reply) bool {
	switch reply.Status() {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return reply.Refused() && reply.Status() < http.StatusInternalServerError
}

// blamesHeader reports whether the error is the one for headers.
func blamesHeader(reply *probe.Reply) bool {
	code, ok := reply.Code()
	return ok && code == protocol.HeaderMismatch
}

func outcome(reply *probe.Reply) string {
	if !reply.Answered() || reply.Status() < http.StatusBadRequest {
		return reply.Outcome()
	}
	return "HTTP status " + probe.Show(reply.Status()) + " and " + reply.Outcome()
}

// unbent sends the usual request the way a bent one is sent.
func unbent() probe.Option { return probe.Bent(func(*frame.HTTPRequest) {}) }
