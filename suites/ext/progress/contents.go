package progress

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func contents() []suite.Case {
	return []suite.Case{
		reporting("message", "records say in words what is happening", "ext-progress-message",
			"put a short sentence about the present step into message, as a string", message),
		reporting("partial-result", "partial_result is an object", "ext-progress-partial-result",
			"wrap what is there already in an object", each(optional("partial_result", "PartialResult"))),
		reporting("checkpoint-token", "checkpoint_token is a string", "ext-progress-partial-result",
			"write the checkpoint as one string that clients hand back as it is", each(optional("checkpoint_token", "CheckpointToken"))),
	}
}

// optional is a property that a record may leave out.
func optional(property, definition string) func(*run, operations.Record) (bool, error) {
	return func(r *run, n operations.Record) (bool, error) {
		value, ok := n.Fields[property]
		if !ok {
			return false, nil
		}
		return true, r.valid(n, definition, property, value)
	}
}

// The message that core defines says it as well.
func message(r *run) error {
	r.some()
	said := false
	for _, n := range r.records {
		if value, ok := n.Fields["message"]; ok {
			if err := r.valid(n, "Message", "message", value); err != nil {
				return err
			}
		}
		for _, of := range []map[string]any{n.Fields, n.Params} {
			text, _ := of["message"].(string)
			said = said || strings.TrimSpace(text) != ""
		}
	}
	if !said {
		return r.violation(r.records[0], "none of %d records has a message, want words about what is happening", len(r.records))
	}
	return nil
}
