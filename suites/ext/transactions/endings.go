package transactions

import (
	"encoding/json"
	"strconv"

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
		stepped("commit-counts", "a step that failed leaves its transaction open, and a commit keeps the others and does not count it",
			"ext-transaction-commit",
			"undo nothing when a step fails, keep the transaction open, and count only steps whose tool succeeded in steps_completed",
			commitCounts, "failing-step"),
		stepped("rollback-after-commit", "the rollback of a committed transaction is rejected and undoes nothing", "ext-transaction-commit",
			"forget a transaction with its commit, and reject the rollback of one that is not open", rollbackAfterCommit),
	}
}

func commit(b *bench.Bench) error {
	w, id, calls := ready(b, 2)
	runAll(b, w, id, calls)
	a := b.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
	b.Must(proposal.WantDone(a.Reply))
	b.Over(probe.JSON(id))
	for _, call := range calls {
		b.Must(b.WantEffect(call, "the commit"))
	}
	b.Must(agrees(a, id, "committed"))
	if counted, ok := a.Object["steps_completed"]; ok && !counts(counted, len(calls)) {
		return a.Violation("steps_completed of the answer to %s is %s, want %d", a.Method, probe.Show(counted), len(calls))
	}
	return complete(a)
}

func counts(counted any, steps int) bool {
	return probe.Same(counted, json.Number(strconv.Itoa(steps)))
}

func commitCounts(b *bench.Bench) error {
	w, id, calls := ready(b, 1)
	runAll(b, w, id, calls)
	failIn(b, w, id)
	a := b.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
	switch {
	case proposal.Declined(a.Reply):
		return b.Said.Violation("after a step that failed, %s, want the transaction to be open still",
			a.AnswerTo(a.Method)).AtMostWarn()
	case !proposal.Done(a.Reply):
		b.Undecide("the answer to " + a.Method + " is not a result: " + a.Outcome())
	}
	b.Over(probe.JSON(id))
	kept := b.WantEffect(calls[0], "the commit of a transaction in which another step failed")
	if status, told := a.Object["status"]; told && status != "committed" {
		kept = probe.AtMostWarn(kept) // the client is told that nothing was committed
	}
	b.Must(kept)
	counted, ok := a.Object["steps_completed"]
	b.NotSeenIf(!ok, "the commit does not count steps")
	if !counts(counted, 1) {
		return b.Said.Violation("steps_completed is %s after one step that succeeded and one that failed, want 1", probe.Show(counted)).
			Unless(probe.Elsewhere{Case: "ext-transactions/commit", Why: "a commit does not count the steps that succeeded"})
	}
	return nil
}

// failIn runs the step that fails. Whether its failure is told as it should be is
// the rule of step-failed.
func failIn(b *bench.Bench, w way, id string) {
	s := runStep(b, request{way: w, transaction: id, call: b.Role(roles.Transaction).Field("failing-step")})
	b.UndecideIf(!proposal.Declined(s.Reply), "the failing step is not told to have failed: "+s.Outcome())
}

func rollbackAfterCommit(b *bench.Bench) error {
	w, id, calls := ready(b, 1)
	runAll(b, w, id, calls)
	end(b, commitMethod(), id)
	b.Look(calls[0], false)
	committed := bench.Watched{ToolCall: calls[0].ToolCall, Before: b.Observe(calls[0].ToolCall)}
	a := b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	b.Must(b.WantNoEffect(committed, "the rollback of a committed transaction"))
	return wantRejected(b, a.Reply, "RESOURCE_NOT_FOUND", "NOT_FOUND", "TRANSACTION_CONFLICT", "CONFLICT")
}

// strangeSteps name a transaction that is not open.
func strangeSteps() []suite.Case {
	const rule = "ext-transaction-unknown-id-refused"
	const fix = "look the transaction up before the tool runs, and reject a step of one that is not open as RESOURCE_NOT_FOUND"
	cases := both("unknown-transaction", "a %s in a transaction that was never started is rejected before it runs", rule, fix,
		func(b *bench.Bench, w way) error { return wantStrange(b, w, b.ID(), "was never started") })
	return append(cases,
		stepped("committed-transaction", "a step of a committed transaction is rejected before it runs", rule, fix,
			func(b *bench.Bench) error {
				w, id, _ := ready(b, 1)
				end(b, commitMethod(), id)
				return wantStrange(b, w, id, "was committed")
			}),
		stepped("rolled-back-transaction", "a step of a transaction that was rolled back is rejected before it runs", rule, fix,
			func(b *bench.Bench) error {
				w, id, _ := ready(b, 1)
				end(b, proposal.RollbackTransaction(), id)
				return wantStrange(b, w, id, "was rolled back")
			}),
	)
}

// wantStrange looks at the state first: what ran is worse than what was said.
func wantStrange(b *bench.Bench, w way, id, what string) error {
	call := step(b, 0)
	s := runStep(b, request{way: w, transaction: id, call: call.ToolCall})
	b.Must(b.WantNoEffect(call, "a step of a transaction that "+what))
	return wantRejected(b, s.Reply, "RESOURCE_NOT_FOUND", "NOT_FOUND", "TRANSACTION_CONFLICT", "CONFLICT")
}

func strangeCommits() []suite.Case {
	const rule = "ext-transaction-commit-unknown"
	const fix = "look the transaction up, and reject one that is not open as RESOURCE_NOT_FOUND"
	return []suite.Case{
		claimed("commit-without-id", "a transaction/commit without an id is rejected", rule, fix, func(b *bench.Bench) error {
			return wantRejected(b, b.CallMethod(commitMethod(), probe.Object{}).Reply)
		}),
		claimed("commit-unknown", "the commit of a transaction that was never started is rejected", rule, fix,
			func(b *bench.Bench) error { return wantNoCommit(b, b.ID()) }),
		claimed("commit-twice", "the second commit of a transaction is rejected", rule, fix, func(b *bench.Bench) error {
			id := open(b, 60)
			end(b, commitMethod(), id)
			return wantNoCommit(b, id)
		}),
	}
}

func wantNoCommit(b *bench.Bench, id string) error {
	a := b.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
	return wantRejected(b, a.Reply, "RESOURCE_NOT_FOUND", "NOT_FOUND")
}

func strangeRollbacks() []suite.Case {
	const rule = "ext-transaction-rollback-unknown"
	const fix = "look the transaction up, and reject the rollback of one that is not open as RESOURCE_NOT_FOUND"
	return []suite.Case{
		claimed("rollback-without-id", "a transaction/rollback without an id is rejected", rule, fix, func(b *bench.Bench) error {
			return wantRejected(b, b.CallMethod(proposal.RollbackTransaction(), probe.Object{}).Reply)
		}),
		claimed("rollback-unknown", "the rollback of a transaction that was never started is rejected", rule, fix,
			func(b *bench.Bench) error {
				return wantRejected(b, b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": b.ID()}).Reply)
			}),
		stepped("rollback-twice", "the second rollback of a transaction is rejected and undoes nothing", rule, fix, rollbackTwice),
	}
}

// An equal call was made before, which a second compensation could hit.
func rollbackTwice(b *bench.Bench) error {
	w, id, call := crowded(b)
	runAll(b, w, id, []bench.Watched{call})
	b.Look(call, false) // what comes late must not come behind the second rollback
	end(b, proposal.RollbackTransaction(), id)
	b.Look(call, true)
	undone := bench.Watched{ToolCall: call.ToolCall, Before: b.Observe(call.ToolCall)}
	a := b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	b.Must(b.WantNoEffect(undone, "the second rollback of a transaction"))
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
	if proposal.Done(reply) {
		b.Look(call, false)
	}
	call.Before = b.Observe(call.ToolCall)
	return w, id, call
}
