package transactions

import (
	"context"

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
	}, func(ctx context.Context, d *desk, w way) error {
		return d.wantStrange(ctx, w, d.id(), "was never started")
	})
	committed, rolledBack := made, made
	committed.ID = "ext-transactions/committed-transaction"
	committed.Title = "a step of a committed transaction is rejected before it runs"
	committed.Run = on(func(ctx context.Context, d *desk) error {
		w, id, _, err := d.ready(ctx, 1)
		if err != nil {
			return err
		}
		if _, err := d.end(ctx, commitMethod(), id); err != nil {
			return err
		}
		return d.wantStrange(ctx, w, id, "was committed")
	})
	rolledBack.ID = "ext-transactions/rolled-back-transaction"
	rolledBack.Title = "a step of a transaction that was rolled back is rejected before it runs"
	rolledBack.Run = on(func(ctx context.Context, d *desk) error {
		w, id, _, err := d.ready(ctx, 1)
		if err != nil {
			return err
		}
		if _, err := d.end(ctx, proposal.RollbackTransaction(), id); err != nil {
			return err
		}
		return d.wantStrange(ctx, w, id, "was rolled back")
	})
	return append(cases, committed, rolledBack)
}

// wantStrange looks at the state first: what ran is worse than what was said.
func (d *desk) wantStrange(ctx context.Context, w way, id, what string) error {
	call, err := d.step(ctx, 0)
	if err != nil {
		return err
	}
	s, err := d.run(ctx, shot{way: w, transaction: id, call: call.ToolCall})
	if err != nil {
		return err
	}
	if err := d.wantUntouched(ctx, call, "a step of a transaction that "+what); err != nil {
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
	without.Run = on(func(ctx context.Context, d *desk) error {
		a, err := d.ask(ctx, commitMethod(), probe.Object{})
		if err != nil {
			return err
		}
		return d.wantRejected(a.Reply)
	})
	never.ID = "ext-transactions/commit-unknown"
	never.Title = "the commit of a transaction that was never started is rejected"
	never.Run = on(func(ctx context.Context, d *desk) error { return d.wantNoCommit(ctx, d.id()) })
	twice.ID = "ext-transactions/commit-twice"
	twice.Title = "the second commit of a transaction is rejected"
	twice.Run = on(func(ctx context.Context, d *desk) error {
		id, err := d.begin(ctx)
		if err != nil {
			return err
		}
		if _, err := d.end(ctx, commitMethod(), id); err != nil {
			return err
		}
		return d.wantNoCommit(ctx, id)
	})
	return []suite.Case{without, never, twice}
}

func (d *desk) wantNoCommit(ctx context.Context, id string) error {
	a, err := d.ask(ctx, commitMethod(), probe.Object{"transaction_id": id})
	if err != nil {
		return err
	}
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
	without.Run = on(func(ctx context.Context, d *desk) error {
		a, err := d.ask(ctx, proposal.RollbackTransaction(), probe.Object{})
		if err != nil {
			return err
		}
		return d.wantRejected(a.Reply)
	})
	never.ID = "ext-transactions/rollback-unknown"
	never.Title = "the rollback of a transaction that was never started is rejected"
	never.Run = on(func(ctx context.Context, d *desk) error {
		a, err := d.ask(ctx, proposal.RollbackTransaction(), probe.Object{"transaction_id": d.id()})
		if err != nil {
			return err
		}
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
func rollbackTwice(ctx context.Context, d *desk) error {
	w, id, call, err := d.crowded(ctx)
	if err != nil {
		return err
	}
	if _, err := d.all(ctx, w, id, []watched{call}); err != nil {
		return err
	}
	if _, err := d.end(ctx, proposal.RollbackTransaction(), id); err != nil {
		return err
	}
	undone, err := d.client.Observe(ctx, call.ToolCall)
	if err != nil {
		return err
	}
	a, err := d.ask(ctx, proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	if err != nil {
		return err
	}
	if err := d.wantUntouched(ctx, watched{call.ToolCall, undone}, "the second rollback of a transaction"); err != nil {
		return err
	}
	return d.wantRejected(a.Reply)
}

// crowded begins a transaction where the effect of its step is already there once,
// by a call outside of it. Where that does not succeed, or does not show, the state
// is what it was.
func (d *desk) crowded(ctx context.Context) (w way, id string, call watched, err error) {
	w, id, calls, err := d.ready(ctx, 1)
	if err != nil {
		return w, id, call, err
	}
	call = calls[0]
	reply, err := d.client.CallTool(ctx, call.ToolCall, nil)
	if err != nil {
		return w, id, call, err
	}
	d.said = d.said.And(reply)
	call.before, err = d.client.Observe(ctx, call.ToolCall)
	return w, id, call, err
}
