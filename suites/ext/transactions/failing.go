package transactions

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func failingCompensations() []suite.Case {
	return []suite.Case{
		stepped("compensation-failure", "a step that cannot be undone is reported with its error", "ext-transaction-compensation-failure",
			"report a failing compensation as compensation_failed with its error, and the whole as partially_rolled_back", compensationFailure,
			"failing-compensation"),
		stepped("compensation-failure-others", "the other steps are undone when one cannot be undone", "ext-transaction-compensation-failure",
			"continue with the step before when a compensation fails", compensationFailureOthers, "failing-compensation"),
	}
}

// stuck runs a step that cannot be undone between two that can, and rolls back.
func stuck(b *bench.Bench) (calls []bench.Watched, steps []done, a proposal.Answer) {
	w, id, calls := ready(b, 2)
	firm := b.Role(roles.Transaction).Field("failing-compensation")
	steps = all(b, w, id, []bench.Watched{calls[0], {ToolCall: firm}, calls[1]})
	a = b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	b.Over(probe.JSON(id))
	return calls, steps, a
}

func compensationFailure(b *bench.Bench) error {
	_, steps, a := stuck(b)
	if err := proposal.WantDone(a.Reply); err != nil {
		return err
	}
	firm := steps[1].stepID()
	for _, entry := range entries(a) {
		if entry["step_id"] != firm {
			continue
		}
		if entry["status"] != "compensation_failed" {
			return b.Said.Violation("status of the step %s, whose compensation fails, is %s, want compensation_failed",
				probe.Show(firm), probe.Show(entry["status"]))
		}
		if err := wantReason(b, a, entry["error"]); err != nil {
			return err
		}
		if got, ok := a.Object["status"]; ok && got != "partially_rolled_back" {
			return a.Violation("status of a rollback in which a compensation failed is %s, want partially_rolled_back", probe.Show(got))
		}
		return nil
	}
	return b.Said.Violation("steps_compensated does not list the step %s, whose compensation fails, want it there", probe.Show(firm))
}

// wantReason expects an error; the proposal has it as an object and as a string.
func wantReason(b *bench.Bench, a proposal.Answer, reason any) error {
	switch reason := reason.(type) {
	case map[string]any:
		return nil
	case string:
		if reason != "" {
			b.Note("the error of a step is a string; an object with code, message and category says more")
			return nil
		}
	}
	return a.Violation("error of the step whose compensation fails is %s, want an object or a string", shown(reason, reason != nil))
}

func compensationFailureOthers(b *bench.Bench) error {
	calls, steps, a := stuck(b)
	for _, call := range calls {
		if err := b.WantUndone(call, "a rollback in which the compensation of another step fails"); err != nil {
			return err
		}
	}
	for _, entry := range entries(a) {
		if id := entry["step_id"]; (id == steps[0].stepID() || id == steps[2].stepID()) && entry["status"] != "compensated" {
			return b.Said.Violation("status of the step %s is %s, want compensated", probe.Show(id), probe.Show(entry["status"]))
		}
	}
	return nil
}
