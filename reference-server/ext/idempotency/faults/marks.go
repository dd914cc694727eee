package faults

import (
	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// marks breaks the metadata of the answers.
func marks() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-idempotency-replay-flag", Each: []fault.Fault{{
			Name: "idempotency-no-replay-flag", Title: "was_replay is false on a replay",
			Kills: []string{"ext-idempotency/replay-flag", "ext-idempotency/same-result-failed"}, Ext: idempotency.Switches{NoReplayFlag: true},
		}, {
			Name: "idempotency-failure-replay-flag", Title: "was_replay is false on the replay of a failure",
			Kills: []string{"ext-idempotency/same-result-failed"}, Ext: idempotency.Switches{NoFailedFlag: true},
		}, {
			Name: "idempotency-replay-flag-missing", Title: "no result has was_replay",
			Kills: []string{"ext-idempotency/replay-flag"}, Ext: idempotency.Switches{ReplayFlagMissing: true},
		}, {
			Name: "idempotency-replay-flag-text", Title: `was_replay is the string "true"`,
			Kills: []string{"ext-idempotency/replay-flag"}, Ext: idempotency.Switches{ReplayFlagText: true},
		}, {
			Name: "idempotency-replay-flag-on-first", Title: "was_replay is true on the first call",
			Kills: []string{"ext-idempotency/replay-flag-first"},
			Silent: []string{"ext-idempotency/keys-independent-keys", "ext-idempotency/keys-independent-last-character",
				"ext-idempotency/keys-independent-letter-case", "ext-idempotency/ttl-honoured", "ext-idempotency/per-principal"},
			Ext: idempotency.Switches{ReplayFlagOnFirst: true},
		}}},
		{Breaks: "ext-idempotency-key-echo", Each: []fault.Fault{
			{Name: "idempotency-no-key-echo", Title: "the result does not repeat the key", Ext: idempotency.Switches{NoKeyEcho: true}},
			{
				Name: "idempotency-foreign-key-echo", Title: "the result repeats the key of another client",
				Ext: idempotency.Switches{ForeignKeyEcho: true},
			},
			{Name: "idempotency-lower-key-echo", Title: "the result repeats the key in lower case", Ext: idempotency.Switches{LowerKeyEcho: true}},
		}},
		{Breaks: "ext-idempotency-original-timestamp", Each: []fault.Fault{{
			Name: "idempotency-no-timestamp", Title: "a replay has no original_timestamp",
			Kills: []string{"ext-idempotency/original-timestamp"}, Ext: idempotency.Switches{NoTimestamp: true},
		}, {
			Name: "idempotency-timestamp-words", Title: "original_timestamp is not in RFC 3339 format",
			Kills: []string{"ext-idempotency/original-timestamp"}, Ext: idempotency.Switches{BadTimestamp: true},
		}, {
			Name: "idempotency-timestamp-seconds", Title: "original_timestamp is a number of seconds",
			Kills: []string{"ext-idempotency/original-timestamp"}, Ext: idempotency.Switches{UnixTimestamp: true},
		}, {
			Name: "idempotency-timestamp-of-replay", Title: "original_timestamp is the time of the replay",
			Kills: []string{"ext-idempotency/original-timestamp-stable"},
			May:   []string{"ext-idempotency/original-timestamp-moment"}, Ext: idempotency.Switches{FreshTimestamp: true},
		}, {
			Name: "idempotency-timestamp-of-first-replay", Title: "original_timestamp is the time of the first replay",
			Kills: []string{"ext-idempotency/original-timestamp-moment"}, Ext: idempotency.Switches{LateTimestamp: true},
		}, {
			Name: "idempotency-timestamp-of-last-key", Title: "original_timestamp is the time of the last call with a new key",
			Kills: []string{"ext-idempotency/original-timestamp-moment"}, Ext: idempotency.Switches{SharedTimestamp: true},
		}, {
			Name: "idempotency-timestamp-future", Title: "original_timestamp is an hour in the future",
			Kills: []string{"ext-idempotency/original-timestamp-moment"}, Ext: idempotency.Switches{FutureTimestamp: true},
		}}},
	}
}
