package fault

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func idempotency() []Fault {
	return slices.Concat(idempotencyEffects(), idempotencyMarks(), idempotencyKeys(), idempotencyStores(), idempotencyConflicts())
}

// idempotencyEffects breaks what becomes of a call with a key and of its repeats.
func idempotencyEffects() []Fault {
	return []Fault{
		{
			Name: "idempotency-key-refused", Title: "a call with a key is refused as if the key were an unknown parameter",
			Breaks: "ext-idempotency-first-runs", Kills: []string{"ext-idempotency/first-runs"},
			Idempotency: Idempotency{KeyRefused: true},
		},
		{
			Name: "idempotency-no-effect", Title: "the first call with a key succeeds and does nothing",
			Breaks: "ext-idempotency-first-runs", Kills: []string{"ext-idempotency/first-runs"},
			Idempotency: Idempotency{NoEffect: true},
		},
		{
			Name: "idempotency-second-effect", Title: "a repeat with the same key has its effect again",
			Breaks: "ext-idempotency-no-second-effect", Kills: []string{"ext-idempotency/no-second-effect"},
			Idempotency: Idempotency{SecondEffect: true},
		},
		{
			Name: "idempotency-third-effect", Title: "the second repeat with the same key has its effect again",
			Breaks: "ext-idempotency-no-second-effect", Kills: []string{"ext-idempotency/no-second-effect"},
			Idempotency: Idempotency{ThirdEffect: true},
		},
		{
			Name: "idempotency-key-unread", Title: "keys are read in no place",
			Breaks: "ext-idempotency-no-second-effect", Kills: []string{"ext-idempotency/no-second-effect"},
			Idempotency: Idempotency{IgnoreKey: true},
		},
		{
			Name: "idempotency-other-result", Title: "a replay has another result than the first call",
			Breaks: "ext-idempotency-same-result", Kills: []string{"ext-idempotency/same-result"},
			Idempotency: Idempotency{OtherResult: true},
		},
		{
			Name: "idempotency-repeat-refused", Title: "a repeat is refused because the thing exists already",
			Breaks: "ext-idempotency-same-result", Kills: []string{"ext-idempotency/same-result"},
			Idempotency: Idempotency{RepeatRefused: true},
		},
		{
			Name: "idempotency-repeat-empty", Title: "a replay has no content",
			Breaks: "ext-idempotency-same-result", Kills: []string{"ext-idempotency/same-result"},
			In:          []Column{{requirements.R20250326, requirements.Stdio}},
			Idempotency: Idempotency{RepeatEmpty: true},
		},
		{
			Name: "idempotency-repeat-internal", Title: "a repeat is answered with an internal error",
			Breaks: "ext-idempotency-same-result", Kills: []string{"ext-idempotency/same-result"},
			Also:        []string{"ext-idempotency/concurrent"},
			Idempotency: Idempotency{RepeatInternal: true},
		},
	}
}
