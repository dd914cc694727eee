package transactions

import (
	"encoding/json"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

const (
	longestID   = 256
	longestIdle = 24 * time.Hour
	defaultIdle = 300 * time.Second
)

// beginParams are the content of a transaction/begin.
type beginParams struct {
	id   string
	idle time.Duration // how long the transaction may be idle
}

func readBegin(params json.RawMessage, f Switches) (beginParams, *core.Error) {
	all := members(params)
	asked := beginParams{idle: f.defaultIdleTime()}
	var failure *core.Error
	if asked.id, failure = requiredText(all, "transaction_id", longestID); failure != nil {
		switch {
		case f.MadeUpID:
			asked.id, failure = "tx-made-up", nil
		case f.MissingIDInternal:
			failure = &core.Error{Code: core.InternalError, Message: "the id could not be used"}
		}
		if failure != nil {
			return asked, failure
		}
	}
	if raw, given := all["description"]; given {
		switch _, ok := text(raw); {
		case !ok:
			return asked, invalid("description is not a string")
		case f.DescriptionInternal:
			return asked, &core.Error{Code: core.InternalError, Message: "description could not be used"}
		}
	}
	raw, given := all["timeout_seconds"]
	switch {
	case !given && f.TimeoutDemanded:
		return asked, invalid("timeout_seconds is missing")
	case !given:
		return asked, nil
	}
	var seconds *int64
	if json.Unmarshal(raw, &seconds) != nil || seconds == nil || *seconds < 1 {
		return asked, invalid("timeout_seconds is not a positive integer")
	}
	if f.TimeoutIgnored {
		return asked, nil
	}
	asked.idle = longestIdle
	if *seconds < int64(longestIdle/time.Second) {
		asked.idle = time.Duration(*seconds) * time.Second
	}
	return asked, nil
}

// stepParams are the content of a transaction/step.
type stepParams struct {
	transaction, id, tool string
	parameters            json.RawMessage
}

func readStep(params json.RawMessage) (asked stepParams, failure *core.Error) {
	all := members(params)
	for _, wanted := range []struct {
		name string
		into *string
	}{{"transaction_id", &asked.transaction}, {"step_id", &asked.id}, {"tool", &asked.tool}} {
		if *wanted.into, failure = requiredText(all, wanted.name, longestID); failure != nil {
			return asked, failure
		}
	}
	asked.parameters = all["parameters"]
	if len(asked.parameters) == 0 || asked.parameters[0] != '{' {
		return asked, invalid("parameters is missing or not an object")
	}
	return asked, nil
}

// requiredText reads a mandatory string.
func requiredText(all map[string]json.RawMessage, name string, longest int) (string, *core.Error) {
	s, ok := text(all[name])
	if !ok || s == "" || len(s) > longest {
		return "", invalid(name + " is missing, too long or not a string")
	}
	return s, nil
}

func text(raw json.RawMessage) (string, bool) {
	var s *string
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}
