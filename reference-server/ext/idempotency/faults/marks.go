package faults

import (
	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// marks breaks what an answer says about its key.
func marks() []fault.Fault {
	return []fault.Fault{
		{
			Name: "idempotency-no-replay-flag", Title: "a replay says that it is none",
			Breaks: "ext-idempotency-replay-flag", Kills: []string{"ext-idempotency/replay-flag"},
			Ext: idempotency.Switches{NoReplayFlag: true},
		},
		{
			Name: "idempotency-replay-flag-missing", Title: "no answer says whether it is a replay",
			Breaks: "ext-idempotency-replay-flag", Kills: []string{"ext-idempotency/replay-flag"},
			Ext: idempotency.Switches{ReplayFlagMissing: true},
		},
		{
			Name: "idempotency-replay-flag-text", Title: `the mark of a replay is the text "true"`,
			Breaks: "ext-idempotency-replay-flag", Kills: []string{"ext-idempotency/replay-flag"},
			Ext: idempotency.Switches{ReplayFlagText: true},
		},
		{
			Name: "idempotency-replay-flag-on-first", Title: "the first call is marked as a replay",
			Breaks: "ext-idempotency-replay-flag", Kills: []string{"ext-idempotency/replay-flag-first"},
			Also: []string{"ext-idempotency/keys-independent-keys", "ext-idempotency/keys-independent-last-character",
				"ext-idempotency/keys-independent-letter-case", "ext-idempotency/ttl-honoured", "ext-idempotency/per-principal"},
			Ext: idempotency.Switches{ReplayFlagOnFirst: true},
		},
		{
			Name: "idempotency-no-key-echo", Title: "the answer does not repeat the key",
			Breaks: "ext-idempotency-key-echo", Kills: []string{"ext-idempotency/key-echo"},
			Ext: idempotency.Switches{NoKeyEcho: true},
		},
		{
			Name: "idempotency-foreign-key-echo", Title: "the answer repeats the key of somebody else",
			Breaks: "ext-idempotency-key-echo", Kills: []string{"ext-idempotency/key-echo"},
			Ext: idempotency.Switches{ForeignKeyEcho: true},
		},
		{
			Name: "idempotency-lower-key-echo", Title: "the answer repeats the key in small letters",
			Breaks: "ext-idempotency-key-echo", Kills: []string{"ext-idempotency/key-echo"},
			Ext: idempotency.Switches{LowerKeyEcho: true},
		},
		{
			Name: "idempotency-no-timestamp", Title: "a replay does not say when the first call was made",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp"},
			Ext: idempotency.Switches{NoTimestamp: true},
		},
		{
			Name: "idempotency-timestamp-words", Title: "the original timestamp is no RFC 3339 moment",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp"},
			Ext: idempotency.Switches{BadTimestamp: true},
		},
		{
			Name: "idempotency-timestamp-seconds", Title: "the original timestamp is a number of seconds",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp"},
			Ext: idempotency.Switches{UnixTimestamp: true},
		},
		{
			Name: "idempotency-timestamp-of-replay", Title: "the original timestamp is the time of the replay",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp-stable"},
			Ext: idempotency.Switches{FreshTimestamp: true},
		},
		{
			Name: "idempotency-timestamp-future", Title: "the original timestamp lies an hour ahead",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp-moment"},
			Ext: idempotency.Switches{FutureTimestamp: true},
		},
	}
}
