package idempotency

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// unlikeOther ends the case where the other form of a call, with a key or without one,
// comes to no more than the form that broke a rule: then the role is at fault, its
// arguments or its observer, and not the server.
func unlikeOther(b *bench.Bench, other bench.Call, broken error) error {
	if broken == nil {
		return nil
	}
	watched := b.Watch(b.ToolCall)
	reply := call(b, other)
	if proposal.WantDone(reply) != nil {
		b.Unfilled(roles.StateChange, b.ToolCall.Tool+" refuses these calls, with a key and without one: "+reply.Outcome())
	}
	if _, same := b.Look(watched, false); same {
		b.Unfilled(roles.StateChange, "the observer sees no effect of calls of "+b.ToolCall.Tool+", with a key or without one; "+
			"does observe look at what the arguments change?")
	}
	return broken
}
