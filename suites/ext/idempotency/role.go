package idempotency

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// tryRole makes one plain call of the role in each column, and ends each case where that
// has no effect that is seen: then the role is at fault, its arguments or its observer,
// and not the server. A server may do worse without a key, which ext-idempotency/optional
// judges; so a call with a key may take the place of the plain one.
func tryRole(b *bench.Bench) {
	trouble := b.Learn("idempotency:role", func() string {
		trouble := trial(b, bench.Call{})
		if trouble != "" && trial(b, bench.Call{Values: under(b.Key())}) == "" {
			return ""
		}
		return trouble
	})
	if trouble != "" {
		b.Unfilled(roles.StateChange, trouble)
	}
}

// trial says why a call has no effect that is seen; empty where it has one.
func trial(b *bench.Bench, made bench.Call) (trouble string) {
	before := b.Before(b.ToolCall)
	reply := call(b, made)
	if !proposal.Done(reply) {
		return b.ToolCall.Tool + " refuses the call: " + reply.Outcome()
	}
	seen := b.LookUntil(b.ToolCall, b.Waits().Event, func(s probe.State) bool { return !before.Same(s) })
	if before.Same(seen) {
		return "the observer sees no effect of a call of " + b.ToolCall.Tool + "; does observe look at what its arguments change?"
	}
	return ""
}
