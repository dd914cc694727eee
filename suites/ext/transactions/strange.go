package transactions

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// strangeSteps name a transaction that is not open.
func strangeSteps() []suite.Case {
	made := suite.Case{
		Checks:   []requirements.ID{"ext-transaction-unknown-id-refused"},
		Needs:    runnable(),
		Observes: roles.Transaction,
		Fix:      "look the transaction up before the tool runs, and reject a step of one that is not open as RESOURCE_NOT_FOUND",
	}
	cases := both("unknown-transaction", made, func(f form) string {
		return "a " + string(f) + " in a transaction that was never started is rejected before it runs"
	}, func(b *bench.Bench, w way) error {
		return wantStrange(b, w, b.ID(), "was never started")
	})
	committed, rolledBack := made, made
	committed.ID = "ext-transactions/committed-transaction"
	committed.Title = "a step of a committed transaction is rejected before it runs"
	committed.Run = on(func(b *bench.Bench) error {
		w, id, _ := ready(b, 1)
		end(b, commitMethod(), id)
		return wantStrange(b, w, id, "was committed")
	})
	rolledBack.ID = "ext-transactions/rolled-back-transaction"
	rolledBack.Title = "a step of a transaction that was rolled back is rejected before it runs"
	rolledBack.Run = on(func(b *bench.Bench) error {
		w, id, _ := ready(b, 1)
		end(b, proposal.RollbackTransaction(), id)
		return wantStrange(b, w, id, "was rolled back")
	})
	return append(cases, committed, rolledBack)
}

// wantStrange looks at the state first: what ran is worse than what was said.
func wantStrange(b *bench.Bench, w way, id, what string) error {
	call := step(b, 0)
	s := run(b, request{way: w, transaction: id, call: call.ToolCall})
	if err := b.WantNoEffect(call, "a step of a transaction that "+what); err != nil {
		return err
	}
	return wantRejected(b, s.Reply, "RESOURCE_NOT_FOUND", "NOT_FOUND", "TRANSACTION_CONFLICT", "CONFLICT")
}

func strangeCommits() []suite.Case {
	made := suite.Case{
		Checks: []requirements.ID{"ext-transaction-commit-unknown"},
		Needs:  offered(),
		Fix:    "look the transaction up, and reject one that is not open as RESOURCE_NOT_FOUND",
	}
	without, never, twice := made, made, made
	without.ID = "ext-transactions/commit-without-id"
	without.Title = "a transaction/commit without an id is rejected"
	without.Run = on(func(b *bench.Bench) error {
		a := b.CallMethod(commitMethod(), probe.Object{})
		return wantRejected(b, a.Reply)
	})
	never.ID = "ext-transactions/commit-unknown"
	never.Title = "the commit of a transaction that was never started is rejected"
	never.Run = on(func(b *bench.Bench) error { return wantNoCommit(b, b.ID()) })
	twice.ID = "ext-transactions/commit-twice"
	twice.Title = "the second commit of a transaction is rejected"
	twice.Run = on(func(b *bench.Bench) error {
		id := open(b, 60)
		end(b, commitMethod(), id)
		return wantNoCommit(b, id)
	})
	return []suite.Case{without, never, twice}
}

func wantNoCommit(b *bench.Bench, id string) error {
	a := b.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
	return wantRejected(b, a.Reply, "RESOURCE_NOT_FOUND", "NOT_FOUND")
}

func strangeRollbacks() []suite.Case {
	made := suite.Case{
		Checks: []requirements.ID{"ext-transaction-rollback-unknown"},
		Needs:  offered(),
		Fix:    "look the transaction up, and reject the rollback of one that is not open as RESOURCE_NOT_FOUND",
	}
	without, never, twice := made, made, made
	without.ID = "ext-transactions/rollback-without-id"
	without.Title = "a transaction/rollback without an id is rejected"
	without.Run = on(func(b *bench.Bench) error {
		a := b.CallMethod(proposal.RollbackTransaction(), probe.Object{})
		return wantRejected(b, a.Reply)
	})
	never.ID = "ext-transactions/rollback-unknown"
	never.Title = "the rollback of a transaction that was never started is rejected"
	never.Run = on(func(b *bench.Bench) error {
		a := b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": b.ID()})
		return wantRejected(b, a.Reply)
	})
	twice.ID = "ext-transactions/rollback-twice"
	twice.Title = "the second rollback of a transaction is rejected and undoes nothing"
	twice.Needs = runnable()
	twice.Observes = roles.Transaction
	twice.Run = on(rollbackTwice)
	return []suite.Case{without, never, twice}
}

// An equal call was made before, which a second compensation could hit.
func rollbackTwice(b *bench.Bench) error {
	w, id, call := crowded(b)
	all(b, w, id, []bench.Watched{call})
	end(b, proposal.RollbackTransaction(), id)
	undone := bench.Watched{ToolCall: call.ToolCall, Before: b.Observe(call.ToolCall)}
	a := b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	if err := b.WantNoEffect(undone, "the second rollback of a transaction"); err != nil {
		return err
	}
	return wantRejected(b, a.Reply)
}

// crowded begins a transaction where the effect of its step is already there once,
// by a call outside of it. Where that does not succeed, or does not show, the state
// is what it was.
func crowded(b *bench.Bench) (w way, id string, call bench.Watched) {
	w, id, calls := ready(b, 1)
	call = calls[0]
	reply := b.CallTool(call.ToolCall, nil)
	b.Said = b.Said.And(reply)
	call.Before = b.Observe(call.ToolCall)
	return w, id, call
}
