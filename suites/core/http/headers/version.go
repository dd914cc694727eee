package headers

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func versionCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "http/version-header-required",
			Title:  "a request without the header MCP-Protocol-Version is rejected by a server whose clients all send it",
			Checks: []requirements.ID{"http-version-header-required"},
			Fix:    "reject a request without the header MCP-Protocol-Version with HTTP status 400 and error -32020",
			Run:    versionHeaderRequired,
		},
		{
			ID:     "http/version-header-mismatch",
			Title:  "a request whose header and body name different revisions is rejected",
			Checks: []requirements.ID{"http-version-header-body-mismatch"},
			Fix:    "compare the header MCP-Protocol-Version with the protocol version in _meta, and reject the request if they differ",
			Run:    judged(otherVersion, rejected),
		},
		{
			ID:     "http/version-header-unknown",
			Title:  "a request is rejected when its header names a revision that does not exist, and its body another",
			Checks: []requirements.ID{"http-version-header-body-mismatch"},
			Fix:    "compare the header MCP-Protocol-Version with the protocol version in _meta, and reject the request if they differ",
			Run: func(c *probe.Client) error {
				return rejected(c, plain(c, "the revision "+protocol.YetToCome+" in its header and "+string(c.Revision())+" in its body",
					with(protocol.HeaderVersion, protocol.YetToCome)))
			},
		},
		{
			ID:     "http/unsupported-version-400",
			Title:  "the error for an unsupported revision has HTTP status 400",
			Checks: []requirements.ID{"http-unsupported-version-400"},
			Fix:    "answer error -32022 with HTTP status 400",
			Run:    unsupportedVersion400,
		},
		{
			ID:     "http/unknown-method-404",
			Title:  "the error for an unknown method has HTTP status 404",
			Checks: []requirements.ID{"http-unknown-method-404"},
			Fix:    "answer error -32601 with HTTP status 404",
			Run:    unknownMethod404,
		},
	}
}

// versionHeaderRequired binds only a server without older clients: a server that has them
// may take a request without the header for an older client's.
func versionHeaderRequired(c *probe.Client) error {
	served := c.Versions()
	all := append([]string{}, c.Survey().Supported...)
	for _, echoed := range served.Echoed {
		all = append(all, string(echoed))
	}
	for _, version := range append(all, served.Offered...) {
		c.NotSeenIf(protocol.HasHandshake(version) && !protocol.VersionHeader().At(requirements.Revision(version)),
			"the server also serves "+version+", whose clients send no such header")
	}
	return rejected(c, plain(c, "no header "+protocol.HeaderVersion, with(protocol.HeaderVersion)))
}

// otherVersion names another revision in the body than in the header.
func otherVersion(c *probe.Client) trial {
	return trial{
		what:   "the revision " + string(c.Revision()) + " in its header and " + protocol.YetToCome + " in its body",
		text:   c.Compose(c.PlainMethod(), probe.Object{"_meta": probe.Object{protocol.MetaVersion: protocol.YetToCome}}),
		change: with(protocol.HeaderVersion, string(c.Revision())),
	}
}

// unsupportedVersion400 judges only the status; lifecycle/unsupported-version judges the
// error.
func unsupportedVersion400(c *probe.Client) error {
	text := c.Compose(c.PlainMethod(), probe.Object{"_meta": probe.Object{protocol.MetaVersion: protocol.YetToCome}})
	return wantStatus(c, c.Ask(text, probe.Patient()), protocol.UnsupportedVersion, http.StatusBadRequest)
}

// unknownMethod404 judges only the status; jsonrpc/method-not-found judges the error.
func unknownMethod404(c *probe.Client) error {
	return wantStatus(c, c.Call("no/such_method", nil), protocol.MethodNotFound, http.StatusNotFound)
}

// wantStatus expects the HTTP status that belongs to an error.
func wantStatus(c *probe.Client, reply *probe.Reply, code, status int) error {
	got, ok := reply.Code()
	switch {
	case !ok || got != code:
		c.NotSeen("the answer is not error " + probe.Show(code) + " but " + reply.Outcome())
	case reply.Status() != status:
		return reply.Violation("the HTTP status beside error %d is %d, want %d", code, reply.Status(), status)
	}
	return nil
}

// A mismatch is one kind of wrong header. Each kind has a case of its own, because servers
// check them in different places.
type mismatch struct {
	slug, title string
	need        []suite.Need
	build       func(*probe.Client) trial
	codes       []int
}

func (m mismatch) id() string { return "http/header-mismatch-error-" + m.slug }

func mismatches() []mismatch {
	own := []int{protocol.HeaderMismatch}
	return []mismatch{
		{"missing", "a missing header is answered with HTTP status 400 and error -32020", nil, withoutMethod, own},
		{"method", "a header that names another method is answered with HTTP status 400 and error -32020", nil, otherMethod, own},
		// The body names an unsupported revision, so the error for that is right too.
		{"version", "headers at another revision than the body are answered with HTTP status 400 and an error that says so", nil,
			otherVersion, append(own[:1:1], protocol.UnsupportedVersion)},
		{"name", "a header that names another thing is answered with HTTP status 400 and error -32020", []suite.Need{anyName()},
			otherName, own},
	}
}

// mismatchCases judge how wrong headers are rejected.
func mismatchCases() []suite.Case {
	var cases []suite.Case
	for i, m := range mismatches() {
		cases = append(cases, suite.Case{
			ID:     m.id(),
			Title:  m.title,
			Checks: []requirements.ID{"http-header-mismatch-error"},
			Needs:  m.need,
			Fix:    "answer a request whose headers do not fit its body with HTTP status 400 and error -32020",
			Run:    func(c *probe.Client) error { return m.judge(c, mismatches()[:i]) },
		})
	}
	return cases
}

// judge expects a rejection with status 400 and an error with one of the codes. A server
// that rejects an earlier kind with the same wrong status and code has one defect, and gets
// one finding.
func (m mismatch) judge(c *probe.Client, earlier []mismatch) error {
	t := m.build(c)
	reply := t.ask(c)
	broken := wantMismatch(c, reply, t, m.codes)
	if broken == nil {
		return nil
	}
	for _, before := range earlier {
		same := c.Learn(before.id(), func() string { return form(before.build(c).ask(c)) })
		if same == form(reply) {
			c.NotSeen("the rejection is that of " + before.id() + ", which judges it")
		}
	}
	return broken
}

// form is the status and the error code of a rejection; empty where a request is not rejected.
func form(reply *probe.Reply) string {
	if !turnedDown(reply) {
		return ""
	}
	code, coded := reply.Code()
	return fmt.Sprint(reply.Status(), code, coded)
}

func otherName(c *probe.Client) trial {
	return firstNaming(c).other(c)
}

// wantMismatch leaves the rejection itself to another rule. A gateway in front of the
// server may reject by the status alone.
func wantMismatch(c *probe.Client, reply *probe.Reply, t trial, codes []int) error {
	c.NotSeenIf(!turnedDown(reply), "a request with "+t.what+" is not rejected: "+reply.Outcome())
	code, ok := reply.Code()
	if reply.Status() == http.StatusBadRequest && ok && slices.Contains(codes, code) {
		return nil
	}
	problem := reply.Violation("a request with %s gets HTTP status %d and %s, want status 400 and error %d",
		t.what, reply.Status(), reply.Outcome(), codes[0]).Unless(probe.Uncoded(reply))
	switch bare := !reply.Answered() && reply.Status() == http.StatusBadRequest; {
	case bare && !c.Survey().Local():
		c.NotSeen("the request is rejected by HTTP status 400 alone, as a gateway does")
	case bare:
		return problem.AtMostWarn()
	}
	return problem
}
