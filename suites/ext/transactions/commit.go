package transactions

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func commits() []suite.Case {
	return []suite.Case{
		stepped("commit", "what was done stays after the commit, which is answered with the id and the status committed",
			"ext-transaction-commit",
			"forget how the steps are undone, and answer with transaction_id and status committed", commit),
		stepped("commit-counts", "a step that failed leaves its transaction open, and a commit does not count it", "ext-transaction-commit",
			"keep the transaction open when a step fails, and count only steps whose tool succeeded in steps_completed", commitCounts,
			"failing-step"),
		stepped("rollback-after-commit", "the rollback of a committed transaction is rejected and undoes nothing", "ext-transaction-commit",
			"forget a transaction with its commit, and reject the rollback of one that is not open", rollbackAfterCommit),
	}
}

func commit(b *bench.Bench) error {
	w, id, calls := ready(b, 2)
	all(b, w, id, calls)
	a := b.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
	if err := proposal.WantDone(a.Reply); err != nil {
		return err
	}
	b.Over(probe.JSON(id))
	for _, call := range calls {
		if err := b.WantEffect(call, "the commit"); err != nil {
			return err
		}
	}
	if err := agrees(a, id, "committed"); err != nil {
		return err
	}
	return complete(a)
}

func commitCounts(b *bench.Bench) error {
	w, id, calls := ready(b, 1)
	all(b, w, id, calls)
	failIn(b, w, id)
	a := b.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
	switch {
	case proposal.Declined(a.Reply):
		return b.Said.Violation("after a step that failed, %s, want the transaction to be open still",
			a.AnswerTo(a.Method)).AtMostWarn()
	case proposal.WantDone(a.Reply) != nil:
		b.Undecide("the answer to " + a.Method + " is not a result: " + a.Outcome())
	}
	b.Over(probe.JSON(id))
	counted, ok := a.Object["steps_completed"]
	if !ok {
		b.NotSeen("the commit does not count steps")
	}
	if !probe.Same(counted, json.Number("1")) {
		return b.Said.Violation("steps_completed is %s after one step that succeeded and one that failed, want 1", probe.Show(counted))
	}
	return nil
}

// failIn runs the step that fails. Whether its failure is told as it should be is
// the rule of step-failed.
func failIn(b *bench.Bench, w way, id string) {
	call := b.Role(roles.Transaction).Field("failing-step")
	s := run(b, request{way: w, transaction: id, call: call})
	if !proposal.Declined(s.Reply) {
		b.Undecide("the failing step is not told to have failed: " + s.Outcome())
	}
}

func rollbackAfterCommit(b *bench.Bench) error {
	w, id, calls := ready(b, 1)
	all(b, w, id, calls)
	end(b, commitMethod(), id)
	committed := bench.Watched{ToolCall: calls[0].ToolCall, Before: b.Observe(calls[0].ToolCall)}
	a := b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	if err := b.WantNoEffect(committed, "the rollback of a committed transaction"); err != nil {
		return err
	}
	return wantRejected(b, a.Reply, "RESOURCE_NOT_FOUND", "NOT_FOUND", "TRANSACTION_CONFLICT", "CONFLICT")
}
