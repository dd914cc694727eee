// Package mrtr holds the cases of basic/patterns/mrtr: requests that are
// answered with questions and repeated with the answers.
package mrtr

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "mrtr",
		Title: "a request that was answered with questions is completed by the answers",
		Cases: []suite.Case{{
			ID:     "mrtr/retry-completes",
			Title:  "a call that is repeated with the answers gets a result",
			Checks: []requirements.ID{"mrtr-retry-completes"},
			Needs:  []suite.Need{suite.Role(roles.ClientRequest, "sampling")},
			Fix:    "read inputResponses under the keys of inputRequests, and continue where the first request ended",
			Run:    retryCompletes,
		}},
	}
}

// A further question is a result too.
func retryCompletes(c *probe.Client) error {
	able := c.With(c.Capabilities().With("sampling", probe.Object{}))
	asked := false
	able.Answers("sampling/createMessage", func(probe.Request) any {
		asked = true
		return probe.Object{
			"role": "assistant", "content": probe.Object{"type": "text", "text": "Paris"}, "model": "mcp-conform", "stopReason": "endTurn",
		}
	})
	reply := able.CallTool(c.Role(roles.ClientRequest).Field("sampling"), nil)
	c.NotSeenIf(!asked, "the tool of roles.client-request.sampling asked for no sample, or for something else too")
	return reply.WantResult()
}
