package faults

import (
	"github.com/mcp-conform/mcp-conform/reference-server/ext/transactions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// rollbacks breaks which steps a rollback undoes.
func rollbacks() []fault.Fault {
	undoes := on("rollback-undoes", "rollback-undoes-call")
	return []fault.Fault{
		{Breaks: "ext-transaction-rollback-undoes", Each: []fault.Fault{{
			Name: "transactions-rollback-last", Title: "only the last step is undone", Kills: undoes,
			May: on("compensation-failure", "compensation-failure-others", "timeout"), Ext: transactions.Switches{OnlyLastUndone: true},
		}, {
			Name: "transactions-rollback-nothing", Title: "a rollback says that it undid the steps, and undoes nothing",
			Kills: undoes,
			Silent: on("rollback-spares-others", "begin-duplicate-keeps-steps", "compensation-failure", "compensation-failure-others",
				"parallel-independent", "replay-once", "timeout", "rollback-meets-step"),
			Ext: transactions.Switches{NothingUndone: true},
		}, {
			Name: "transactions-rollback-older", Title: "a rollback undoes what was done before the transaction, too",
			Kills: on("rollback-spares-others"), May: on("replay-once", "rollback-twice"),
			Ext: transactions.Switches{UndoesOlder: true},
		}}},
		{Breaks: "ext-transaction-rollback-order", Each: []fault.Fault{
			{Name: "transactions-rollback-forward", Title: "the first step is undone first", Ext: transactions.Switches{ForwardOrder: true}},
			{
				Name: "transactions-rollback-by-text", Title: "steps are undone in the order of their ids",
				Ext: transactions.Switches{OrderByText: true},
			},
		}},
		{
			Name: "transactions-rollback-again", Title: "a transaction can be rolled back twice",
			Breaks: "ext-transaction-rollback-unknown", Kills: on("rollback-twice"),
			Ext: transactions.Switches{RollbackAgain: true},
		}, {
			Name: "transactions-rollback-anything", Title: "the rollback of an unknown transaction succeeds",
			Breaks: "ext-transaction-rollback-unknown", May: on("rollback-after-commit"),
			Ext: transactions.Switches{RollbackAnything: true},
		}, {
			Name: "transactions-rollback-all", Title: "a rollback undoes the steps of all open transactions",
			Breaks: "ext-transaction-parallel-independent", Ext: transactions.Switches{RollbackAll: true},
		}, {
			Name: "transactions-rollback-ends-others", Title: "a rollback ends the other transactions of its client",
			Breaks: "ext-transaction-parallel-independent", Ext: transactions.Switches{RollbackEnds: true},
		}, {
			Name: "transactions-rollback-races", Title: "a rollback does not wait for a step that is running",
			Breaks: "ext-transaction-rollback-running-step", May: on("step-id-parallel"), Ext: transactions.Switches{StepsOverlap: true},
		}, {
			Name: "transactions-step-id-races", Title: "two parallel steps with one step_id both run",
			Breaks: "ext-transaction-step-id-parallel", May: on("rollback-meets-step"), Ext: transactions.Switches{StepsOverlap: true},
		}, {
			Name: "transactions-shared-principals", Title: "every client can roll back the transactions of the others",
			Breaks: "ext-transaction-id-bound", In: fault.OverHTTP(requirements.R20250618, requirements.R20260728),
			Ext: transactions.Switches{SharedPrincipals: true},
		}, {
			Name: "transactions-rollback-lists-others", Title: "a rollback lists steps of other transactions",
			Breaks: "ext-transaction-parallel-independent",
			May:    on("rollback-shape", "rollback-empty", "rollback-leaves-out-failed"),
			Ext:    transactions.Switches{ListsOthers: true},
		},
	}
}

// lists breaks the answer to a rollback.
func lists() []fault.Fault {
	undone := func(change func(list []any) any) fault.Change {
		return fault.OnResult("transaction/rollback", func(result fault.Message) {
			put(result, "steps_compensated", func(was any) any {
				list, _ := was.([]any)
				return change(list)
			})
		})
	}
	return []fault.Fault{
		{Breaks: "ext-transaction-rollback-shape", Each: []fault.Fault{{
			Name: "transactions-rollback-no-list", Title: "the answer to a rollback has no steps_compensated",
			Kills: on("rollback-shape"), May: on("rollback-empty", "compensation-failure"),
			Reply: undone(func([]any) any { return nil }),
		}, {
			Name: "transactions-rollback-lists-none", Title: "a rollback undoes the steps and lists none of them",
			Kills: on("rollback-shape"), Silent: on("rollback-order", "compensation-failure", "compensation-failure-others"),
			Reply: undone(func([]any) any { return []any{} }),
		}, {
			Name: "transactions-rollback-status-other", Title: "the status of a rollback is done",
			Kills: on("rollback-shape"), Silent: on("compensation-failure"), Reply: fault.Set("transaction/rollback", "/result/status", "done"),
		}, {
			Name: "transactions-rollback-entry-status", Title: "the status of a step that was undone is ok",
			Kills: on("rollback-shape"), Silent: on("compensation-failure-others"),
			Reply: undone(func(list []any) any {
				for _, one := range list {
					if entry, ok := one.(map[string]any); ok && entry["status"] == "compensated" {
						entry["status"] = "ok"
					}
				}
				return list
			}),
		}, {
			Name: "transactions-rollback-lists-failed", Title: "a step that failed is listed as undone",
			Kills: on("rollback-leaves-out-failed"), Ext: transactions.Switches{FailedListed: true},
		}, {
			Name: "transactions-rollback-lists-twice", Title: "a step is listed twice", Kills: on("rollback-shape"),
			May: on("rollback-leaves-out-failed", "replay-once"),
			Reply: undone(func(list []any) any {
				if len(list) > 0 {
					list = append(list, list[0])
				}
				return list
			}),
		}, {
			Name: "transactions-rollback-other-id", Title: "transaction/rollback answers with another id",
			Kills: on("rollback-shape"), Reply: fault.Set("transaction/rollback", "/result/transaction_id", "tx-1"),
		}}},
		{
			Name: "transactions-rollback-empty-null", Title: "the list of an empty rollback is null",
			Breaks: "ext-transaction-rollback-empty",
			Reply: fault.OnResult("transaction/rollback", func(result fault.Message) {
				if list, ok := result["steps_compensated"].([]any); ok && len(list) == 0 {
					result["steps_compensated"] = nil
				}
			}),
		}, {
			Name: "transactions-rollback-empty-rejected", Title: "a transaction without steps cannot be rolled back",
			Breaks: "ext-transaction-rollback-empty", Ext: transactions.Switches{EmptyRefused: true},
		},
	}
}

// failures breaks the rollback of steps that cannot be undone.
func failures() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-transaction-compensation-failure", Each: []fault.Fault{{
			Name: "transactions-failure-hidden", Title: "a step that could not be undone is said to be",
			Kills: on("compensation-failure"), Ext: transactions.Switches{FailureHidden: true},
		}, {
			Name: "transactions-failure-stops", Title: "a rollback stops at a step that cannot be undone",
			Kills: on("compensation-failure-others"), Ext: transactions.Switches{StopsAtFailure: true},
		}, {
			Name: "transactions-failure-internal", Title: "a rollback with a step that cannot be undone gets an internal error",
			Kills: on("compensation-failure"), Ext: transactions.Switches{FailureInternal: true},
		}, {
			Name: "transactions-failure-bare", Title: "a step that could not be undone has no error",
			Kills: on("compensation-failure"),
			Reply: fault.OnResult("transaction/rollback", func(result fault.Message) {
				list, _ := result["steps_compensated"].([]any)
				for _, one := range list {
					if entry, ok := one.(map[string]any); ok {
						delete(entry, "error")
					}
				}
			}),
		}}},
	}
}
