package transactions

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// races are about requests that meet each other, and callers who meet.
func races() []suite.Case {
	foreign := stepped("foreign-rollback", "one caller cannot roll back the transaction of another one", "ext-transaction-id-bound",
		"look a transaction up together with the authenticated caller", foreignRollback)
	foreign.Needs = append(foreign.Needs, suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second"))
	return []suite.Case{
		stepped("rollback-meets-step", "a rollback that meets a running step leaves no effect of that step",
			"ext-transaction-rollback-running-step",
			"let a rollback wait for the steps that are running, or refuse one of the two", rollbackMeetsStep),
		stepped("step-id-parallel", "of two parallel steps with one step_id one has its effect", "ext-transaction-step-id-parallel",
			"claim the step_id in one atomic step before the tool runs", stepIDParallel),
		foreign,
	}
}

// A server may take the rollback first, which is sent behind the step at once. So it is
// tried again behind a request that is answered: the step runs by then, unless it is over.
func rollbackMeetsStep(b *bench.Bench) error {
	for _, begun := range []bool{false, true} {
		b.Must(rollbackBehindStep(b, begun))
	}
	return nil
}

func rollbackBehindStep(b *bench.Bench, begun bool) error {
	w, id, calls := ready(b, 1)
	s := request{way: w, transaction: id, call: calls[0].ToolCall}
	p := s.start(b)
	if begun {
		b.Barrier()
	}
	a := b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	step := s.done(b, p)
	if !proposal.Done(a.Reply) {
		// It was refused because of the step, and is repeated when that is over.
		end(b, proposal.RollbackTransaction(), id)
	} else {
		b.Over(probe.JSON(id))
	}
	b.Look(calls[0], true)
	after := "a rollback that was sent while a step ran"
	if proposal.Declined(step.Reply) {
		after += ", and the refusal of that step"
	}
	return probe.Unless(b.WantNoEffect(calls[0], after), nothingUndone())
}

// Where the two are the same call for the server, one is the repeat of the other.
func stepIDParallel(b *bench.Bench) error {
	w, id, calls := ready(b, 2)
	sent := b.ID()
	var all [2]request
	var pending [2]*probe.Pending
	for i := range all {
		all[i] = request{way: w, transaction: id, call: calls[i].ToolCall, id: sent}
		pending[i] = all[i].start(b)
	}
	kept := 0
	for i := range all {
		s := all[i].done(b, pending[i])
		if found, _ := s.property("step_id"); s.wantDone() == nil && found.Value == sent {
			kept++
		}
	}
	b.NotSeenIf(kept == 0, "the server does not take the step_id of the client")
	first, none := b.Look(calls[0], false)
	if none {
		return nil // the other one had the effect, or it shows with the commit
	}
	other, none := b.Look(calls[1], false)
	if none {
		return nil
	}
	problem := b.Said.And(first, other).Violation("both of two parallel steps with the step_id %q had their effect, want one of them", sent)
	end(b, proposal.RollbackTransaction(), id)
	apart(b, w, 0, 1)
	return problem
}

// What one caller has done stands until that caller takes it back.
func foreignRollback(b *bench.Bench) error {
	w, id, calls := ready(b, 1)
	runAll(b, w, id, calls)
	if _, same := b.Look(calls[0], false); same {
		b.Undecide("the effect of a step is not seen before its commit")
	}
	stands := b.Watch(calls[0].ToolCall)
	second := bench.New(b.As("second"))
	a := second.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	b.Said = b.Said.And(a)
	if !proposal.Declined(a.Reply) && proposal.Done(a.Reply) {
		return b.Said.Violation("%s, want a rejection as for a transaction that does not exist",
			a.AnswerTo("the rollback of a transaction that another caller has started"))
	}
	return b.WantNoEffect(stands, "a rollback that was rejected")
}
