package tools

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// guardedCases are about who may call, and how often.
func guardedCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/access-control",
			Title:  "a call is refused to an identity that may not make it",
			Checks: []requirements.ID{"tools-access-control"},
			Needs: []suite.Need{
				suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second"), suite.Role(roles.Denied),
			},
			Observes: roles.Denied,
			Fix:      "check on each call whether its caller may make it, by the credentials of the request",
			Run:      accessControl,
		},
		{
			ID:     "tools/rate-limited",
			Title:  "calls beyond the limit of a tool are refused",
			Checks: []requirements.ID{"tools-rate-limited"},
			Needs:  []suite.Need{suite.Role(roles.RateLimit, "repeat")},
			Fix:    "count the calls of each client, and refuse those beyond the limit with an error or a result with isError",
			Run:    rateLimited,
		},
	}
}

// A result that is marked as an error refuses too.
func accessControl(c *probe.Client) error {
	call := c.Role(roles.Denied).Call()
	weakest := "second"
	if c.Identified("limited") {
		weakest = "limited"
	}
	other := c.As(weakest) // in a session of its own: that of another may be closed to it
	reply := other.CallTool(call, nil)
	result, served := reply.Result()
	switch {
	case reply.Refused() || reply.ErrorFlag():
		return nil
	case !served:
		c.Undecide("the answer to the call is " + reply.Outcome())
	case !final(result):
		c.Undecide("the call was answered with something else than its outcome")
	}
	return reply.Violation("the call of %s is served to principals.%s, want a refusal", probe.Show(call.Tool), weakest)
}

// All calls are the same, since a limit may count them by what they are about.
func rateLimited(c *probe.Client) error {
	role := c.Role(roles.RateLimit)
	call := role.Call()
	repeat, _ := role.Fields().Number("repeat")
	var last *probe.Reply
	for range repeat + 1 {
		last = c.CallTool(call, nil)
		if last.Refused() || last.ErrorFlag() {
			return nil
		}
		if _, served := last.Result(); !served {
			c.Undecide("the answer to the call is " + last.Outcome())
		}
	}
	return last.Violation("call %d in a row is served, want a refusal beyond %d", repeat+1, repeat)
}
