// Package completion holds the ways to break completion.
package completion

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault {
	return slices.Concat(declared(), results(), valuesMaxFaults(), suggested(), refused(), sturdy(), guarded())
}

const complete = "completion/complete"

// of selects completions of an argument.
func of(name string) fault.When {
	return fault.On(complete).And(func(x fault.Exchange) bool { return argument(x)["name"] == name })
}

func argument(x fault.Exchange) map[string]any {
	given, _ := x.Param("argument").(map[string]any)
	return given
}

// typed selects completions of a value that fulfils a condition.
func typed(condition func(value any) bool) fault.When {
	return fault.On(complete).And(func(x fault.Exchange) bool { return condition(argument(x)["value"]) })
}

func declared() []fault.Fault {
	undeclared := fault.On("initialize", "server/discover").Drop("/result/capabilities/completions")
	return []fault.Fault{
		{
			Name: "completion-undeclared", Title: "values are suggested, but the completions capability is not declared",
			Breaks: "completion-capability-declared", Reply: undeclared,
		},
		{
			Name: "completion-unsupported-invalid", Title: "without completions, completion/complete is rejected as invalid params",
			Breaks: "completion-unsupported", Reply: undeclared, Inbound: fault.On(complete).Refuse(-32602, "there are no completions"),
		},
	}
}

// results are malformed suggestions.
func results() []fault.Fault {
	const completion = "/result/completion"
	return []fault.Fault{{Breaks: "completion-result-schema", Each: []fault.Fault{
		{Name: "completion-missing", Title: "a result has no completion", Reply: of("tone").Drop(completion)},
		{Name: "completion-values-null", Title: "no values are null instead of an empty array", Reply: of("tone").Set(completion+"/values", nil)},
		{
			Name: "completion-values-left-out", Title: "values are left out where there are none",
			Reply: fault.On(complete).Result(func(result fault.Message) {
				if given := result.Object("completion"); fmt.Sprint(given["values"]) == "[]" {
					delete(given, "values")
				}
			}),
		},
		{Name: "completion-total-low", Title: "total is lower than the number of values", Reply: of("tone").Set(completion+"/total", 1)},
		{Name: "completion-more-than-total", Title: "hasMore is true where all values that total counts came", Reply: of("tone").Set(completion,
			map[string]any{"values": []any{"calm", "urgent"}, "total": 2, "hasMore": true})},
		{Name: "completion-cut-without-more", Title: "hasMore is false where total counts more than the 100 values that came", Reply: of("tone").
			Set(completion, map[string]any{"values": berths(100), "total": 128, "hasMore": false})},
		{Name: "completion-values-numbers", Title: "values are numbers", Reply: of("tone").Set(completion+"/values", []any{1, 2})},
		{Name: "completion-total-text", Title: "total is a string", Reply: of("tone").Set(completion+"/total", "3")},
		{Name: "completion-more-null", Title: "hasMore is null", Reply: of("tone").Set(completion+"/hasMore", nil)},
	}}}
}

// suggested are suggestions that forget a part of the request.
func suggested() []fault.Fault {
	return []fault.Fault{
		{
			Name: "completion-templates-unknown", Title: "completion/complete is an unknown method for references to templates",
			Breaks: "completion-reference-types", Inbound: fault.On(complete).And(func(x fault.Exchange) bool {
				ref, _ := x.Param("ref").(map[string]any)
				return ref["type"] == "ref/resource"
			}).Refuse(-32601, "unknown method"),
		},
		{
			Name: "completion-listed-exits", Title: "the server ends when an argument of a listed prompt is completed",
			Breaks: "jsonrpc-single-response", Kills: []string{"completion/reference-types"},
			In: fault.OverStdio("2025-11-25", "2026-07-28"), Inbound: of("tone").Exit(1),
		},
		{
			Name: "completion-context-refused", Title: "a completion with context is refused", Breaks: "completion-context-accepted",
			Inbound: fault.On(complete).And(func(x fault.Exchange) bool { return x.Param("context") != nil }).Refuse(-32602, "context is unknown"),
		},
		{
			Name: "completion-reversed", Title: "the values that fit least come first", Breaks: "completion-sorted",
			Reply: of("berth").Result(func(result fault.Message) {
				if values, ok := result.Object("completion")["values"].([]any); ok {
					slices.Reverse(values)
				}
			}),
		},
	}
}

func refused() []fault.Fault {
	without := func(name string) fault.When {
		return fault.On(complete).And(func(x fault.Exchange) bool { return argument(x)[name] == nil })
	}
	row := func(slug, title string, when fault.When) fault.Fault {
		return fault.Fault{
			Name: "completion-without-" + slug, Title: title, Kills: []string{"completion/missing-arguments-" + slug},
			May:     []string{"jsonrpc/invalid-params-complete-without-ref"},
			Inbound: when.Answer(map[string]any{"resultType": "complete", "completion": map[string]any{"values": []any{}}}),
		}
	}
	return []fault.Fault{
		{
			Name: "completion-unknown-prompt-empty", Title: "an unknown prompt has no values", Breaks: "completion-unknown-prompt",
			Skip: []fault.Check{fault.CheckReference},
		},
		{
			Name: "completion-unserved", Title: "completions is declared, and completion/complete an unknown method",
			Breaks: "completion-unknown-prompt", Silent: []string{"completion/internal-error"},
			Inbound: fault.On(complete).Refuse(-32601, "unknown method"),
		},
		{Breaks: "completion-missing-arguments", Each: []fault.Fault{
			row("argument", "a completion without argument has no values", fault.On(complete).And(func(x fault.Exchange) bool {
				return x.Param("argument") == nil
			})),
			row("name", "a completion without the name of the argument has no values",
				without("name").And(func(x fault.Exchange) bool { return x.Param("argument") != nil })),
			row("ref-type", "a reference without a type has no values", fault.On(complete).And(func(x fault.Exchange) bool {
				ref, object := x.Param("ref").(map[string]any)
				return object && ref["type"] == nil
			})),
		}},
		{
			Name: "completion-failure-own-code", Title: "a failure inside a completion has a code of the server's own",
			Breaks: "completion-internal-error",
			Reply: fault.OnError(complete, func(failure fault.Message) {
				if failure["code"] == -32603 {
					failure["code"] = 1
				}
			}),
		},
	}
}

// sturdy are values on which the server gives up.
func sturdy() []fault.Fault {
	row := func(slug, title string, breaks func(value any) bool) fault.Fault {
		return fault.Fault{
			Name: "completion-" + slug + "-exits", Title: "the server ends on " + title,
			Kills: []string{"completion/inputs-validated-" + slug}, In: fault.OverStdio("2024-11-05", "2025-11-25", "2026-07-28"),
			Inbound: typed(breaks).Exit(1),
		}
	}
	contains := func(part string) func(any) bool {
		return func(value any) bool { text, _ := value.(string); return strings.Contains(text, part) }
	}
	return []fault.Fault{{Breaks: "completion-inputs-validated", Each: []fault.Fault{
		row("number", "a number as value", func(value any) bool { _, number := value.(float64); return number }),
		row("object", "an object as value", func(value any) bool { _, object := value.(map[string]any); return object }),
		row("long", "a long value", func(value any) bool { text, _ := value.(string); return len(text) > 64<<10 }),
		row("control-characters", "control characters in a value", contains("\x00")),
		row("pattern", "a broken regular expression as value", contains("([{")),
	}}}
}

// guarded are suggestions for everybody.
func guarded() []fault.Fault {
	const guest, hidden = "Bearer key-of-the-harbour-guest", "quarantine"
	latest := append(fault.OverHTTP("2025-11-25"), fault.OverHTTP("2026-07-28")...)
	asGuest := of("measure").And(func(x fault.Exchange) bool { return x.Header.Get("Authorization") == guest })
	exactly := asGuest.And(func(x fault.Exchange) bool { return argument(x)["value"] == hidden })
	return []fault.Fault{
		{
			Name: "completion-unlimited", Title: "completions are never refused", Breaks: "completion-rate-limited",
			Inbound: of("station").Answer(map[string]any{"resultType": "complete", "completion": map[string]any{"values": []any{}}}),
		},
		{
			Name: "completion-denied-suggested", Title: "a guest is given values that only others may see",
			Breaks: "completion-access-controlled", In: latest,
			Reply: fault.Changes(asGuest.Set("/result/completion/values", []any{"lookout", hidden}), asGuest.Set("/result/completion/total", 2)),
		},
		{Breaks: "completion-no-disclosure", In: latest, Each: []fault.Fault{
			{
				Name: "completion-denied-counted", Title: "total counts values that the caller may not see",
				Reply: exactly.Set("/result/completion/total", 1),
			},
			{
				Name: "completion-denied-refused", Title: "a value that the caller may not see is refused, and one that does not exist is not",
				Inbound: exactly.Refuse(-32602, "this is not for guests"),
			},
		}},
	}
}
