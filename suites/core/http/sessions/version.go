package sessions

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func versionCases() []suite.Case {
	cases := make([]suite.Case, 0, 5)
	for _, bad := range []struct {
		slug, title string
		values      []string
	}{
		{"unsupported", "a version header with a version that the server does not speak", []string{protocol.Bygone, protocol.YetToCome}},
		{"malformed", "a version header with a malformed value", []string{malformed}},
	} {
		cases = append(cases, suite.Case{
			ID:     "http/version-header-" + bad.slug,
			Title:  bad.title + " is rejected with status 400",
			Checks: []requirements.ID{"http-version-header-invalid-400"},
			Fix:    "compare MCP-Protocol-Version with the versions you speak, and answer anything else with status 400",
			Run:    func(c *probe.Client) error { return badVersions(c, bad.values) },
		})
	}
	for _, other := range []struct{ method, title string }{
		{http.MethodGet, "GET with a malformed version header opens no stream"},
		{http.MethodDelete, "DELETE with a malformed version header ends no session"},
	} {
		cases = append(cases, suite.Case{
			ID:     "http/version-header-" + strings.ToLower(other.method),
			Title:  other.title,
			Checks: []requirements.ID{"http-version-header-invalid-400"},
			Lane:   suite.Fresh,
			Fix:    "look at MCP-Protocol-Version in requests of every HTTP method, and answer what you do not speak with status 400",
			Run:    func(c *probe.Client) error { return badVersionOf(c, other.method) },
		})
	}
	return append(cases, suite.Case{
		ID:     "http/version-header-missing",
		Title:  "a request without the version header is served",
		Checks: []requirements.ID{"http-version-header-absent-default"},
		Fix:    "take a request without MCP-Protocol-Version as one of the session's version, or of 2025-03-26 where there is none",
		Run:    noVersion,
	})
}

// badVersions tries the values in turn. A server that compares dates may reject the past
// and accept the future.
func badVersions(c *probe.Client, values []string) error {
	for _, value := range values {
		c.Must(badVersion(c, value))
	}
	return nil
}

func badVersion(c *probe.Client, value string) error {
	method := c.PlainMethod()
	reply := c.Call(method, nil, with(protocol.HeaderVersion, value))
	if reply.Status() == http.StatusBadRequest {
		return nil
	}
	undecideIfTroubled(c, reply)
	broken := reply.Violation("%s with MCP-Protocol-Version: %s got %s, want status 400", method, value, statusOf(reply))
	if value == malformed {
		return broken.Unless(unread())
	}
	return broken
}

// malformed is the value of a version header that names no version at all.
const malformed = "not-a-version"

// unread leaves a server to one case that looks at no version header, or answers each bad one alike.
func unread() probe.Elsewhere {
	return probe.Elsewhere{Case: "http/version-header-unsupported", Why: "a version that the server does not speak gets no status 400 either"}
}

// badVersionOf passes over other error statuses: a server may first say that it does not
// allow the method. Another rule judges a GET that is answered by something else than a
// stream.
func badVersionOf(c *probe.Client, method string) error {
	c.NotSeenIf(method == http.MethodDelete && c.Session() == "", "the server has no sessions")
	// A server whose requests need no session id has nothing that DELETE could end.
	needless := method == http.MethodDelete && c.Call(c.PlainMethod(), nil, with(protocol.HeaderSession)).Served()
	bad, head := headed(c, probe.Outgoing{Method: method, Header: http.Header{protocol.HeaderVersion: {malformed}}})
	switch {
	case head.HTTP.Status == http.StatusBadRequest:
		return nil
	case head.HTTP.Status < 200 || head.HTTP.Status > 299:
		c.NotSeen(method + " got status " + strconv.Itoa(head.HTTP.Status) + ", which says nothing of its headers")
	case method == http.MethodGet && !head.Streams():
		c.NotSeen("GET opens no stream")
	}
	broken := bad.Violation("%s with MCP-Protocol-Version: %s got status %d, want 400", method, malformed, head.HTTP.Status).Unless(unread())
	if needless {
		return broken.AtMostWarn()
	}
	return broken
}

// headed sends a request and waits only for the head of the response.
func headed(c *probe.Client, out probe.Outgoing) (probe.Evidence, probe.Seen) {
	stream := c.Begin(out)
	head, came := stream.Head()
	c.UndecideIf(!came, out.Method+" is not answered")
	stream.Abort()
	return stream.Evidence(), head
}

// noVersion allows a rejection where the server knows the version from the handshake:
// clients have to send the header. A server that cannot know the version has to assume
// the oldest, if it supports that.
func noVersion(c *probe.Client) error {
	method := c.PlainMethod()
	reply := c.Call(method, nil, with(protocol.HeaderVersion))
	if reply.Served() {
		return nil
	}
	undecideIfTroubled(c, reply)
	c.NotSeenIf(c.Session() != "", "the server rejects a request without the header in a session, whose version it knows")
	spoken := c.Versions()
	c.NotSeenIf(!slices.Contains(spoken.Echoed, requirements.R20250326), "the server does not speak 2025-03-26")
	return reply.Violation("%s without MCP-Protocol-Version got %s, want it served as in 2025-03-26", method, statusOf(reply))
}
