package faults

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/transactions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// strangers breaks steps of a transaction that is not open.
func strangers() []fault.Fault {
	return []fault.Fault{{
		Name: "transactions-unknown-internal", Title: "a step of an unknown transaction runs, and gets an internal error",
		Breaks: "ext-transaction-unknown-id-refused", Ext: transactions.Switches{UnknownRunsInternal: true},
		May: []string{"ext-transactions/rollback-meets-step"}, // where the step comes last
	}, {
		Name: "transactions-unknown-runs", Title: "a step of an unknown transaction runs outside of any",
		Breaks: "ext-transaction-unknown-id-refused", Ext: transactions.Switches{UnknownRunsOutside: true},
		May: []string{"ext-transactions/rollback-meets-step"}, // where the step comes last
	}}
}

// commits breaks the effect and the answer of a commit.
func commits() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-transaction-commit", Each: []fault.Fault{{
			Name: "transactions-commit-undoes", Title: "a commit undoes the steps", Kills: on("commit"),
			May: on("parallel-independent", "commit-counts"), Ext: transactions.Switches{CommitUndoes: true},
		}, {
			Name: "transactions-commit-other-id", Title: "transaction/commit answers with another id", Kills: on("commit"),
			Reply: fault.Set("transaction/commit", "/result/transaction_id", "tx-1"),
		}, {
			Name: "transactions-commit-silent", Title: "transaction/commit answers with an empty result", Kills: on("commit"),
			Reply: fault.OnResult("transaction/commit", func(result fault.Message) {
				for _, name := range []string{"transaction_id", "status", "steps_completed"} {
					delete(result, name)
				}
			}),
		}, {
			Name: "transactions-commit-counts-string", Title: "steps_completed is a string", Kills: on("commit"), Silent: on("commit-counts"),
			Reply: fault.OnResult("transaction/commit", func(result fault.Message) {
				result["steps_completed"] = fmt.Sprint(result["steps_completed"])
			}),
		}, {
			Name: "transactions-commit-counts-failed", Title: "a commit counts steps that failed", Kills: on("commit-counts"),
			Ext: transactions.Switches{CountsFailed: true},
		}, {
			Name: "transactions-failure-ends", Title: "a step that fails ends its transaction", Kills: on("commit-counts"),
			Ext: transactions.Switches{FailureEnds: true},
		}, {
			Name: "transactions-failure-undoes", Title: "a step that fails undoes the others, and they are committed afterwards",
			Kills: on("commit-counts"), May: on("rollback-leaves-out-failed"), Ext: transactions.Switches{FailureUndoes: true},
		}, {
			Name: "transactions-commit-timer", Title: "the timer of a committed transaction undoes its steps", Kills: on("commit-lasts"),
			Ext: transactions.Switches{TimerRunsOn: true},
		}, {
			Name: "transactions-rollback-after-commit", Title: "a committed transaction can be rolled back",
			Kills: on("rollback-after-commit"), Ext: transactions.Switches{RollbackAfterCommit: true},
		}}},
		{Breaks: "ext-transaction-commit-unknown", May: on("timeout"), Each: []fault.Fault{{
			Name: "transactions-commit-anything", Title: "the commit of an unknown transaction succeeds",
			Ext: transactions.Switches{CommitAnything: true},
		}, {
			Name: "transactions-commit-internal", Title: "the commit of an unknown transaction gets an internal error",
			Ext: transactions.Switches{CommitInternal: true},
		}}},
	}
}

// timeouts breaks how long a transaction stays open.
func timeouts() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-transaction-timeout", Each: []fault.Fault{
			{Name: "transactions-never-expire", Title: "a transaction stays open for ever", Ext: transactions.Switches{NeverExpires: true}},
			{
				Name: "transactions-timeout-ignored", Title: "timeout_seconds is ignored, and the default timeout applies",
				Ext: transactions.Switches{TimeoutIgnored: true},
			}, {
				Name: "transactions-timeout-keeps", Title: "an idle transaction ends, and what it did stays",
				Ext: transactions.Switches{HandleDropped: true},
			}, {
				Name: "transactions-timeout-last", Title: "only the last step of an idle transaction is undone",
				Ext: transactions.Switches{LastExpires: true},
			},
		}},
		{
			Name: "transactions-timeout-from-begin", Title: "the timeout counts from transaction/begin",
			Breaks: "ext-transaction-timeout-idle", Ext: transactions.Switches{FromBegin: true},
		},
		{Breaks: "ext-transaction-timeout-default", Each: []fault.Fault{
			{
				Name: "transactions-default-brief", Title: "a transaction without a timeout ends within a second",
				Ext: transactions.Switches{BriefDefault: true},
			},
			{Name: "transactions-default-none", Title: "a transaction without a timeout ends at once", Ext: transactions.Switches{NoDefault: true}},
		}},
	}
}
