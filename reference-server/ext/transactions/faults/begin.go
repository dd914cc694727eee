// Package faults holds the ways to break the transactions extension.
package faults

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/transactions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Faults lists the faults of the extension.
func Faults() []fault.Fault {
	return slices.Concat(beginnings(), steps(), strangers(), commits(), rollbacks(), lists(), failures(), timeouts())
}

// on returns the ids of cases of the suite.
func on(slugs ...string) []string {
	ids := make([]string, len(slugs))
	for i, slug := range slugs {
		ids[i] = "ext-transactions/" + slug
	}
	return ids
}

// beginnings breaks the begin of a transaction.
func beginnings() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-transaction-begin", Each: []fault.Fault{{
			Name: "transactions-begin-other-id", Title: "transaction/begin answers with another id", Kills: on("begin"),
			May: on("begin-id-alone", "begin-answer"), Reply: fault.Set("transaction/begin", "/result/transaction_id", "tx-1"),
		}, {
			Name: "transactions-begin-description", Title: "a transaction/begin with a description gets an internal error",
			Kills: on("begin"), Ext: transactions.Switches{DescriptionInternal: true},
		}, {
			Name: "transactions-begin-timeout-demanded", Title: "a transaction/begin without timeout_seconds is rejected",
			Kills: on("begin-id-alone"), May: on("begin-answer"), Ext: transactions.Switches{TimeoutDemanded: true},
		}, {
			Name: "transactions-begin-status", Title: "transaction/begin answers with the status error", Kills: on("begin"),
			May: on("begin-id-alone", "begin-answer"), Reply: fault.Set("transaction/begin", "/result/status", "error"),
		}, {
			Name: "transactions-begin-silent", Title: "transaction/begin answers with an empty result",
			Kills: on("begin-answer"), Reply: fault.Drop("transaction/begin", "/result/transaction_id", "/result/status"),
		}, {
			Name: "transactions-commit-hidden", Title: "a commit is made with a tool that tools/list does not have",
			Kills: on("form"), Ext: transactions.Switches{CommitHidden: true},
		}}},
		{
			Name: "transactions-begin-made-up-id", Title: "transaction/begin makes up an id when it gets none",
			Breaks: "ext-transaction-begin-requires-id", Ext: transactions.Switches{MadeUpID: true},
		}, {
			Name: "transactions-begin-id-internal", Title: "a transaction/begin without an id gets an internal error",
			Breaks: "ext-transaction-begin-requires-id", Ext: transactions.Switches{MissingIDInternal: true},
		},
		{Breaks: "ext-transaction-begin-duplicate", Each: []fault.Fault{{
			Name: "transactions-begin-again", Title: "a second transaction/begin with an id is answered like the first",
			Kills: on("begin-duplicate"), Ext: transactions.Switches{BeginAgain: true},
		}, {
			Name: "transactions-begin-ends", Title: "a second transaction/begin with an id is rejected and ends the first",
			Kills: on("begin-duplicate"), May: on("begin-duplicate-keeps-steps"), Ext: transactions.Switches{BeginEnds: true},
		}, {
			Name: "transactions-begin-resets", Title: "a second transaction/begin with an id resets the transaction",
			Kills: on("begin-duplicate-keeps-steps"), Ext: transactions.Switches{BeginResets: true},
		}}},
		{
			Name: "transactions-alone", Title: "transactions are declared, idempotency is not, and keys are ignored",
			Breaks: "ext-transaction-needs-idempotency", May: []string{"ext-idempotency/no-second-effect"},
			Ext: idempotency.Switches{NoClaim: true, IgnoreKey: true},
		},
	}
}
