// Package sampling holds the cases of client/sampling: how a server asks the
// model of its client.
package sampling

import (
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const create = "sampling/createMessage"

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	asks := []suite.Need{suite.Role(roles.ClientRequest, "sampling")}
	return suite.Suite{
		Name:  "sampling",
		Title: "a server asks the model only of clients that have one, and takes no for an answer",
		Cases: []suite.Case{
			{
				ID:     "sampling/only-if-declared",
				Title:  "a client that does not declare sampling is not asked for it",
				Checks: []requirements.ID{"sampling-only-if-declared", "sampling-only-if-declared-early"},
				Needs:  asks,
				Fix:    "look for sampling among the capabilities of the client before asking, and answer with an error where it is missing",
				Run:    onlyIfDeclared,
			},
			{
				ID:     "sampling/rejection-handled",
				Title:  "a call is answered although the client rejects the sampling request",
				Checks: []requirements.ID{"sampling-rejection-handled"},
				Needs:  asks,
				Fix:    "take an error for an answer to sampling/createMessage, and answer the call that led to it",
				Run:    rejectionHandled,
			},
		},
	}
}

// What the tool answers instead is free.
func onlyIfDeclared(c *probe.Client) error {
	from := c.Mark()
	reply := c.CallTool(c.Role(roles.ClientRequest).Field("sampling"), nil)
	for _, s := range c.Since(from) {
		for _, m := range probe.Singles(s.Message()) {
			if s.Dir == frame.Received && m.Class == frame.Request && m.Method == create {
				return probe.Shown(reply, probe.One(s.Frame)).Violation("a client that does not declare sampling is asked for it, want another answer")
			}
		}
	}
	asked, _ := reply.At("/result/inputRequests")
	for key, question := range probe.ObjectOf(asked) {
		if q, _ := question.(map[string]any); q["method"] == create {
			return reply.Violation("$.result.inputRequests[%s] asks a client for sampling that does not declare it, want another answer",
				probe.Show(key))
		}
	}
	return nil
}

// A tool may ask only when it has to.
func rejectionHandled(c *probe.Client) error {
	able := c.With(c.Capabilities().With("sampling", probe.Object{}))
	var asked atomic.Bool
	able.Answers(create, func(probe.Request) any {
		asked.Store(true)
		return probe.Refusal{Code: -1, Message: "the user rejected the sampling request"}
	})
	reply := able.CallTool(c.Role(roles.ClientRequest).Field("sampling"), nil)
	c.NotSeenIf(!asked.Load(), "the tool of roles.client-request.sampling did not ask the client")
	return reply.WantAnswer()
}
