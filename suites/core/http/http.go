// Package http holds the cases of basic/transports#streamable-http: how messages
// travel over HTTP, and how a server ties them together. Each section of the page has a
// package of its own.
package http

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/earlier"
	"github.com/mcp-conform/mcp-conform/suites/core/http/headers"
	"github.com/mcp-conform/mcp-conform/suites/core/http/origin"
	"github.com/mcp-conform/mcp-conform/suites/core/http/receiving"
	"github.com/mcp-conform/mcp-conform/suites/core/http/sessions"
	"github.com/mcp-conform/mcp-conform/suites/core/http/sse"
	"github.com/mcp-conform/mcp-conform/suites/core/http/status"
	"github.com/mcp-conform/mcp-conform/suites/core/http/streams"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "http",
		Title: "messages travel over HTTP, and sessions tie them together",
		Cases: slices.Concat(
			suite.Needing([]suite.Need{suite.Over(requirements.SSE)}, sse.Cases()),
			suite.Needing([]suite.Need{suite.Over(requirements.HTTP)},
				status.Cases(), streams.Cases(), sessions.Cases(), origin.Cases(), receiving.Cases(), headers.Cases(), earlier.Cases()),
		),
	}
}
