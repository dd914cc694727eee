package cost

import (
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func quotas() []suite.Case {
	return []suite.Case{
		bench.Observing(roles.RateLimit, bench.Case("ext-cost-latency/quota-counts-down", "a call uses the quota of its tool",
			"ext-quota-counts-down",
			"take quota.remaining from the counter that limits the calls", countsDown, suite.Role(roles.RateLimit))),
		bench.Observing(roles.Gated, bench.Case("ext-cost-latency/approval-gated",
			"a tool whose cost requires approval does not run on a plain call",
			"ext-cost-approval-gated", "answer a call that nobody has approved with a question or a refusal, before the tool does anything",
			approvalGated, suite.Role(roles.Gated, "by-cost.observe"))),
	}
}

// A quota is what a server says that is left.
type quota struct {
	remaining float64
	reset     any
	in        proposal.Entry
}

// quotaOf reads the quota of a tool anew. Without a handshake, tools/list does not depend on
// earlier requests, and so holds no figure that falls.
func quotaOf(c *probe.Client, tool string) quota {
	for _, e := range proposal.EntriesAnew(c) {
		if e.Tool != tool || e.Listed && !protocol.HasHandshake(string(c.Revision())) {
			continue
		}
		given := probe.ObjectOf(e.Says["quota"])
		if n, number := probe.NumberOf(given["remaining"]); number {
			return quota{n, given["resets_at"], e}
		}
	}
	c.NotSeen("the server states no quota of " + tool)
	return quota{}
}

// countsDown allows the figure a moment to follow. A quota that was renewed meanwhile shows
// nothing.
func countsDown(c *probe.Client) error {
	const looks, pause = 3, 200 * time.Millisecond
	b := bench.New(c)
	b.ToolCall = c.Role(roles.RateLimit).Call()
	before := quotaOf(c, b.ToolCall.Tool)
	c.NotSeenIf(before.remaining <= 0, "no call of "+b.ToolCall.Tool+" is left")
	reply := b.MakeCall(bench.Call{Dialect: proposal.Bare})
	b.Permitted(b.ToolCall, reply)
	c.Require(proposal.WantDone(reply), "the call of roles.rate-limit had no result: "+reply.Outcome())
	var after quota
	for range looks {
		after = quotaOf(c, b.ToolCall.Tool)
		if after.remaining < before.remaining || !probe.Same(after.reset, before.reset) {
			return nil
		}
		proposal.Pause(c, pause)
	}
	return before.in.Shown.And(reply, after.in.Shown).Violation("%s.remaining is %v after a call, want less than the %v before it",
		after.in.Where("quota"), after.remaining, before.remaining)
}

// approvalGated accepts a question in each form, and a refusal.
func approvalGated(c *probe.Client) error {
	b := bench.New(c)
	b.ToolCall = c.Role(roles.Gated).Field("by-cost")
	cost, _, stated := proposal.Stated(proposal.Entries(c), b.ToolCall.Tool, "cost")
	c.NotSeenIf(!stated || probe.ObjectOf(cost)["category"] != "requires_approval",
		fmt.Sprintf("the cost of %s, the tool of roles.gated.by-cost, is not stated as requires_approval", b.ToolCall.Tool))
	w := b.Watch(b.ToolCall)
	reply := b.MakeCall(bench.Call{Dialect: proposal.Bare})
	b.Must(b.WantNoEffect(w, "a call that nobody approved, of a tool whose cost requires approval"))
	kind, _ := reply.At("/result/resultType")
	_, asks := proposal.FindGate(c, reply, b.ToolCall.Tool)
	if asks || kind == "input_required" || proposal.Declined(reply) || proposal.AsksInWords(reply) {
		return nil
	}
	return b.Said.Violation("%s, and it had no effect, want a question or a refusal", reply.AnswerTo("a call that nobody approved"))
}
