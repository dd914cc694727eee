package fault

import "github.com/mcp-conform/mcp-conform/suites/requirements"

// idempotencyKeys breaks which keys are taken, and which are the same.
func idempotencyKeys() []Fault {
	return []Fault{
		{
			Name: "idempotency-long-keys-only", Title: "a key of one character is refused",
			Breaks: "ext-idempotency-key-charset", Kills: []string{"ext-idempotency/key-charset-one-character"},
			Idempotency: Idempotency{LongKeys: true},
		},
		{
			Name: "idempotency-short-keys-only", Title: "a key of 128 characters is refused",
			Breaks: "ext-idempotency-key-charset", Kills: []string{"ext-idempotency/key-charset-longest"},
			Idempotency: Idempotency{ShortKeys: true},
		},
		{
			Name: "idempotency-narrow-keys", Title: "keys with punctuation are refused",
			Breaks: "ext-idempotency-key-charset", Kills: []string{"ext-idempotency/key-charset-punctuation"},
			Idempotency: Idempotency{NarrowKeys: true},
		},
		{
			Name: "idempotency-any-key", Title: "malformed keys are taken",
			Breaks: "ext-idempotency-key-malformed", Kills: []string{"ext-idempotency/key-malformed-empty", "ext-idempotency/key-malformed-too-long", "ext-idempotency/key-malformed-space", "ext-idempotency/key-malformed-letter", "ext-idempotency/key-malformed-number"},
			// Over HTTP several columns share one store, where the empty key is taken.
			In:          []Column{{requirements.R20260728, requirements.Stdio}},
			Idempotency: Idempotency{AnyKey: true},
		},
		{
			Name: "idempotency-empty-key", Title: "the empty key is taken, and is the same for all",
			Breaks: "ext-idempotency-key-malformed", Kills: []string{"ext-idempotency/key-malformed-empty"},
			// Over HTTP several columns share one store, where the empty key is taken.
			In:          []Column{{requirements.R20260728, requirements.Stdio}},
			Idempotency: Idempotency{EmptyKey: true},
		},
		{
			Name: "idempotency-long-key-cut", Title: "of a key that is too long the beginning is taken",
			Breaks: "ext-idempotency-key-malformed", Kills: []string{"ext-idempotency/key-malformed-too-long"},
			Idempotency: Idempotency{LongKeyCut: true},
		},
		{
			Name: "idempotency-malformed-key-runs", Title: "a call with a malformed key is refused after it was run",
			Breaks: "ext-idempotency-key-malformed", Kills: []string{"ext-idempotency/key-malformed-empty", "ext-idempotency/key-malformed-too-long", "ext-idempotency/key-malformed-space", "ext-idempotency/key-malformed-letter", "ext-idempotency/key-malformed-number"},
			Also:        []string{"ext-idempotency/placement-mismatch"},
			Idempotency: Idempotency{MalformedRuns: true},
		},
		{
			Name: "idempotency-by-arguments", Title: "equal calls are the same operation, whatever their keys",
			Breaks: "ext-idempotency-keys-independent", Kills: []string{"ext-idempotency/keys-independent-keys", "ext-idempotency/keys-independent-last-character", "ext-idempotency/keys-independent-letter-case"},
			Also:        []string{"ext-idempotency/conflict-other-arguments", "ext-idempotency/conflict-other-tool"},
			Idempotency: Idempotency{ByArguments: true},
		},
		{
			Name: "idempotency-key-tail-ignored", Title: "only the first 100 characters of a key count",
			Breaks: "ext-idempotency-keys-independent", Kills: []string{"ext-idempotency/keys-independent-last-character"},
			Idempotency: Idempotency{CutKeys: true},
		},
		{
			Name: "idempotency-key-case-folded", Title: "keys that differ in letter case are the same",
			Breaks: "ext-idempotency-keys-independent", Kills: []string{"ext-idempotency/keys-independent-letter-case"},
			Idempotency: Idempotency{FoldCase: true},
		},
		{
			Name: "idempotency-key-demanded", Title: "a booking without a key is refused",
			Breaks: "ext-idempotency-optional", Kills: []string{"ext-idempotency/optional"},
			Idempotency: Idempotency{KeyDemanded: true},
		},
		{
			Name: "idempotency-keyless-once", Title: "equal bookings without a key are made once",
			Breaks: "ext-idempotency-optional", Kills: []string{"ext-idempotency/optional"},
			Idempotency: Idempotency{KeylessOnce: true},
		},
	}
}
