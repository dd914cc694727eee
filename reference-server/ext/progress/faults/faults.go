// Package faults holds the ways to break the progress extension. All of them change
// sent messages, so that the extension itself needs no switches.
package faults

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Faults lists the faults of the extension.
func Faults() []fault.Fault { return slices.Concat(records(), measures(), contents(), askings()) }

const told = "notifications/progress"

// onProgress changes the params of each progress notification of a tool call.
func onProgress(change func(x fault.Exchange, params fault.Message)) fault.Change {
	return fault.Told(told, change)
}

// onRecord changes the record alone.
func onRecord(change func(record map[string]any)) fault.Change {
	return onProgress(func(_ fault.Exchange, params fault.Message) {
		record := maps.Clone(map[string]any(params.Object("_meta")))
		change(record)
		params["_meta"] = record
	})
}

// set gives a property of each record with that property another value.
func set(property string, value any) fault.Change {
	return onRecord(func(record map[string]any) {
		if _, ok := record[property]; ok {
			record[property] = value
		}
	})
}

func fraction(record map[string]any) float64 {
	f, _ := record["progress"].(float64)
	return f
}

// setProgress sets the progress, in the member of core and as a fraction.
func setProgress(params fault.Message, part float64) {
	total, _ := params["total"].(float64)
	params["progress"] = part * total
	record := maps.Clone(map[string]any(params.Object("_meta")))
	record["progress"] = part
	params["_meta"] = record
}

// token is the progress token of the request; nil without one.
func token(x fault.Exchange) json.RawMessage {
	var params struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(x.Params, &params) // unreadable params have no token
	return params.Meta.Token
}

// records breaks the existence of records, and their operation.
func records() []fault.Fault {
	const reported, kind, id = "ext-progress-reported", "ext-progress-type", "ext-progress-operation-id"
	return []fault.Fault{
		{
			Name: "progress-never", Title: "progress is declared, and none is sent", Breaks: reported,
			Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
				if m["method"] == told {
					return nil
				}
				return []fault.Message{m}
			},
		}, {
			Name: "progress-without-record", Title: "progress is what core defines, without a record of the extension",
			Breaks: kind, Notify: fault.Drop(told, "/params/_meta"),
		},
		{Name: "progress-type-update", Title: `the type of a progress record is "update"`, Breaks: kind, Notify: set("type", "update")},
		{
			Name: "progress-type-missing", Title: "a progress record has an operation_id and no type", Breaks: kind,
			Notify: fault.Drop(told, "/params/_meta/type"),
		},
		{Breaks: id, Each: []fault.Fault{{
			Name: "progress-id-changes", Title: "each record of a call has another operation_id",
			Kills: []string{"ext-progress/operation-id"}, May: []string{"ext-progress/operation-id-echo"},
			Notify: onRecord(func(record map[string]any) {
				text, _ := json.Marshal(fraction(record))
				record["operation_id"] = "op-" + string(text)
			}),
		}, {
			Name: "progress-id-shared", Title: "all calls have the same operation_id",
			Kills: []string{"ext-progress/operation-id-distinct"}, Silent: []string{"ext-progress/operation-id-echo"},
			Notify: set("operation_id", "op-1"),
		}, {
			Name: "progress-id-number", Title: "operation_id is a number", Kills: []string{"ext-progress/operation-id"},
			May: []string{"ext-progress/operation-id-echo"}, Notify: set("operation_id", 30),
		}, {
			Name: "progress-id-missing", Title: "progress records have no operation_id",
			Kills: []string{"ext-progress/operation-id"}, May: []string{"ext-progress/operation-id-echo"},
			Notify: fault.Drop(told, "/params/_meta/operation_id"),
		}, {
			Name: "progress-id-empty", Title: "operation_id is an empty string", Kills: []string{"ext-progress/operation-id"},
			Silent: []string{"ext-progress/operation-id-distinct", "ext-progress/operation-id-echo"}, Notify: set("operation_id", ""),
		}, {
			Name: "progress-id-own", Title: "the operation_id of a request is not used",
			Kills: []string{"ext-progress/operation-id-echo"},
			Notify: onRecord(func(record map[string]any) {
				text, _ := record["operation_id"].(string)
				record["operation_id"] = "own-" + text
			}),
		}}},
	}
}

// measures breaks the numbers of records.
func measures() []fault.Fault {
	const share, rises, rest = "ext-progress-fraction", "ext-progress-increases", "ext-progress-remaining"
	return []fault.Fault{
		{Breaks: share, Each: []fault.Fault{
			{
				Name: "progress-percent", Title: "progress in a record is in percent", Kills: []string{"ext-progress/fraction"},
				Notify: onRecord(func(record map[string]any) { record["progress"] = 100 * fraction(record) }),
			}, {
				Name: "progress-above-one", Title: "progress in a record rises to 1.2",
				Kills: []string{"ext-progress/fraction"},
				Notify: onRecord(func(record map[string]any) {
					if fraction(record) == 1 {
						record["progress"] = 1.2
					}
				}),
			}, {
				Name: "progress-below-zero", Title: "progress in a record starts below 0",
				Kills: []string{"ext-progress/fraction"},
				Notify: onRecord(func(record map[string]any) {
					if fraction(record) <= 0.2 {
						record["progress"] = -0.1
					}
				}),
			},
			{Name: "progress-null", Title: "progress in a record is null", Kills: []string{"ext-progress/fraction"}, Notify: set("progress", nil)},
			{
				Name: "progress-disagrees", Title: "progress in a record is half of what the notification says",
				Kills:  []string{"ext-progress/fraction-agrees"},
				Notify: onRecord(func(record map[string]any) { record["progress"] = fraction(record) / 2 }),
			},
		}},
		{Breaks: rises, Each: []fault.Fault{{
			Name: "progress-falls", Title: "progress falls in the middle of a call",
			May: []string{"ext-progress/fraction-rises", "progress/increases"},
			Notify: onProgress(func(_ fault.Exchange, params fault.Message) {
				if part := fraction(params.Object("_meta")); part > 0.5 {
					setProgress(params, part-0.5)
				}
			}),
		}, {
			Name: "progress-repeats", Title: "two notifications have the same progress", May: []string{"progress/increases"},
			Notify: onProgress(func(_ fault.Exchange, params fault.Message) {
				setProgress(params, math.Ceil(2*fraction(params.Object("_meta")))/2)
			}),
		}}},
		{
			Name: "progress-fraction-falls", Title: "progress rises, and the fraction in the records falls",
			Breaks: "ext-progress-fraction-rises", May: []string{"ext-progress/fraction-agrees"},
			Notify: onRecord(func(record map[string]any) { record["progress"] = 1 - fraction(record) }),
		},
		{Breaks: rest, Each: []fault.Fault{
			{
				Name: "progress-remaining-unknown", Title: "estimated_remaining_seconds is -1 while nobody knows",
				Notify: set("estimated_remaining_seconds", -1),
			},
			{
				Name: "progress-remaining-far", Title: "estimated_remaining_seconds is a day throughout a call that ends at once",
				Notify: set("estimated_remaining_seconds", 86400),
			},
			{Name: "progress-remaining-words", Title: `estimated_remaining_seconds is "12s"`, Notify: set("estimated_remaining_seconds", "12s")},
		}},
	}
}

// contents breaks the other properties of records.
func contents() []fault.Fault {
	const says, has = "ext-progress-message", "ext-progress-partial-result"
	return []fault.Fault{
		{Breaks: says, Each: []fault.Fault{
			{Name: "progress-message-object", Title: "the message of a record is an object", Notify: set("message", map[string]any{"en": "half"})},
			{
				Name: "progress-message-empty", Title: "all messages are empty",
				Notify: onProgress(func(_ fault.Exchange, params fault.Message) {
					record := maps.Clone(map[string]any(params.Object("_meta")))
					record["message"] = ""
					params["_meta"] = record
					delete(params, "message")
				}),
			},
		}},
		{
			Name: "progress-partial-array", Title: "partial_result is an array", Breaks: has,
			Kills: []string{"ext-progress/partial-result"}, Notify: set("partial_result", []any{1, 2}),
		}, {
			Name: "progress-checkpoint-object", Title: "checkpoint_token in a record is an object", Breaks: has,
			Kills: []string{"ext-progress/checkpoint-token"}, Notify: set("checkpoint_token", map[string]any{"at": 6}),
		},
	}
}

// askings breaks when progress is sent, and under which token.
func askings() []fault.Fault {
	const asked = "ext-progress-only-when-asked"
	return []fault.Fault{
		{Breaks: asked, Each: []fault.Fault{{
			Name: "progress-unsolicited", Title: "a call without a token gets progress under an invented one",
			Kills: []string{"ext-progress/unasked"},
			May:   []string{"progress/unasked", "progress/known-token"}, Skip: []fault.Check{fault.CheckProgressToken},
		}, {
			Name: "progress-token-invented", Title: "progress bears another token than the request",
			Kills: []string{"ext-progress/token-string"}, Silent: []string{"ext-progress/token-integer"},
			May:    []string{"ext-progress/reported", "progress/known-token"},
			Notify: onProgress(func(_ fault.Exchange, params fault.Message) { params["progressToken"] = "own-1" }),
		}, {
			Name: "progress-token-words", Title: "an integer token comes back as a string",
			Kills: []string{"ext-progress/token-integer"}, May: []string{"progress/token-integer", "progress/token-zero"},
			Notify: onProgress(func(x fault.Exchange, params fault.Message) {
				if given := string(token(x)); given != "" && given[0] != '"' {
					params["progressToken"] = given
				}
			}),
		}}},
		{
			Name: "progress-late", Title: "a last record comes after the answer", Breaks: "ext-progress-ends",
			May: []string{"progress/ends-with-answer"},
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				given := token(x)
				if x.Method != "tools/call" || given == nil || m["method"] != nil {
					return []fault.Message{m}
				}
				return []fault.Message{m, {"jsonrpc": "2.0", "method": told, "params": map[string]any{
					"progressToken": given, "progress": 1000, "total": 1000,
					"_meta": map[string]any{"type": "progress", "operation_id": "op-late", "progress": 1},
				}}}
			},
		},
	}
}
