package transactions

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func denied() []suite.Case {
	return []suite.Case{contended(bench.Observing(roles.Denied, bench.Case("ext-transactions/step-denied",
		"a call that its caller may not make has no effect as a step of a transaction either", "ext-permissions-deny-holds",
		"look at the rights of the caller for each step, as for a call outside of transactions", on(stepDenied),
		offered(suite.Role(roles.Denied, "observe"))...)))}
}

// stepDenied makes the call in each form of a step, since each may go a way of its own.
func stepDenied(b *bench.Bench) error {
	weakest, _ := bench.Weakest(b.Client) // whoever it is: the plain call tells whether it may
	plain := weakest.CallTool(b.Role(roles.Denied).Call(), nil)
	b.NotSeenIf(!proposal.Declined(plain), "the call is not refused outside of transactions either")
	// A call names its transaction wherever a server may look for it.
	ways := []way{{byCall, proposal.Bare + proposal.Prefixed + proposal.Beside}}
	if offersMethod(b) {
		ways = append(ways, way{form: byMethod})
	}
	for _, w := range ways {
		b.Must(deniedIn(b, b.With(weakest), w, plain))
	}
	return nil
}

// deniedIn makes a transaction of the call. A server may take the step and refuse the commit,
// so it is the effect that counts.
func deniedIn(b, weak *bench.Bench, w way, plain *probe.Reply) error {
	watched := b.Watch(b.Role(roles.Denied).Call())
	weak.Said = probe.Shown(plain)
	id := weak.ID()
	begun := weak.CallMethod(proposal.BeginTransaction(), probe.Object{"transaction_id": id, "timeout_seconds": 60})
	rollbackLater(weak, id)
	b.NotSeenIf(proposal.LacksRights(begun.Reply), "the caller may not begin a transaction: "+begun.Outcome())
	needBegun(b, begun)
	rollBack := func() { // before another one is begun, since a server may have one at a time
		weak.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
		weak.Over(probe.JSON(id))
	}
	s := request{way: w, transaction: id, call: watched.ToolCall}
	step := s.start(weak).Reply()
	weak.Said = weak.Said.And(step)
	if proposal.Declined(step) {
		rollBack()
		return nil
	}
	seen, same := b.Look(watched, false)
	after := "a step"
	if same {
		weak.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
		seen, same = b.Look(watched, false)
		after = "the commit"
	}
	if same {
		rollBack()
		return nil
	}
	return weak.Said.And(watched.Before, seen).Violation(
		"%s has the effect of a call of %s that its caller may not make, want no effect", after, watched.Tool)
}
