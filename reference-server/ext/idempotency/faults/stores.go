package faults

import (
	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// stores breaks how long keys are kept, and for which callers.
func stores() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-idempotency-ttl-honoured", Each: []fault.Fault{
			{Name: "idempotency-never-forgotten", Title: "keys never expire", Ext: idempotency.Switches{NoTTL: true}},
			{
				Name: "idempotency-ttl-ignored", Title: "a key is kept for a day, whatever TTL the call asks for",
				Ext: idempotency.Switches{IgnoreTTL: true},
			},
			{
				Name: "idempotency-ttl-halved", Title: "a key with a TTL expires when half of it is over",
				Ext: idempotency.Switches{TTLHalved: true},
			},
			{Name: "idempotency-ttl-forgets", Title: "a key with a TTL expires at once", Ext: idempotency.Switches{TTLForgets: true}},
		}},
		{
			Name: "idempotency-no-default-ttl", Title: "a key without a TTL expires at once",
			Breaks: "ext-idempotency-ttl-default", Kills: []string{"ext-idempotency/no-second-effect"},
			May: []string{"ext-idempotency/ttl-default"}, Ext: idempotency.Switches{ShortDefault: true},
		}, {
			Name: "idempotency-brief-default-ttl", Title: "a key without a TTL expires within a second",
			Breaks: "ext-idempotency-ttl-default", Ext: idempotency.Switches{BriefDefault: true},
		},
		{Breaks: "ext-idempotency-ttl-malformed", Each: []fault.Fault{
			{Name: "idempotency-ttl-internal-error", Title: "a malformed TTL gets an internal error", Ext: idempotency.Switches{InternalTTL: true}},
			{
				Name: "idempotency-malformed-ttl-runs", Title: "a call with a malformed TTL runs, and is rejected afterwards",
				Ext: idempotency.Switches{MalformedTTLRuns: true},
			},
			{
				Name: "idempotency-ttl-empty", Title: "a key with a TTL of zero or less is taken, and expires at once",
				Kills: []string{"ext-idempotency/ttl-malformed-zero", "ext-idempotency/ttl-malformed-negative"},
				Ext:   idempotency.Switches{EmptyTTL: true},
			},
		}},
		{Breaks: "ext-idempotency-after-failure", Each: []fault.Fault{
			{Name: "idempotency-keep-refused", Title: "a rejected call counts as done", Ext: idempotency.Switches{KeepRefused: true}},
			{
				Name:  "idempotency-refused-blocks",
				Title: "a key whose call was rejected is rejected with a good call, as a conflict",
				Ext:   idempotency.Switches{BlockRefused: true},
			},
			{
				Name:  "idempotency-refused-stored",
				Title: "the error of a call that was rejected before it ran is stored under its key",
				Since: requirements.R20251125, // it is a JSON-RPC error before
				Kills: []string{"ext-idempotency/after-failure"}, Ext: idempotency.Switches{StoreRefused: true},
			},
		}},
		{
			Name: "idempotency-per-connection", Title: "the store of keys ends with the connection",
			Breaks: "ext-idempotency-survives-reconnect", In: fault.OverHTTP(requirements.R20251125),
			Ext: idempotency.Switches{PerConnection: true},
		}, {
			Name: "idempotency-shared-principals", Title: "all callers share one store of keys",
			Breaks: "ext-idempotency-per-principal", In: fault.OverHTTP(requirements.R20260728),
			Ext: idempotency.Switches{SharedPrincipals: true},
		}, {
			Name: "idempotency-falls-over", Title: "after two thousand keys each call with a key gets an internal error",
			Breaks: "ext-idempotency-store-bounded", Ext: idempotency.Switches{FallsOver: true},
		},
	}
}
