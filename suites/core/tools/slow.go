package tools

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// slowCases call a tool that works for longer than what stands before a server may wait.
func slowCases() []suite.Case {
	return []suite.Case{{
		ID:       "tools/slow-tool-answers",
		Title:    "a call of a tool that takes long is answered with a result or an error",
		Checks:   []requirements.ID{"jsonrpc-single-response"},
		Needs:    []suite.Need{suite.Role(roles.SlowTool)},
		Lane:     suite.Waits,
		Disturbs: roles.SlowTool,
		Fix: "look for time limits of the server, its framework and each proxy before it: they have to be longer than the tool works, " +
			"or the call needs an event stream that is kept alive",
		Run: slowToolAnswers,
	}}
}

// slowToolAnswers leaves a tool that is silent alone: it may take longer than the configuration
// says. It calls a second time, since a connection may be lost by chance. The status of a gateway
// tells of an outage, and no case judges that.
func slowToolAnswers(c *probe.Client) error {
	role := c.Role(roles.SlowTool)
	patience := role.Fields().Duration("duration", 5*time.Second) + c.Waits().Answer
	var reply *probe.Reply
	for range 2 {
		reply = c.StartTool(role.Call(), nil, probe.Within(patience)).Reply()
		if reply.Answered() {
			return nil
		}
	}
	c.UndecideIf(reply.Silent(), "the call is not answered in time: "+reply.Outcome())
	c.UndecideIf(reply.Refused(), "the call is refused: "+reply.Outcome())
	return reply.WantAnswer()
}
