package transactions

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func careful() []suite.Case {
	return []suite.Case{
		stepped("parallel-independent", "the rollback of a transaction leaves alone another one that is open",
			"ext-transaction-parallel-independent",
			"keep steps under the id of their transaction", parallelIndependent),
		planted("params", "beside the properties of the step", func(c probe.Object) request { return request{params: c} }),
		planted("meta", "in _meta", func(c probe.Object) request { return request{meta: c} }),
		stepped("replay-once", "a step that is repeated under its idempotency key is registered and undone once", "ext-transaction-replay-once",
			"register a step when its tool runs, not when a repeat is answered from the store of keys", replayOnce),
	}
}

// gates are those of tools that need confirmation.
func gates() []suite.Case {
	cases := both("confirmation-kept", "a tool that needs confirmation asks for it in a %s of a transaction too",
		"ext-transaction-confirm-inside",
		"ask for confirmation in a step as in any call, and run the tool when it is confirmed", confirmationKept)
	for i := range cases {
		cases[i].Needs = append(cases[i].Needs, suite.Role(roles.Gated, "observe"))
		cases[i].Observes = roles.Gated
	}
	return cases
}

func parallelIndependent(b *bench.Bench) error {
	w, one, first := ready(b, 1)
	other, second := prepare(b, 1)
	mine := runAll(b, w, one, first)
	theirs := runAll(b, w, other, second)
	// A server that keeps transactions apart shows their effects with the commit.
	_, hidden := b.Look(second[0], false)
	a := end(b, proposal.RollbackTransaction(), one)
	if !hidden {
		b.Must(b.WantEffect(second[0], "the rollback of another transaction"))
	}
	for _, entry := range entries(a) {
		if id := entry["step_id"]; id == theirs[0].stepID() && id != mine[0].stepID() {
			return b.Said.Violation("steps_compensated lists %s, want no step of another transaction", probe.Show(id))
		}
	}
	var commit proposal.Answer
	why := b.Try(func() {
		commit = b.CallMethod(commitMethod(), probe.Object{"transaction_id": other})
		b.Require(proposal.WantDone(commit.Reply), "the answer is not a result: "+commit.Outcome())
		b.Over(probe.JSON(other))
	})
	if why != nil {
		broken := b.Said.Violation("the other transaction cannot be committed after the rollback: %s", why.Error())
		if commit.Reply != nil {
			broken = broken.Unless(commit.NotObject())
		}
		return broken
	}
	b.Must(b.WantEffect(second[0], "its commit"))
	problem := wantUndone(b, first[0], "its rollback")
	if problem != nil {
		apart(b, w, 0, 0)
	}
	return problem
}

// planted sends a compensation along, which the server must not take over. Refusing
// the step is as good as ignoring it.
func planted(slug, where string, put func(compensation probe.Object) request) suite.Case {
	return stepped("compensation-not-planted-"+slug, "a compensation that the client sends "+where+" is not run",
		"ext-transaction-compensation-not-injected",
		"choose compensations in the server, and ignore what the request says about them", func(b *bench.Bench) error {
			_, observed := b.Role(roles.Transaction).Fields().At("bait").Observe()
			b.UndecideIf(!observed, "roles.transaction.bait has no observe")
			bait := b.Watch(b.Role(roles.Transaction).Field("bait"))
			w, id, calls := ready(b, 1)
			call := probe.Object{"tool": bait.Tool, "arguments": bait.Arguments, "parameters": bait.Arguments}
			s := put(probe.Object{"compensation": call})
			s.way, s.transaction, s.call = w, id, calls[0].ToolCall
			runStep(b, s)
			b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
			return b.WantNoEffect(bait, "the rollback of a step with a compensation of the client")
		},
		"bait")
}

// A server need not read keys of transaction/step. An equal call was made before,
// which a second compensation could hit.
func replayOnce(b *bench.Bench) error {
	w := inForm(b, byCall)
	_, id, call := crowded(b)
	s := request{way: w, transaction: id, call: call.ToolCall, id: b.ID(), key: "kit" + b.Nonce()}
	first := needStep(b, s)
	seen := b.Observe(call.ToolCall)
	repeat := runStep(b, s)
	b.Require(proposal.WantDone(repeat.Reply), "the repeat of a step under its key has no result: "+repeat.Outcome())
	again := b.Observe(call.ToolCall)
	b.UndecideIf(!seen.Same(again), "the repeat of a step under its key has an effect, which ext-idempotency/no-second-effect judges")
	a := end(b, proposal.RollbackTransaction(), id)
	n := 0
	for _, entry := range entries(a) {
		if entry["step_id"] == first.stepID() || entry["step_id"] == repeat.stepID() {
			n++
		}
	}
	if n > 1 {
		return b.Said.Violation("steps_compensated lists a step %d times that was repeated under its key, want once", n)
	}
	return wantUndone(b, call, "the rollback of a step that was repeated under its key")
}

// The gate is an answer of the tool's own, or a refusal. A tool that runs without confirmation
// outside of transactions is a matter of another page.
func confirmationKept(b *bench.Bench, w way) error {
	ungated := b.Learn("transactions:ungated", func() string {
		plain := b.Watch(b.Role(roles.Gated).Call())
		b.MakeCall(bench.Call{Tool: plain.ToolCall, Dialect: proposal.Bare})
		if _, same := b.Look(plain, true); same {
			return ""
		}
		return "runs"
	})
	b.NotSeenIf(ungated != "", "the tool of roles.gated runs without confirmation outside of transactions too")
	gated := b.Watch(b.Role(roles.Gated).Call())
	runStep(b, request{way: w, transaction: open(b, 60), call: gated.ToolCall})
	return b.WantNoEffect(gated, "a step that was not confirmed")
}
