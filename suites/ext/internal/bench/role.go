package bench

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// WantRun ends a case whose call of a role has no result. Where a plain call, made once in
// the column, is refused as well, the role is at fault, its tool or its arguments, and no
// rule of the case is broken.
func WantRun(c *probe.Client, role roles.Name, reply *probe.Reply) {
	PlainlyRuns(c, role, reply)
	c.Require(proposal.WantDone(reply), "the call of "+roles.Key(string(role))+" had no result: "+reply.Outcome())
}

// PlainlyRuns ends a case whose call of a role is refused where a plain call is, too.
func PlainlyRuns(c *probe.Client, role roles.Name, reply *probe.Reply) {
	if !proposal.Declined(reply) {
		return
	}
	trouble := c.Learn("plain:"+string(role), func() string {
		call := c.Role(role).Call()
		if plain := c.CallTool(call, nil, probe.Within(c.Waits().Answer+c.Role(role).Fields().
			Duration("duration", 0))); proposal.Declined(plain) {
			return call.Tool + " refuses the call: " + plain.Outcome()
		}
		return ""
	})
	if trouble != "" {
		c.Unfilled(role, trouble)
	}
}
