// Package faults holds the ways to break the idempotency extension.
package faults

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the extension.
func Faults() []fault.Fault { return slices.Concat(effects(), marks(), keys(), stores(), conflicts()) }

// effects breaks calls with a key and their repeats.
func effects() []fault.Fault {
	stored := []string{"ext-idempotency/same-result", "ext-idempotency/same-result-failed"}
	return []fault.Fault{
		{Breaks: "ext-idempotency-first-runs", Each: []fault.Fault{
			{
				Name: "idempotency-key-refused", Title: "a call with a key is rejected as if the key were an unknown parameter",
				Ext: idempotency.Switches{KeyRefused: true},
			},
			{Name: "idempotency-no-effect", Title: "the first call with a key succeeds and does nothing", Ext: idempotency.Switches{NoEffect: true}},
		}},
		{Breaks: "ext-idempotency-no-second-effect", Each: []fault.Fault{{
			Name: "idempotency-second-effect", Title: "a repeat with the same key has its effect again",
			Kills: []string{"ext-idempotency/no-second-effect"}, Ext: idempotency.Switches{SecondEffect: true},
		}, {
			Name: "idempotency-third-effect", Title: "the second repeat with the same key has its effect again",
			Kills: []string{"ext-idempotency/no-second-effect"}, Ext: idempotency.Switches{ThirdEffect: true},
		}, {
			Name:  "idempotency-late-effect",
			Title: "a repeat with the same key has its effect again, some time after its answer",
			Kills: []string{"ext-idempotency/no-late-effect"}, May: []string{"ext-idempotency/ttl-honoured"},
			Ext: idempotency.Switches{LateEffect: true},
		}, {
			Name: "idempotency-error-forgotten", Title: "a call that acts and fails is run again with its key",
			Kills: []string{"ext-idempotency/same-result-failed"}, Ext: idempotency.Switches{ErrorForgotten: true},
		}, {
			Name: "idempotency-last-key", Title: "only the last key is kept",
			Kills: []string{"ext-idempotency/no-second-effect-later"}, Ext: idempotency.Switches{LastKey: true},
		}, {
			Name: "idempotency-key-unread", Title: "keys are ignored", Kills: []string{"ext-idempotency/no-second-effect"},
			Ext: idempotency.Switches{IgnoreKey: true},
		}}},
		{Breaks: "ext-idempotency-same-result", Kills: stored, Each: []fault.Fault{{
			Name: "idempotency-other-result", Title: "a replay has another result than the first call",
			May: []string{"ext-idempotency/concurrent"}, Ext: idempotency.Switches{OtherResult: true},
		}, {
			Name: "idempotency-repeat-refused", Title: "a repeat is rejected because the booking exists already",
			May: []string{"ext-idempotency/concurrent"}, Ext: idempotency.Switches{RepeatRefused: true},
		}, {
			Name: "idempotency-repeat-empty", Title: "a replay has no content", In: fault.OverStdio(requirements.R20250326),
			May: []string{"ext-idempotency/concurrent"}, Ext: idempotency.Switches{RepeatEmpty: true},
		}, {
			Name: "idempotency-arguments-as-text", Title: "a repeat with its arguments in another order is rejected as a conflict",
			Kills: []string{"ext-idempotency/repeat-reordered"}, Ext: idempotency.Switches{ArgumentsAsText: true},
		}, {
			Name: "idempotency-meta-compared", Title: "a repeat with a progress token is rejected as a conflict",
			Kills: []string{"ext-idempotency/repeat-progress-token"}, Ext: idempotency.Switches{MetaCompared: true},
		}, {
			Name: "idempotency-repeat-textless", Title: "a replay has structuredContent and no text",
			Kills: []string{"ext-idempotency/same-result"}, Ext: idempotency.Switches{RepeatTextless: true},
		}, {
			Name: "idempotency-error-flag-lost", Title: "the replay of a failure is not marked with isError",
			Kills: []string{"ext-idempotency/same-result-failed"}, Ext: idempotency.Switches{ErrorFlagLost: true},
		}, {
			Name: "idempotency-error-record-only", Title: "the replay of a failure has its record, and is not marked with isError",
			Kills: []string{"ext-idempotency/same-result-failed"}, May: []string{"tools/failure-flagged"},
			Reply: fault.OnResult("tools/call", func(result fault.Message) {
				if result.Object("_meta")["was_replay"] == true {
					delete(result, "isError")
				}
			}),
		}, {
			Name: "idempotency-repeat-text-only", Title: "a replay has text and no structuredContent",
			Kills: []string{"ext-idempotency/same-result"}, Since: requirements.R20250618, Ext: idempotency.Switches{RepeatTextOnly: true},
		}, {
			Name: "idempotency-repeat-retold", Title: "a replay has the stored structuredContent, and a newly written text",
			Kills: []string{"ext-idempotency/same-result"}, Since: requirements.R20250618,
			Reply: fault.OnResult("tools/call", func(result fault.Message) {
				if result.Object("_meta")["was_replay"] == true && result["structuredContent"] != nil {
					result["content"] = []any{map[string]any{"type": "text", "text": "This was done already."}}
				}
			}),
		}, {
			Name: "idempotency-repeat-internal", Title: "a repeat is answered with an internal error",
			May: []string{"ext-idempotency/concurrent"}, Ext: idempotency.Switches{RepeatInternal: true},
		}}},
	}
}
