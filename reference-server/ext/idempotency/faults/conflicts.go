package faults

import (
	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// conflicts breaks keys that are used twice, in parallel, or in header and _meta.
func conflicts() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-idempotency-conflict", Each: []fault.Fault{{
			Name: "idempotency-conflict-runs", Title: "a call with a used key and other arguments runs",
			// The key of a case with one character may have been used before.
			May: []string{"ext-idempotency/key-charset-one-character", "ext-idempotency/conflict-other-tool"},
			Ext: idempotency.Switches{ConflictRuns: true},
		}, {
			Name: "idempotency-conflict-replays", Title: "another call with a used key gets the first result",
			// The tool of the replayed result has no structured results.
			May: []string{"ext-idempotency/conflict-other-tool", "ext-manifest/output-typed"},
			Ext: idempotency.Switches{ConflictReplays: true},
		}, {
			Name: "idempotency-conflict-forgets", Title: "a call with a used key and other arguments is rejected, and the key is free again",
			Kills: []string{"ext-idempotency/conflict-other-arguments"}, Ext: idempotency.Switches{ConflictForgets: true},
		}, {
			Name: "idempotency-key-per-tool", Title: "a call of another tool with a used key runs",
			Breaks: "ext-idempotency-conflict-other-tool", Ext: idempotency.Switches{KeyPerTool: true},
		}}},
		{Breaks: "ext-idempotency-concurrent", Each: []fault.Fault{
			{Name: "idempotency-parallel-runs", Title: "parallel calls with one key all run", Ext: idempotency.Switches{NotConcurrent: true}},
			{
				Name: "idempotency-parallel-hangs", Title: "only the first of several parallel calls with one key is answered",
				Hangs: true, Ext: idempotency.Switches{ConcurrentHangs: true},
			}, {
				Name:  "idempotency-parallel-internal",
				Title: "all but the first of several parallel calls with one key get an internal error",
				Ext:   idempotency.Switches{ConcurrentInternal: true},
			}, {
				Name:  "idempotency-parallel-empty",
				Title: "all but the first of several parallel calls with one key get a replay that holds nothing",
				Ext:   idempotency.Switches{ConcurrentEmpty: true},
			},
		}},
		{Breaks: "ext-idempotency-header", In: fault.OverHTTP(requirements.R20260728), Each: []fault.Fault{{
			Name: "idempotency-header-unread", Title: "the header with the key is ignored",
			Kills: []string{"ext-idempotency/header"}, Ext: idempotency.Switches{NoHeader: true},
		}, {
			Name: "idempotency-header-store", Title: "keys in headers have a store of their own",
			Kills: []string{"ext-idempotency/header-shares-store"}, Ext: idempotency.Switches{HeaderStore: true},
		}}},
		{
			Name: "idempotency-mismatch-passes", Title: "a call whose header and _meta have different keys runs",
			Breaks: "ext-idempotency-placement-mismatch", In: fault.OverHTTP(requirements.R20260728),
			Ext: idempotency.Switches{MismatchPasses: true},
		},
	}
}
