// Package http holds the cases of basic/transports#streamable-http: how messages
// travel over HTTP, and how a server ties them together.
package http

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/earlier"
	"github.com/mcp-conform/mcp-conform/suites/core/http/headers"
	"github.com/mcp-conform/mcp-conform/suites/core/http/origin"
	"github.com/mcp-conform/mcp-conform/suites/core/http/receiving"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "http",
		Title: "messages travel over HTTP, and sessions tie them together",
		Grade: suite.Core,
		Cases: append([]suite.Case{
			{
				ID:     "http/session-id-visible-ascii",
				Title:  "a session id is made of visible ASCII characters",
				Checks: []requirements.ID{"http-session-id-visible-ascii"},
				Needs:  []suite.Need{suite.Over(requirements.HTTP), suite.Trait(probe.Sessions)},
				Fix:    "build session ids from letters and digits, such as a UUID or base64url",
				Watch:  func() probe.Watcher { return probe.WatchFunc(sessionIDVisibleASCII) },
			},
		}, slices.Concat(
			origin.Cases(),
			receiving.Cases(),
			headers.Cases(),
			earlier.Cases(),
		)...),
	}
}

// A client puts the id into a header of every request. What is not visible ASCII is
// changed or refused on the way by some proxy or library.
func sessionIDVisibleASCII(s probe.Seen) probe.Opinion {
	if s.Dir != frame.Received || s.Kind != frame.KindHead || s.HTTP == nil {
		return probe.Nothing()
	}
	given := s.HTTP.Header.Values(protocol.HeaderSession)
	if len(given) == 0 {
		return probe.Nothing()
	}
	for _, id := range given {
		for _, c := range []byte(id) {
			if c <= ' ' || c > '~' {
				return probe.Breaks("the session id %s contains the byte 0x%02X, want 0x21 to 0x7E only", probe.Show(id), c)
			}
		}
	}
	return probe.Kept()
}
