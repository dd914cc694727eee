package transactions

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func rollbacks() []suite.Case {
	cases := both("rollback-undoes", "a rollback undoes each %s of the transaction", "ext-transaction-rollback-undoes",
		"run the compensation of each step that succeeded, and report what became of it", rollbackUndoes)
	return append(cases,
		stepped("rollback-spares-others", "a rollback leaves alone what was done before the transaction", "ext-transaction-rollback-undoes",
			"compensate by the ids that the steps returned, not by what looks alike", rollbackSparesOthers),
		stepped("rollback-order", "compensations run last step first", "ext-transaction-rollback-order",
			"keep the steps in the order in which they ran, and go through them from the end", rollbackOrder),
		stepped("rollback-shape", "the answer to a rollback lists each step once, with what became of it", "ext-transaction-rollback-shape",
			"list each step once in steps_compensated, with its step_id and the status compensated or compensation_failed", rollbackShape),
		stepped("rollback-leaves-out-failed", "the answer to a rollback does not list a step that failed", "ext-transaction-rollback-shape",
			"register a step for the rollback only when its tool has succeeded", rollbackLeavesOutFailed, "failing-step"),
		claimed("rollback-empty", "a transaction without steps is rolled back with an empty list", "ext-transaction-rollback-empty",
			"answer the rollback of a transaction without steps with an empty array as steps_compensated", rollbackEmpty),
	)
}

func rollbackUndoes(b *bench.Bench, w way) error {
	id, calls := prepare(b, 2)
	runAll(b, w, id, calls)
	a := b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id, "reason": "a test of transactions"})
	b.Must(proposal.WantDone(a.Reply))
	b.Over(probe.JSON(id))
	for _, call := range calls {
		b.Must(b.WantUndone(call, "the rollback"))
	}
	return nil
}

// The effect is there once before the transaction begins, and has to be there once
// when it has been rolled back. A tool that has no second effect shows nothing.
func rollbackSparesOthers(b *bench.Bench) error {
	w, id, call := crowded(b)
	runAll(b, w, id, []bench.Watched{call})
	wantSecondEffect(b, call)
	end(b, proposal.RollbackTransaction(), id)
	return wantUndone(b, call, "the rollback of a step like a call that was made before")
}

func wantSecondEffect(b *bench.Bench, call bench.Watched) {
	_, same := b.Look(call, false)
	b.UndecideIf(same, "a second call of "+call.Tool+" has no effect that can be seen")
}

// The ids are in another order than the steps, whichever way they are sorted.
func rollbackOrder(b *bench.Bench) error {
	w, id, calls := ready(b, 3)
	var ran []string
	for i, letter := range []string{"m", "z", "a"} {
		s := needStep(b, request{way: w, transaction: id, call: calls[i].ToolCall, id: letter + "-" + b.ID()})
		ran = append(ran, s.stepID())
	}
	a := end(b, proposal.RollbackTransaction(), id)
	var undone []string
	for _, entry := range entries(a) {
		if id, _ := entry["step_id"].(string); slices.Contains(ran, id) && !slices.Contains(undone, id) {
			undone = append(undone, id)
		}
	}
	slices.Reverse(ran)
	switch {
	case len(undone) < len(ran):
		b.Undecide("the answer does not list all steps under the ids that their answers have, which ext-transactions/rollback-shape judges")
	case !slices.Equal(undone, ran):
		return b.Said.Violation("steps_compensated lists %s, want %s, the last step first", probe.JSON(undone), probe.JSON(ran))
	}
	return nil
}

// entries are those of steps_compensated that are objects.
func entries(a proposal.Answer) []map[string]any {
	var all []map[string]any
	for _, one := range probe.ArrayOf(a.Object["steps_compensated"]) {
		if entry, ok := one.(map[string]any); ok {
			all = append(all, entry)
		}
	}
	return all
}

func rollbackShape(b *bench.Bench) error {
	w, id, calls := ready(b, 2)
	steps := runAll(b, w, id, calls)
	a := end(b, proposal.RollbackTransaction(), id)
	if _, ok := a.Object["steps_compensated"]; !ok {
		return a.Violation("steps_compensated is absent, want an array with an entry for each step")
	}
	if problem := b.Client.ExtensionProblem(extension, "RollbackResult", "", a.Object); problem != "" {
		return a.Violation("the answer to a rollback does not fit: %s", problem)
	}
	b.Must(wantEntries(a, steps))
	if got, ok := a.Object["transaction_id"]; got != id {
		err := a.Violation("transaction_id of the answer is %s, want %s", shown(got, ok), probe.Show(id))
		if !ok {
			return err.AtMostWarn()
		}
		return err
	}
	return nil
}

// renamedStep is the case that judges why a step is not listed under the id that it was answered with.
func renamedStep() probe.Elsewhere {
	return probe.Elsewhere{Case: "ext-transactions/step-id-kept", Why: "the answer to a step has another step_id than the step"}
}

// misreported is the case that judges why the answer to a rollback does not say what became of a step.
func misreported() probe.Elsewhere {
	return probe.Elsewhere{Case: "ext-transactions/rollback-shape", Why: "the answer to a rollback does not have its form"}
}

// unless leaves a complaint to rollback-shape where a value is none of those that the form has.
func unless(broken *probe.Violation, value any, form ...string) *probe.Violation {
	if text, ok := value.(string); ok && slices.Contains(form, text) {
		return broken
	}
	return broken.Unless(misreported())
}

// nothingUndone is the case that judges why there is an effect after more than a plain rollback.
func nothingUndone() probe.Elsewhere {
	return probe.Elsewhere{Case: "ext-transactions/rollback-undoes", Why: "a rollback does not undo each step"}
}

// wantUndone expects that the state is what it was before the call, where a plain rollback undoes its steps.
func wantUndone(b *bench.Bench, w bench.Watched, after string) error {
	return probe.Unless(b.WantUndone(w, after), nothingUndone())
}

// wantEntries expects one entry for each step, and no other. A step that has nothing
// to undo may be left out.
func wantEntries(a proposal.Answer, steps []done) error {
	listed := map[string]int{}
	for i, entry := range entries(a) {
		given, status := entry["step_id"], entry["status"]
		id, ok := given.(string)
		if !ok {
			return a.Violation("steps_compensated[%d].step_id is %s, want a string", i, probe.Show(probe.Member(entry, "step_id")))
		}
		if status != "compensated" && status != "compensation_failed" {
			return a.Violation("steps_compensated[%d].status is %s, want compensated or compensation_failed", i,
				probe.Show(probe.Member(entry, "status")))
		}
		listed[id]++
	}
	for _, s := range steps {
		id := s.stepID()
		s.bench.UndecideIf(id == "", "the answers to steps do not say their ids")
		_, undoable := s.property("compensation")
		if n := listed[id]; n > 1 || n == 0 && undoable {
			return a.Violation("steps_compensated lists the step %s %d times, want once", probe.Show(id), n).Unless(renamedStep())
		}
		delete(listed, id)
	}
	if others := slices.Sorted(maps.Keys(listed)); len(others) > 0 {
		return a.Violation("steps_compensated lists %s, want only steps of the transaction that succeeded", probe.Show(others[0]))
	}
	return nil
}

func rollbackLeavesOutFailed(b *bench.Bench) error {
	w, id, calls := ready(b, 1)
	steps := runAll(b, w, id, calls)
	failIn(b, w, id)
	a := end(b, proposal.RollbackTransaction(), id)
	if n := len(entries(a)); n > len(steps) {
		return b.Said.Violation("steps_compensated has %d entries after one step that succeeded and one that failed, want one", n)
	}
	return nil
}

func rollbackEmpty(b *bench.Bench) error {
	id := open(b, 60)
	a := b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	b.Must(proposal.WantDone(a.Reply))
	b.Over(probe.JSON(id))
	undone := probe.Member(a.Object, "steps_compensated")
	list, ok := undone.([]any)
	b.NotSeenIf(!ok && unlisted(b), "the rollback of a step does not list it either, which ext-transactions/rollback-shape judges")
	broken := a.Violation("steps_compensated is %s, want an empty array", probe.Show(undone))
	switch {
	case ok && len(list) == 0:
		return nil
	case ok && len(entries(a)) == 0:
		return broken.Unless(misreported())
	}
	return broken
}

// unlisted reports whether the answer to the rollback of a step, where the role has one, has no array
// as steps_compensated.
func unlisted(b *bench.Bench) bool {
	if len(b.Role(roles.Transaction).Fields().List("steps")) == 0 {
		return false
	}
	w, id, calls := ready(b, 1)
	runAll(b, w, id, calls)
	_, listed := end(b, proposal.RollbackTransaction(), id).Object["steps_compensated"].([]any)
	return !listed
}

func failingCompensations() []suite.Case {
	return []suite.Case{
		stepped("compensation-failure", "a step that cannot be undone is reported with its error", "ext-transaction-compensation-failure",
			"report a failing compensation as compensation_failed with its error, and the whole as partially_rolled_back", compensationFailure,
			"failing-compensation"),
		stepped("compensation-failure-others", "the other steps are undone when one cannot be undone, or are listed as standing",
			"ext-transaction-compensation-failure",
			"continue with the step before when a compensation fails, or list it with another status than compensated",
			compensationFailureOthers, "failing-compensation"),
	}
}

// stuck runs a step that cannot be undone between two that can, and rolls back.
func stuck(b *bench.Bench) (calls []bench.Watched, steps []done, a proposal.Answer) {
	w, id, calls := ready(b, 2)
	firm := b.Role(roles.Transaction).Field("failing-compensation")
	steps = runAll(b, w, id, []bench.Watched{calls[0], {ToolCall: firm}, calls[1]})
	a = b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	b.Over(probe.JSON(id))
	return calls, steps, a
}

func compensationFailure(b *bench.Bench) error {
	_, steps, a := stuck(b)
	b.Must(proposal.WantDone(a.Reply))
	b.NotSeenIf(misshapen(a), "the answer to the rollback does not have its form, which ext-transactions/rollback-shape judges")
	firm := steps[1].stepID()
	for _, entry := range entries(a) {
		if entry["step_id"] != firm {
			continue
		}
		switch entry["status"] {
		case "compensation_failed":
		case "failed":
			b.Note("the status of the step whose compensation fails is failed; compensation_failed is the canonical word")
		default:
			return unless(b.Said.Violation("status of the step %s, whose compensation fails, is %s, want compensation_failed",
				probe.Show(firm), probe.Show(entry["status"])), entry["status"], "compensated").Unless(nothingUndone())
		}
		b.Must(wantReason(b, a, probe.Member(entry, "error")))
		got, ok := a.Object["status"]
		if _, text := got.(string); ok && text && got != "partially_rolled_back" {
			return unless(a.Violation("status of a rollback in which a compensation failed is %s, want partially_rolled_back", probe.Show(got)),
				got, "rolled_back")
		}
		return nil
	}
	return b.Said.Violation("steps_compensated does not list the step %s, whose compensation fails, want it there", probe.Show(firm)).
		Unless(renamedStep(), misreported())
}

// misshapen reports whether an answer does not list what was undone in the form that it has in each
// rollback.
func misshapen(a proposal.Answer) bool {
	listed, ok := a.Object["steps_compensated"].([]any)
	odd := 0
	for _, one := range listed {
		entry := probe.ObjectOf(one)
		if probe.TextOf(entry["step_id"]) == "" || probe.TextOf(entry["status"]) == "" {
			odd++
		}
	}
	return !ok || len(listed) > 0 && odd == len(listed)
}

// wantReason expects an error; the proposal has it as an object and as a string.
func wantReason(b *bench.Bench, a proposal.Answer, reason any) error {
	switch reason := reason.(type) {
	case map[string]any:
		for _, name := range []string{"code", "message", "category"} {
			if _, text := reason[name].(string); !text {
				return a.Violation("error.%s of the step whose compensation fails is %s, want a string", name,
					probe.Show(probe.Member(reason, name))).AtMostWarn().Unless(proposal.Misrecorded(reason))
			}
		}
		return nil
	case string:
		if reason != "" {
			b.Note("the error of a step is a string; an object with code, message and category says more")
			return nil
		}
	}
	return a.Violation("error of the step whose compensation fails is %s, want an object or a string", probe.Show(reason))
}

// A rollback may stop at a step that stands, since a later step may depend on it. Then it
// has to say which of the others stand as well.
func compensationFailureOthers(b *bench.Bench) error {
	calls, steps, a := stuck(b)
	told := map[any]any{}
	for _, entry := range entries(a) {
		told[entry["step_id"]] = entry["status"]
	}
	for i, step := range []done{steps[0], steps[2]} {
		id := step.stepID()
		status, listed := told[id]
		undone := wantUndone(b, calls[i], "a rollback in which the compensation of another step fails")
		switch {
		case undone != nil && listed && status != "compensated":
			b.Note(fmt.Sprintf("the step %s is not undone either, and is listed as %s; clients are better off with as little left as possible",
				probe.Show(id), probe.Show(status)))
		case undone != nil:
			return undone
		case listed && probe.TextOf(status) == "":
			b.NotSeen("the status of a step that was undone is not a string, which ext-transactions/rollback-shape judges")
		case listed && status != "compensated":
			return unless(b.Said.Violation("status of the step %s, which was undone, is %s, want compensated", probe.Show(id), probe.Show(status)),
				status, "compensation_failed")
		}
	}
	return nil
}
