// Package degradation holds the cases that optional features stay optional: a
// client that knows no extension sees a plain server, and a server takes what it
// does not know as the protocol says. They hold for every server, whether or not it
// has an extension; what an extension does is judged by its own suite.
package degradation

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases: first what every server meets, then what only those meet
// that have extensions.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "ext-degradation",
		Title: "extensions stay optional for both sides",
		Cases: slices.Concat(meta(), inline(), methods(), notifications(), forms(), plain(), valid(), alone(), handles()),
	}
}

// lacking ends a case about a server that lacks an extension where the server has it.
func lacking(c *probe.Client, extension string) {
	if proposal.Offers(c, extension) {
		c.NotSeen("the server has the extension " + extension)
	}
}

// done reports whether a call got a result that is not marked as an error.
func done(reply *probe.Reply) bool {
	_, ok := reply.Result()
	return ok && !reply.ErrorFlag()
}
