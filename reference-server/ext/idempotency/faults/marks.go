package faults

import (
	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// marks breaks what an answer says about its key.
func marks() []fault.Fault {
	return []fault.Fault{
		{
			Name: "idempotency-no-replay-flag", Title: "was_replay is false on a replay",
			Breaks: "ext-idempotency-replay-flag", Kills: []string{"ext-idempotency/replay-flag"},
			Ext: idempotency.Switches{NoReplayFlag: true},
		},
		{
			Name: "idempotency-replay-flag-missing", Title: "no result has was_replay",
			Breaks: "ext-idempotency-replay-flag", Kills: []string{"ext-idempotency/replay-flag"},
			Ext: idempotency.Switches{ReplayFlagMissing: true},
		},
		{
			Name: "idempotency-replay-flag-text", Title: `was_replay is the string "true"`,
			Breaks: "ext-idempotency-replay-flag", Kills: []string{"ext-idempotency/replay-flag"},
			Ext: idempotency.Switches{ReplayFlagText: true},
		},
		{
			Name: "idempotency-replay-flag-on-first", Title: "was_replay is true on the first call",
			Breaks: "ext-idempotency-replay-flag", Kills: []string{"ext-idempotency/replay-flag-first"},
			Also: []string{"ext-idempotency/keys-independent-keys", "ext-idempotency/keys-independent-last-character",
				"ext-idempotency/keys-independent-letter-case", "ext-idempotency/ttl-honoured", "ext-idempotency/per-principal"},
			Ext: idempotency.Switches{ReplayFlagOnFirst: true},
		},
		{
			Name: "idempotency-no-key-echo", Title: "the result does not repeat the key",
			Breaks: "ext-idempotency-key-echo",
			Ext:    idempotency.Switches{NoKeyEcho: true},
		},
		{
			Name: "idempotency-foreign-key-echo", Title: "the result repeats the key of another client",
			Breaks: "ext-idempotency-key-echo",
			Ext:    idempotency.Switches{ForeignKeyEcho: true},
		},
		{
			Name: "idempotency-lower-key-echo", Title: "the result repeats the key in lower case",
			Breaks: "ext-idempotency-key-echo",
			Ext:    idempotency.Switches{LowerKeyEcho: true},
		},
		{
			Name: "idempotency-no-timestamp", Title: "a replay has no original_timestamp",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp"},
			Ext: idempotency.Switches{NoTimestamp: true},
		},
		{
			Name: "idempotency-timestamp-words", Title: "original_timestamp is not in RFC 3339 format",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp"},
			Ext: idempotency.Switches{BadTimestamp: true},
		},
		{
			Name: "idempotency-timestamp-seconds", Title: "original_timestamp is a number of seconds",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp"},
			Ext: idempotency.Switches{UnixTimestamp: true},
		},
		{
			Name: "idempotency-timestamp-of-replay", Title: "original_timestamp is the time of the replay",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp-stable"},
			Also: []string{"ext-idempotency/original-timestamp-moment"},
			Ext:  idempotency.Switches{FreshTimestamp: true},
		},
		{
			Name: "idempotency-timestamp-of-first-replay", Title: "original_timestamp is the time of the first replay",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp-moment"},
			Ext: idempotency.Switches{LateTimestamp: true},
		},
		{
			Name: "idempotency-timestamp-of-last-key", Title: "original_timestamp is the time of the last call with a new key",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp-moment"},
			Ext: idempotency.Switches{SharedTimestamp: true},
		},
		{
			Name: "idempotency-timestamp-future", Title: "original_timestamp is an hour in the future",
			Breaks: "ext-idempotency-original-timestamp", Kills: []string{"ext-idempotency/original-timestamp-moment"},
			Ext: idempotency.Switches{FutureTimestamp: true},
		},
	}
}
