package jsonrpc

import (
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/together"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// callsAnswered calls one tool several times at once, beside calls of a tool that takes its
// time, if a role names one. A server that is busy with some calls may lose the next one, also
// where it answers other requests meanwhile.
func callsAnswered(c *probe.Client, first int) error {
	const many = 5
	safe := c.Survey().Safe
	if len(safe) == 0 {
		return nil
	}
	params := probe.Object{"name": safe[0].Tool, "arguments": probe.Object(safe[0].Arguments)}
	alone := func() *probe.Reply {
		return c.Call("tools/call", params, probe.Within(min(c.Waits().Answer/4, together.Alone)))
	}
	if alone().Silent() {
		return nil
	}
	slow := slowCalls(c)
	var calls [many]*probe.Pending
	for i := range calls {
		calls[i] = c.Start("tools/call", params, probe.WithID(strconv.Itoa(first+i)), probe.Within(min(c.Waits().Answer, together.Most)))
	}
	for _, call := range calls {
		reply := call.Reply()
		if !reply.Silent() {
			continue
		}
		// A server that serves one call after the other may need this time for all of them.
		if _, late := call.Await(min(c.Waits().Answer, many*together.Alone), call.Answers); late {
			continue
		}
		again := alone()
		c.UndecideIf(again.Silent(), "a call of "+probe.Show(safe[0].Tool)+" alone takes as long")
		return probe.Shown(reply, again).Violation(
			"of %d calls of %s at the same time one got no response, and a call alone got one at once, want one each time",
			many, probe.Show(safe[0].Tool)).Under("jsonrpc-single-response")
	}
	for _, call := range slow {
		call.Await(min(c.Waits().Answer, together.Most), call.Answers)
	}
	return nil
}

// slowCalls starts calls of the tool that reports progress, which is at work for a while: over
// HTTP calls of others are done before the next one arrives.
func slowCalls(c *probe.Client) (calls []*probe.Pending) {
	const some = 2
	role := c.Role(roles.ProgressTool)
	if _, named := role.Fields().Call(); !named {
		return nil
	}
	for range some {
		calls = append(calls, c.StartTool(role.Call(), nil))
	}
	return calls
}
