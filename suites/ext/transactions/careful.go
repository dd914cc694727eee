package transactions

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func careful() []suite.Case {
	return []suite.Case{
		{
			ID:       "ext-transactions/parallel-independent",
			Title:    "the rollback of a transaction leaves alone another one that is open",
			Checks:   []requirements.ID{"ext-transaction-parallel-independent"},
			Needs:    stepped(),
			Observes: roles.Transaction,
			Fix:      "keep steps under the id of their transaction",
			Run:      on(parallelIndependent),
		},
		planted("params", "beside the properties of the step", func(c probe.Object) shot { return shot{params: c} }),
		planted("meta", "in _meta", func(c probe.Object) shot { return shot{meta: c} }),
		{
			ID:       "ext-transactions/replay-once",
			Title:    "a step that is repeated under its idempotency key is registered and undone once",
			Checks:   []requirements.ID{"ext-transaction-replay-once"},
			Needs:    stepped(),
			Observes: roles.Transaction,
			Fix:      "register a step when its tool runs, not when a repeat is answered from the store of keys",
			Run:      on(replayOnce),
		},
	}
}

// gates are those of tools that need confirmation.
func gates() []suite.Case {
	return both("confirmation-kept", suite.Case{
		Checks:   []requirements.ID{"ext-transaction-confirm-inside"},
		Needs:    append(stepped(), suite.Role(roles.Gated, "observe")),
		Observes: roles.Gated,
		Fix:      "ask for confirmation in a step as in any call, and run the tool when it is confirmed",
	}, func(f form) string {
		return "a tool that needs confirmation asks for it in a " + string(f) + " of a transaction too"
	}, confirmationKept)
}

func parallelIndependent(ctx context.Context, d *desk) error {
	w, one, first, err := d.ready(ctx, 1)
	if err != nil {
		return err
	}
	other, second, err := d.prepare(ctx, 1)
	if err != nil {
		return err
	}
	mine, err := d.all(ctx, w, one, first)
	if err != nil {
		return err
	}
	theirs, err := d.all(ctx, w, other, second)
	if err != nil {
		return err
	}
	// A server that keeps transactions apart shows their effects with the commit.
	_, hidden, err := d.look(ctx, second[0], false)
	if err != nil {
		return err
	}
	a, err := d.end(ctx, proposal.RollbackTransaction(), one)
	if err != nil {
		return err
	}
	if !hidden {
		if err := d.wantThere(ctx, second[0], "the rollback of another transaction"); err != nil {
			return err
		}
	}
	for _, entry := range entries(a) {
		if id := entry["step_id"]; id == theirs[0].stepID() && id != mine[0].stepID() {
			return d.said.Violation("steps_compensated lists %s, want no step of another transaction", probe.Show(id))
		}
	}
	if _, err := d.end(ctx, commitMethod(), other); err != nil {
		return d.said.Violation("the other transaction cannot be committed after the rollback: %s", err.Error())
	}
	if err := d.wantThere(ctx, second[0], "its commit"); err != nil {
		return err
	}
	return d.wantGone(ctx, first[0], "its rollback")
}

// planted sends a compensation along, which the server must not take over. Refusing
// the step is as good as ignoring it.
func planted(slug, where string, put func(compensation probe.Object) shot) suite.Case {
	return suite.Case{
		ID:       "ext-transactions/compensation-not-planted-" + slug,
		Title:    "a compensation that the client sends " + where + " is not run",
		Checks:   []requirements.ID{"ext-transaction-compensation-not-injected"},
		Needs:    stepped("bait"),
		Observes: roles.Transaction,
		Fix:      "choose compensations in the server, and ignore what the request says about them",
		Run: on(func(ctx context.Context, d *desk) error {
			bait, err := d.field(ctx, roles.Transaction, "bait")
			if err != nil {
				return err
			}
			w, id, calls, err := d.ready(ctx, 1)
			if err != nil {
				return err
			}
			call := probe.Object{"tool": bait.Tool, "arguments": bait.Arguments, "parameters": bait.Arguments}
			s := put(probe.Object{"compensation": call})
			s.way, s.transaction, s.call = w, id, calls[0].ToolCall
			if _, err := d.run(ctx, s); err != nil {
				return err
			}
			if _, err := d.ask(ctx, proposal.RollbackTransaction(), probe.Object{"transaction_id": id}); err != nil {
				return err
			}
			return d.wantUntouched(ctx, bait, "the rollback of a step with a compensation of the client")
		}),
	}
}

// A server need not read keys of transaction/step. An equal call was made before,
// which a second compensation could hit.
func replayOnce(ctx context.Context, d *desk) error {
	w, err := d.in(ctx, byCall)
	if err != nil {
		return err
	}
	_, id, call, err := d.crowded(ctx)
	if err != nil {
		return err
	}
	s := shot{way: w, transaction: id, call: call.ToolCall, id: d.id(), key: "kit" + d.client.Nonce()}
	first, err := d.good(ctx, s)
	if err != nil {
		return err
	}
	seen, err := d.client.Observe(ctx, call.ToolCall)
	if err != nil {
		return err
	}
	repeat, err := d.run(ctx, s)
	if err != nil {
		return err
	}
	if proposal.WantDone(repeat.Reply) != nil {
		return probe.Undecide("the repeat of a step under its key has no result: " + repeat.Outcome())
	}
	again, err := d.client.Observe(ctx, call.ToolCall)
	if err != nil {
		return err
	}
	if !seen.Same(again) {
		return probe.Undecide("the repeat of a step under its key has an effect, which ext-idempotency/no-second-effect judges")
	}
	a, err := d.end(ctx, proposal.RollbackTransaction(), id)
	if err != nil {
		return err
	}
	n := 0
	for _, entry := range entries(a) {
		if entry["step_id"] == first.stepID() || entry["step_id"] == repeat.stepID() {
			n++
		}
	}
	if n > 1 {
		return d.said.Violation("steps_compensated lists a step %d times that was repeated under its key, want once", n)
	}
	return d.wantGone(ctx, call, "the rollback of a step that was repeated under its key")
}

// The gate is an answer of the tool's own, or a refusal.
func confirmationKept(ctx context.Context, d *desk, w way) error {
	call, err := d.client.Role(roles.Gated).Call()
	gated, err := d.watch(ctx, call, err)
	if err != nil {
		return err
	}
	id, err := d.begin(ctx)
	if err != nil {
		return err
	}
	if _, err := d.run(ctx, shot{way: w, transaction: id, call: gated.ToolCall}); err != nil {
		return err
	}
	return d.wantUntouched(ctx, gated, "a step that was not confirmed")
}
