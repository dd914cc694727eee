package push

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

const invalidParams = -32602

const longestID = 256

// params are the content of events/subscribe.
type params struct {
	Events  []string       `json:"events"`
	ID      string         `json:"subscription_id"`
	Filter  map[string]any `json:"filter"`
	Seconds int            `json:"ttl_seconds"`
}

// read reads a subscription. A subscription counts only if all of it is valid.
func read(t *core.Turn) (params, *core.Error) {
	var given map[string]json.RawMessage
	var asked params
	if json.Unmarshal(t.Params(), &given) != nil || json.Unmarshal(t.Params(), &asked) != nil {
		return asked, malformed(t, "events is not an array of strings, or another property has another type")
	}
	_, named := given["subscription_id"]
	_, timed := given["ttl_seconds"]
	switch {
	case given["events"] == nil || asked.Events == nil:
		return asked, malformed(t, "events is missing")
	case named && (asked.ID == "" || len(asked.ID) > longestID):
		return asked, malformed(t, "subscription_id is empty or too long")
	case timed && asked.Seconds < 1:
		return asked, malformed(t, "ttl_seconds is less than 1")
	}
	return asked, nil
}

func readID(t *core.Turn) (string, *core.Error) {
	var asked params
	if json.Unmarshal(t.Params(), &asked) != nil || asked.ID == "" {
		return "", malformed(t, "subscription_id is missing")
	}
	return asked.ID, nil
}

func malformed(t *core.Turn, why string) *core.Error {
	return t.RefuseError(invalidParams, why, core.Refusal{
		Code: "INVALID_INPUT", Category: core.InvalidInput,
		Suggestion: "Send events as an array of names, and the id of a subscription as a string.",
	})
}
