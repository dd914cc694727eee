package headers

import (
	"net/http"

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
			Needs:  needs(),
			Fix:    "reject a request without the header MCP-Protocol-Version with HTTP status 400 and error -32020",
			Run:    versionHeaderRequired,
		},
		{
			ID:     "http/version-header-mismatch",
			Title:  "a request whose header and body name different revisions is rejected",
			Checks: []requirements.ID{"http-version-header-body-mismatch"},
			Needs:  needs(),
			Fix:    "compare the header MCP-Protocol-Version with the protocol version in _meta, and reject the request if they differ",
			Run: func(c *probe.Client) error {
				return rejected(c, otherVersion(c))
			},
		},
		{
			ID:     "http/version-header-unknown",
			Title:  "a request is rejected when its header names a revision that does not exist, and its body another",
			Checks: []requirements.ID{"http-version-header-body-mismatch"},
			Needs:  needs(),
			Fix:    "compare the header MCP-Protocol-Version with the protocol version in _meta, and reject the request if they differ",
			Run: func(c *probe.Client) error {
				return rejected(c, trial{
					what:   "the revision " + protocol.YetToCome + " in its header and " + string(c.Revision()) + " in its body",
					text:   c.Compose(c.PlainMethod(), nil),
					change: with(protocol.HeaderVersion, protocol.YetToCome),
				})
			},
		},
		{
			ID:     "http/unsupported-version-400",
			Title:  "the error for an unsupported revision has HTTP status 400",
			Checks: []requirements.ID{"http-unsupported-version-400"},
			Needs:  needs(),
			Fix:    "answer error -32022 with HTTP status 400",
			Run:    unsupportedVersion400,
		},
		{
			ID:     "http/unknown-method-404",
			Title:  "the error for an unknown method has HTTP status 404",
			Checks: []requirements.ID{"http-unknown-method-404"},
			Needs:  needs(),
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
		if protocol.HasHandshake(version) && !protocol.VersionHeader().At(requirements.Revision(version)) {
			c.NotSeen("the server also serves " + version + ", whose clients send no such header")
		}
	}
	return rejected(c, trial{
		what:   "no header " + protocol.HeaderVersion,
		text:   c.Compose(c.PlainMethod(), nil),
		change: with(protocol.HeaderVersion),
	})
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
