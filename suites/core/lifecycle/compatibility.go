package lifecycle

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// compatibilityCases that send an initialize have a connection of their own: for
// watchers, an initialize turns the connection into one with a handshake.
func compatibilityCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/initialize-refused",
			Title:  "a server without a handshake rejects initialize",
			Checks: []requirements.ID{"lifecycle-initialize-rejected-modern-only"},
			Needs:  []suite.Need{suite.Trait(probe.ModernOnly)},
			Fix:    "answer initialize with an error, over HTTP with status 400, unless a handshake revision is really served",
			Lane:   suite.Fresh,
			Run:    initializeRefused,
		},
		{
			ID:     "lifecycle/initialize-error-versions",
			Title:  "the error that answers initialize names the supported revisions",
			Checks: []requirements.ID{"lifecycle-initialize-error-names-versions"},
			Needs:  []suite.Need{suite.Trait(probe.ModernOnly)},
			Fix:    "name the supported revisions in the message or the data of the error that answers initialize",
			Lane:   suite.Fresh,
			Run:    initializeErrorVersions,
		},
		{
			ID:     "lifecycle/dual-era-stateless",
			Title:  "a request with modern metadata is served as such even after a handshake",
			Checks: []requirements.ID{"lifecycle-dual-era-modern-stateless"},
			// Over stdio a process may stay in the era that its handshake chose.
			Needs: []suite.Need{suite.Trait(probe.DualEra), suite.Over(requirements.HTTP)},
			Fix:   "look for the protocol version in a request's _meta before treating it as part of a session",
			Run:   dualEraStateless,
		},
	}
}

// handshake sends an initialize as a client of an older revision does.
func handshake(c *probe.Client, r requirements.Revision) *probe.Reply {
	return c.Ask(probe.RequestText(`"handshake"`, "initialize", c.InitializeParams(r)), probe.Patient())
}

// initializeRefused allows status 400 and 404 with any body: the matrix asks for 400, and
// the rule on unknown methods for 404.
func initializeRefused(c *probe.Client) error {
	reply := handshake(c, slices.Max(protocol.Handshake()))
	switch status := reply.Status(); status {
	case 0:
		return reply.WantError()
	case http.StatusBadRequest, http.StatusNotFound:
		return nil
	default:
		return reply.Violation("initialize got HTTP status %d, want 400 or 404", status)
	}
}

func initializeErrorVersions(c *probe.Client) error {
	reply := handshake(c, slices.Max(protocol.Handshake()))
	c.NotSeenIf(!reply.Refused(), "initialize is not rejected")
	listed, _ := c.Call("server/discover", nil).At("/result/supportedVersions")
	versions := probe.Strings(listed)
	c.NotSeenIf(len(versions) == 0, "server/discover lists no revisions")
	said := shownToUser(reply)
	for _, version := range versions {
		if !strings.Contains(said, version) {
			return reply.Violation("the error that answers initialize does not name %q, which server/discover lists", version)
		}
	}
	return nil
}

// shownToUser is the text of the refusal that a client could show: the error, or the body
// over HTTP.
func shownToUser(reply *probe.Reply) string {
	var said []string
	for _, f := range reply.Evidence() {
		if f.Dir == frame.Received && f.Kind != frame.KindHead {
			said = append(said, string(f.Raw()))
		}
	}
	return strings.Join(said, "\n")
}

// dualEraStateless leaves the session of the handshake out of the modern request. The
// session ends with the connection.
func dualEraStateless(c *probe.Client) error {
	legacy := slices.Max(protocol.Handshake())
	spoken := c.Versions()
	if len(spoken.Echoed) > 0 {
		legacy = slices.Max(spoken.Echoed)
	}
	method := c.PlainMethod()
	typed := func(reply *probe.Reply) error {
		if err := reply.WantResult(); err != nil {
			return err
		}
		return reply.Want("/result/resultType", probe.AString())
	}
	usual := c.Call(method, nil)
	c.NotSeenIf(typed(usual) != nil, method+" is not served with a resultType before a handshake either")
	other := c.Another()
	opened := handshake(other, legacy)
	c.NotSeenIf(opened.WantResult() != nil, "initialize at an older revision did not get a result")
	other.Adopt(opened)
	other.Initialized()
	reply := other.Call(method, nil, probe.WithHeader(http.Header{protocol.HeaderSession: nil}))
	if typed(reply) != nil {
		return probe.Shown(opened, reply).Violation("after a handshake, %s with modern metadata got %s, want a result with resultType",
			method, reply.Outcome())
	}
	return nil
}
