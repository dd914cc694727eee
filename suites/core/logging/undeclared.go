package logging

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// undeclaredCase asks for logs that the server does not declare: who gets some only for the
// asking gets none from the other cases.
func undeclaredCase() suite.Case {
	return suite.Case{
		ID:        "logging/undeclared-asked",
		Title:     "a call with a log level is answered where logging is not declared",
		Checks:    []requirements.ID{"jsonrpc-single-response"},
		Revisions: protocol.Stateless(),
		Needs:     []suite.Need{suite.Capability("tools"), logs()},
		Fix:       "ignore " + protocol.MetaLogLevel + " in _meta where the server does not log, and answer the call",
		Run:       undeclaredAsked,
	}
}

// mostCalled is how many tools are called.
const mostCalled = 8

// undeclaredAsked leaves the messages to logging/declared. The first tool that takes its time
// ends the case.
func undeclaredAsked(c *probe.Client) error {
	c.NotSeenIf(c.Survey().Declares("logging"), "the server declares logging")
	for _, call := range callable(c) {
		reply := c.CallTool(call, asking(levels()[0]))
		if !reply.Silent() {
			c.Must(reply.WantAnswer())
			continue
		}
		if c.CallTool(call, nil).Answered() {
			return reply.Violation("the call of %s with %s gets no answer, and one without it does, want a response",
				probe.Show(call.Tool), protocol.MetaLogLevel)
		}
		c.Undecide(fmt.Sprintf("no answer within %s from %s, which may take longer by nature", c.Waits().Answer, probe.Show(call.Tool)))
	}
	return nil
}

// callable is the tool of the role, or else some that only read.
func callable(c *probe.Client) []*probe.ToolCall {
	if role := c.Role(roles.LoggingTool); role.From("tool") != "" {
		return []*probe.ToolCall{role.Call()}
	}
	all := []*probe.ToolCall{c.Role(roles.ReadOnlyTool).Call()}
	for _, call := range c.Survey().Safe {
		if call.Tool != all[0].Tool && len(all) < mostCalled {
			all = append(all, &probe.ToolCall{Tool: call.Tool, Arguments: probe.Object(call.Arguments)})
		}
	}
	return all
}
