package probe

import (
	"strconv"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// late is kept instead of a count where the answer did not come in time.
const late = "late"

// Progress calls a tool that only reads, unless a case of the column did, and counts the
// notifications of progress. It reports false where the answer did not come in time.
func (c *Client) Progress(call *ToolCall, within time.Duration) (times int, answered bool) {
	counted := c.Learn(progressOf(call.Tool), func() string {
		from, token := c.Mark(), c.Nonce()
		reply := c.CallTool(call, Object{"_meta": Object{protocol.MetaProgress: token}}, Within(within))
		if !reply.Answered() {
			return late
		}
		return strconv.Itoa(c.Reported(token, from))
	})
	times, err := strconv.Atoi(counted)
	return times, err == nil
}

// Counted keeps for Progress how often a call with the token reported progress since from.
func (c *Client) Counted(tool, token string, from Mark) {
	c.Learn(progressOf(tool), func() string { return strconv.Itoa(c.Reported(token, from)) })
}

// Reported counts the notifications of progress with the token since from.
func (c *Client) Reported(token string, from Mark) int {
	times := 0
	for _, s := range c.Since(from) {
		if s.Dir == frame.Sent || s.Kind != frame.KindMessage {
			continue
		}
		for _, m := range Singles(s.Message()) {
			if told, _ := m.At("/params/progressToken"); m.Method == "notifications/progress" && told == token {
				times++
			}
		}
	}
	return times
}

func progressOf(tool string) string { return "progress:" + tool }

// Unfilled ends a case for which a role is needed after all.
func (c *Client) Unfilled(role roles.Name, what string) {
	c.Stop(&Undecided{Reason: what, Role: role})
}
