// Package earlier holds the cases of the section on earlier revisions of the transport:
// how a server without them treats sessions, streams by GET, and resumption.
package earlier

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases returns the cases in the order of the section. They bind servers without a
// handshake.
func Cases() []suite.Case {
	needs := []suite.Need{suite.Trait(probe.ModernOnly), suite.Answers()}
	var cases []suite.Case
	for _, row := range []struct {
		method, slug string
		rule         requirements.ID
	}{
		{http.MethodGet, "get", "http-get-405-modern"},
		{http.MethodDelete, "delete", "http-delete-405-modern"},
	} {
		cases = append(cases, suite.Case{
			ID:     "http/" + row.slug + "-405",
			Title:  "a server without a handshake answers " + row.method + " with HTTP status 405",
			Checks: []requirements.ID{row.rule},
			Needs:  needs,
			Fix:    "answer every method but POST with HTTP status 405",
			Run:    func(c *probe.Client) error { return wantMethodNotAllowed(c, row.method) },
		})
	}
	for _, row := range []struct {
		header, slug string
		rule         requirements.ID
		fix          string
	}{
		{protocol.HeaderSession, "session", "http-session-header-ignored", "serve a request with a header Mcp-Session-Id as one without it"},
		{"Last-Event-ID", "last-event", "http-last-event-id-ignored", "serve a request with a header Last-Event-ID as one without it"},
	} {
		cases = append(cases, suite.Case{
			ID:     "http/" + row.slug + "-header-ignored",
			Title:  "a server without a handshake ignores the header " + row.header,
			Checks: []requirements.ID{row.rule},
			Needs:  needs,
			Fix:    row.fix,
			Run:    func(c *probe.Client) error { return ignores(c, row.header) },
		})
	}
	return append(cases, suite.Case{
		ID:     "http/session-not-minted",
		Title:  "a server without a handshake hands out no session id",
		Checks: []requirements.ID{"http-session-not-minted"},
		Needs:  []suite.Need{suite.Trait(probe.ModernOnly)},
		Fix:    "send no header Mcp-Session-Id, not even one that the request had",
		Sees:   "a response over HTTP",
		Watch:  func() probe.Watcher { return probe.WatchFunc(sessionNotMinted) },
	})
}

// wantMethodNotAllowed sends the method as an older client does, without any header of
// this revision. The rule binds servers of this revision only; a GET that brings an
// endpoint event comes from a server that also speaks HTTP+SSE.
func wantMethodNotAllowed(c *probe.Client, method string) error {
	reply := c.Fetch(method, probe.WithHeader(http.Header{
		http.CanonicalHeaderKey(protocol.HeaderVersion): nil, "Accept": {"text/event-stream"},
	}))
	switch status := reply.Status(); status {
	case http.StatusMethodNotAllowed:
		return nil
	case 0, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		c.NotSeen("the answer to " + method + " is " + reply.Outcome())
		return nil
	default:
		c.NotSeenIf(method == http.MethodGet && announces(c),
			"GET opens a stream with an endpoint event, so that the server speaks HTTP+SSE too")
		return reply.Violation("the answer to %s has HTTP status %d, want %d", method, status, http.StatusMethodNotAllowed)
	}
}

// announces reports whether GET opens a stream that begins as one of HTTP+SSE does.
func announces(c *probe.Client) bool {
	stream := c.Begin(probe.Outgoing{Method: http.MethodGet, Header: http.Header{protocol.HeaderVersion: nil}})
	defer stream.Abort()
	if head, came := stream.Head(); !came || !head.Streams() {
		return false
	}
	_, found := stream.Await(c.Waits().Event, func(s probe.Seen) bool { return s.SSE != nil && s.SSE.Event == "endpoint" })
	return found
}

func ignores(c *probe.Client, header string) error {
	shown := probe.WithHeader(http.Header{http.CanonicalHeaderKey(header): {"mcp-conform-" + c.Nonce()}})
	reply := c.Ask(c.Compose(c.PlainMethod(), nil), shown, probe.Patient())
	if reply.Served() && !reply.Refused() {
		return nil
	}
	usual := c.Call(c.PlainMethod(), nil)
	c.NotSeenIf(!usual.Served() || usual.Refused(), "the request is not served without the header either: "+usual.Outcome())
	return probe.Shown(usual, reply).Violation("a request with the header %s gets %s, want it served as without", header, reply.Outcome())
}

func sessionNotMinted(s *probe.WatchedFrame) probe.Opinion {
	if s.Kind != frame.KindHead || s.HTTP == nil || s.Request.Method == "" {
		return probe.Nothing()
	}
	if given := s.HTTP.Header.Values(protocol.HeaderSession); len(given) > 0 {
		return probe.Breaks("the answer to %s has the header Mcp-Session-Id, want none", s.Request.Method)
	}
	return probe.Kept()
}
