package permissions

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func quotas() []suite.Case {
	return []suite.Case{{
		ID:     "ext-permissions/check-keeps-quota",
		Title:  "checks do not count against the quota of the tool",
		Checks: []requirements.ID{"ext-permissions-check-pure"},
		Needs:  checked(suite.Role(roles.RateLimit, "repeat")),
		Lane:   suite.Waits,
		Fix:    "count calls where the tool is run, not where rights are looked up",
		Run:    checkKeepsQuota,
	}}
}

// A quota that allows two calls has to allow the second one after any number of
// checks. That it does allow two is looked at when the second one was refused:
// somebody else may have used it up.
func checkKeepsQuota(c *probe.Client) error {
	call := c.Role(roles.RateLimit).Call()
	first := c.CallTool(call, nil)
	c.Require(proposal.WantDone(first), "the quota is used up already: "+first.Outcome())
	shown := probe.Shown(first)
	repeat, _ := c.Role(roles.RateLimit).Fields().Number("repeat")
	for range repeat {
		shown = shown.And(askAbout(c, call, nil))
	}
	second := c.CallTool(call, nil)
	if !limited(second) {
		return nil
	}
	allowsTwo(c, call, second)
	return shown.And(second).Violation("the second call of %s is refused after %d checks for it, want its result as without them",
		call.Tool, repeat)
}

// allowsTwo makes two calls in a row without a check: with other arguments, or where
// the role has no others, when the limit is over.
func allowsTwo(c *probe.Client, used *probe.ToolCall, refused *probe.Reply) {
	call := c.Role(roles.RateLimit).Call()
	if probe.Same(call.Arguments, used.Arguments) {
		record, _, _ := proposal.Record(refused)
		n, _ := record["retry_after_seconds"].(json.Number)
		seconds, err := n.Float64()
		wait := time.Duration(seconds * float64(time.Second))
		if err != nil || wait <= 0 || wait > c.Waits().Max {
			c.Undecide("the quota cannot be looked at again: the refusal states no time to wait, or more than wait.max")
		}
		proposal.Pause(c, wait)
	}
	for range 2 {
		reply := c.CallTool(call, nil)
		c.Require(proposal.WantDone(reply), "two calls in a row are refused without checks, too: "+reply.Outcome())
	}
}

// limited reports whether an answer says that it was asked too often.
func limited(r *probe.Reply) bool {
	record, _, ok := proposal.Record(r)
	if !ok {
		return r.Status() == http.StatusTooManyRequests || proposal.Declined(r) && !forLackOfRights(r)
	}
	return record["category"] == "rate_limited" || record["category"] == "transient"
}
