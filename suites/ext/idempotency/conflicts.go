package idempotency

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func conflicts() []suite.Case {
	return []suite.Case{
		keyed("conflict-other-arguments", "a key that was used does not run a call with other arguments", "ext-idempotency-conflict",
			"store a fingerprint of tool and arguments with the key, and reject another call under it as IDEMPOTENCY_CONFLICT",
			conflictOtherArguments, suite.Role(roles.StateChange, "other-arguments")),
		keyed("conflict-other-tool", "a key that was used does not run another tool", "ext-idempotency-conflict",
			"keep one store of keys for all tools, and reject another call under a known key as IDEMPOTENCY_CONFLICT", conflictOtherTool,
			suite.Role(roles.StateChange, "idempotent", "observe")),
		keyed("concurrent", "parallel calls with one key have one effect, and all are answered", "ext-idempotency-concurrent",
			"claim the key in one atomic step before the tool runs, and let others wait for the result or tell them to come back", concurrent),
	}
}

func conflictOtherArguments(b *bench.Bench) error {
	other := b.ToolCall.Using("other-arguments")
	key := b.Key()
	spend(b, key)
	reply := call(b, bench.Call{Tool: other, Values: under(key)})
	b.Must(b.WantEffects(1, "one key with two sets of arguments"))
	return wantConflict(b, reply, "other arguments")
}

// The other tool has an observer of its own, since its effect need not show
// where that of the first does.
func conflictOtherTool(b *bench.Bench) error {
	other := b.Role(roles.StateChange).Field("idempotent")
	if other.Tool == b.ToolCall.Tool {
		b.Undecide("state-change and state-change.idempotent name the same tool")
	}
	key := b.Key()
	spend(b, key)
	before := b.Before(other)
	reply := call(b, bench.Call{Tool: other, Values: under(key)})
	after := b.Observe(other)
	if !before.Same(after) {
		return b.Said.And(after).Violation("the state that %s changes has changed, want no effect under a key that was used for %s",
			other.Tool, b.ToolCall.Tool)
	}
	return wantConflict(b, reply, "another tool")
}

// wantConflict expects a refusal of a call that had no effect. The published
// servers replay the first result instead, which is worth a warning.
func wantConflict(b *bench.Bench, reply *probe.Reply, what string) error {
	if !proposal.Declined(reply) {
		return b.Said.Violation("%s, want an error such as IDEMPOTENCY_CONFLICT", reply.AnswerTo("a key used again with "+what)).AtMostWarn()
	}
	if record, place, ok := proposal.Record(reply); ok && record["code"] != "IDEMPOTENCY_CONFLICT" {
		b.Note("the record in " + place + " has the code " + probe.Show(record["code"]) + "; IDEMPOTENCY_CONFLICT says more")
	}
	return nil
}

func concurrent(b *bench.Bench) error {
	const calls = 8
	key := b.Key()
	var pending []*probe.Pending
	for range calls {
		pending = append(pending, b.StartCall(bench.Call{Values: under(key)}))
	}
	var replies []*probe.Reply
	for _, p := range pending {
		b.Keep(b.ToolCall, p.Reply())
		replies = append(replies, p.Reply())
	}
	// One that was not answered at all comes first: the state may then be locked.
	for _, reply := range replies {
		if !reply.Answered() && !proposal.Declined(reply) {
			return unanswered(reply, calls)
		}
	}
	b.Must(b.WantEffects(1, "eight parallel calls with one key"))
	for _, reply := range replies {
		if proposal.WantDone(reply) != nil && !proposal.Declined(reply) {
			return unanswered(reply, calls)
		}
		if record, place, ok := proposal.Record(reply); ok && record["category"] != "transient" && record["category"] != "rate_limited" {
			return reply.Violation(`the category of the record in %s is %s, want "transient", since the call can be repeated`,
				place, probe.Show(record["category"])).AtMostWarn()
		}
	}
	return nil
}

func unanswered(reply *probe.Reply, calls int) error {
	return reply.Violation("%s, want its result, a replay or an error", reply.AnswerTo(fmt.Sprintf("one of %d parallel calls", calls)))
}
