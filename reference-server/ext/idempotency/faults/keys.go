package faults

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// keys breaks which keys are valid, and which are equal.
func keys() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-idempotency-key-charset", Each: []fault.Fault{{
			Name: "idempotency-long-keys-only", Title: "a key of one character is rejected",
			Kills: []string{"ext-idempotency/key-charset-one-character"}, Ext: idempotency.Switches{LongKeys: true},
		}, {
			Name: "idempotency-short-keys-only", Title: "a key of 128 characters is rejected",
			Kills: []string{"ext-idempotency/key-charset-longest"}, Ext: idempotency.Switches{ShortKeys: true},
		}, {
			Name:  "idempotency-long-key-lost",
			Title: "the repeat of a call with a key of 128 characters gets an internal error",
			Kills: []string{"ext-idempotency/key-charset-longest"},
			May:   []string{"ext-idempotency/keys-independent-last-character"}, In: fault.OverStdio(requirements.R20260728),
			Reply: func(x fault.Exchange, m fault.Message) {
				key := keyIn(x.Params)
				seen := slices.ContainsFunc(x.Past, func(a fault.Asked) bool { return keyIn(a.Params) == key })
				if len(key) == 128 && seen {
					m.Become(x.Refusal(-32603, "the entry of the key is damaged"))
				}
			},
		}, {
			Name: "idempotency-narrow-keys", Title: "keys with punctuation are rejected",
			Kills: []string{"ext-idempotency/key-charset-punctuation"}, Ext: idempotency.Switches{NarrowKeys: true},
		}, {
			Name: "idempotency-colon-refused", Title: "keys with a colon are rejected",
			Kills: []string{"ext-idempotency/key-charset-punctuation"}, Ext: idempotency.Switches{ColonRefused: true},
		}}},
		{Breaks: "ext-idempotency-key-malformed", Each: []fault.Fault{{
			Name: "idempotency-any-key", Title: "malformed keys are accepted",
			// Over HTTP several columns share one store, in which the empty key is used.
			In: fault.OverStdio(requirements.R20260728), Ext: idempotency.Switches{AnyKey: true},
		}, {
			Name: "idempotency-empty-key", Title: "the empty key is accepted, and is the same for all clients",
			Kills: []string{"ext-idempotency/key-malformed-empty"},
			// The second column finds the empty key in use.
			In: fault.OverHTTP(requirements.R20250618, requirements.R20260728), Ext: idempotency.Switches{EmptyKey: true},
		}, {
			Name: "idempotency-long-key-cut", Title: "a key that is too long is cut and accepted",
			Kills: []string{"ext-idempotency/key-malformed-too-long"}, Ext: idempotency.Switches{LongKeyCut: true},
		}, {
			Name: "idempotency-malformed-key-runs", Title: "a call with a malformed key runs, and is rejected afterwards",
			May: []string{"ext-idempotency/placement-mismatch"}, Ext: idempotency.Switches{MalformedRuns: true},
		}, {
			Name: "idempotency-malformed-key-runs-late", Title: "a call with a malformed key is rejected, and runs some time later",
			May: []string{"ext-idempotency/placement-mismatch"}, Ext: idempotency.Switches{MalformedLate: true},
		}}},
		{Breaks: "ext-idempotency-keys-independent", Each: []fault.Fault{{
			Name: "idempotency-by-arguments", Title: "equal calls count as one operation, whatever their keys",
			May: []string{
				"ext-idempotency/conflict-other-arguments", "ext-idempotency/conflict-other-tool",
				"ext-idempotency/no-second-effect-later", "ext-idempotency/original-timestamp-moment",
			},
			Ext: idempotency.Switches{ByArguments: true},
		}, {
			Name: "idempotency-key-tail-ignored", Title: "only the first 100 characters of a key count",
			Kills: []string{"ext-idempotency/keys-independent-last-character"}, Ext: idempotency.Switches{CutKeys: true},
		}, {
			Name: "idempotency-key-case-folded", Title: "keys that differ in letter case are the same",
			Kills: []string{"ext-idempotency/keys-independent-letter-case"}, Ext: idempotency.Switches{FoldCase: true},
		}}},
		{
			Name: "idempotency-key-demanded", Title: "a booking without a key is rejected", Breaks: "ext-idempotency-optional",
			May: []string{
				"ext-transactions/compensation", "ext-transactions/step-ok", "ext-transactions/timeout-idle",
				"ext-transactions/timeout-default",
			},
			Ext: idempotency.Switches{KeyDemanded: true},
		}, {
			Name: "idempotency-keyless-once", Title: "of equal bookings without a key only the first is made",
			Breaks: "ext-idempotency-optional", Ext: idempotency.Switches{KeylessOnce: true},
		},
	}
}

// keyIn is the key in the metadata of a call; empty without a string there.
func keyIn(params json.RawMessage) string {
	var call struct {
		Meta struct {
			Key string `json:"idempotency_key"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(params, &call) // unreadable params have no key
	return call.Meta.Key
}
