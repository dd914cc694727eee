package transactions

import (
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
		Needs:    stepped(),
		Observes: roles.Transaction,
		Fix:      "look the transaction up before the tool runs, and reject a step of one that is not open as RESOURCE_NOT_FOUND",
	}
	cases := both("unknown-transaction", made, func(f form) string {
		return "a " + string(f) + " in a transaction that was never started is rejected before it runs"
	}, func(d *desk, w way) error {
		return d.wantStrange(w, d.id(), "was never started")
	})
	committed, rolledBack := made, made
	committed.ID = "ext-transactions/committed-transaction"
	committed.Title = "a step of a committed transaction is rejected before it runs"
	committed.Run = on(func(d *desk) error {
		w, id, _ := d.ready(1)
		d.end(commitMethod(), id)
		return d.wantStrange(w, id, "was committed")
	})
	rolledBack.ID = "ext-transactions/rolled-back-transaction"
	rolledBack.Title = "a step of a transaction that was rolled back is rejected before it runs"
	rolledBack.Run = on(func(d *desk) error {
		w, id, _ := d.ready(1)
		d.end(proposal.RollbackTransaction(), id)
		return d.wantStrange(w, id, "was rolled back")
	})
	return append(cases, committed, rolledBack)
}

// wantStrange looks at the state first: what ran is worse than what was said.
func (d *desk) wantStrange(w way, id, what string) error {
	call := d.step(0)
	s := d.run(shot{way: w, transaction: id, call: call.ToolCall})
	if err := d.wantUntouched(call, "a step of a transaction that "+what); err != nil {
		return err
	}
	return d.wantRejected(s.Reply, "RESOURCE_NOT_FOUND", "NOT_FOUND", "TRANSACTION_CONFLICT", "CONFLICT")
}

func strangeCommits() []suite.Case {
	made := suite.Case{
		Checks: []requirements.ID{"ext-transaction-commit-unknown"},
		Needs:  claimed(),
		Fix:    "look the transaction up, and reject one that is not open as RESOURCE_NOT_FOUND",
	}
	without, never, twice := made, made, made
	without.ID = "ext-transactions/commit-without-id"
	without.Title = "a transaction/commit without an id is rejected"
	without.Run = on(func(d *desk) error {
		a := d.ask(commitMethod(), probe.Object{})
		return d.wantRejected(a.Reply)
	})
	never.ID = "ext-transactions/commit-unknown"
	never.Title = "the commit of a transaction that was never started is rejected"
	never.Run = on(func(d *desk) error { return d.wantNoCommit(d.id()) })
	twice.ID = "ext-transactions/commit-twice"
	twice.Title = "the second commit of a transaction is rejected"
	twice.Run = on(func(d *desk) error {
		id := d.begin()
		d.end(commitMethod(), id)
		return d.wantNoCommit(id)
	})
	return []suite.Case{without, never, twice}
}

func (d *desk) wantNoCommit(id string) error {
	a := d.ask(commitMethod(), probe.Object{"transaction_id": id})
	return d.wantRejected(a.Reply, "RESOURCE_NOT_FOUND", "NOT_FOUND")
}

func strangeRollbacks() []suite.Case {
	made := suite.Case{
		Checks: []requirements.ID{"ext-transaction-rollback-unknown"},
		Needs:  claimed(),
		Fix:    "look the transaction up, and reject the rollback of one that is not open as RESOURCE_NOT_FOUND",
	}
	without, never, twice := made, made, made
	without.ID = "ext-transactions/rollback-without-id"
	without.Title = "a transaction/rollback without an id is rejected"
	without.Run = on(func(d *desk) error {
		a := d.ask(proposal.RollbackTransaction(), probe.Object{})
		return d.wantRejected(a.Reply)
	})
	never.ID = "ext-transactions/rollback-unknown"
	never.Title = "the rollback of a transaction that was never started is rejected"
	never.Run = on(func(d *desk) error {
		a := d.ask(proposal.RollbackTransaction(), probe.Object{"transaction_id": d.id()})
		return d.wantRejected(a.Reply)
	})
	twice.ID = "ext-transactions/rollback-twice"
	twice.Title = "the second rollback of a transaction is rejected and undoes nothing"
	twice.Needs = stepped()
	twice.Observes = roles.Transaction
	twice.Run = on(rollbackTwice)
	return []suite.Case{without, never, twice}
}

// An equal call was made before, which a second compensation could hit.
func rollbackTwice(d *desk) error {
	w, id, call := d.crowded()
	d.all(w, id, []watched{call})
	d.end(proposal.RollbackTransaction(), id)
	undone := d.client.Observe(call.ToolCall)
	a := d.ask(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	if err := d.wantUntouched(watched{call.ToolCall, undone}, "the second rollback of a transaction"); err != nil {
		return err
	}
	return d.wantRejected(a.Reply)
}

// crowded begins a transaction where the effect of its step is already there once,
// by a call outside of it. Where that does not succeed, or does not show, the state
// is what it was.
func (d *desk) crowded() (w way, id string, call watched) {
	w, id, calls := d.ready(1)
	call = calls[0]
	reply := d.client.CallTool(call.ToolCall, nil)
	d.said = d.said.And(reply)
	call.before = d.client.Observe(call.ToolCall)
	return w, id, call
}
