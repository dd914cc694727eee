// Package faults holds the ways to break the intent extension.
package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/confirmation"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/intent"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/permissions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// The tools that the faults are about.
const (
	reading   = "tide_table"
	suggested = "export_log"
)

// said is the intent of a call, whatever its type.
func said(x fault.Exchange) any {
	meta, _ := x.Param("_meta").(map[string]any)
	return meta["intent"]
}

// told selects the calls of the reading tool with such an intent.
func told(such func(said any) bool) fault.When {
	return fault.Tool(reading).And(func(x fault.Exchange) bool { return said(x) != nil && such(said(x)) })
}

func aText(said any) bool { text, ok := said.(string); return ok && len(text) < 1000 }

func aNumber(said any) bool { _, ok := said.(float64); return ok }

func anObject(said any) bool { _, ok := said.(map[string]any); return ok }

// suggestion changes the suggestion of an answer, in each place.
func suggestion(change func(was map[string]any) any) fault.Change {
	return fault.OnTool(suggested, func(result fault.Message) {
		meta := result.Object("_meta")
		for _, key := range []string{"suggestion", intent.Prefix + "suggestion"} {
			if was, ok := meta[key].(map[string]any); ok {
				meta[key] = change(fault.Message(was).With("reason", was["reason"]))
			}
		}
	})
}

func recommends(what any) fault.Change {
	return suggestion(func(was map[string]any) any { was["recommended_tool"] = what; return was })
}

// Faults lists the faults of the extension.
func Faults() []fault.Fault {
	accepted := []string{"ext-intent/accepted"}
	return []fault.Fault{
		{Breaks: "ext-intent-accepted", Kills: accepted, Each: []fault.Fault{
			{
				Name: "intent-rejected", Title: "a call with an intent is rejected with -32602",
				Inbound: told(aText).Refuse(-32602, "intent is unknown"),
			},
			{Name: "intent-internal", Title: "a call with an intent gets an internal error", Inbound: told(aText).Refuse(-32603, "internal error")},
			{Name: "intent-ends", Title: "the server ends at a call with an intent", Inbound: told(aText).Exit(1)},
		}},
		{Breaks: "ext-intent-result-same", Each: []fault.Fault{{
			Name: "intent-echoed", Title: "the intent of a call turns up in its result",
			Reply: told(aText).Change(func(x fault.Exchange, m fault.Message) {
				if result, ok := m.Result(); ok {
					text, _ := said(x).(string)
					restate(result, map[string]any{"day": 3, "tides": []any{}, "intent": text})
				}
			}),
		}, {
			Name: "intent-told-apart", Title: "the intent of a call turns up in a further block of its result",
			Reply: told(aText).Change(func(x fault.Exchange, m fault.Message) { addBlock(m, fmt.Sprint("You want: ", said(x))) }),
		}, {
			Name: "intent-shortens", Title: "the last block of a result is left out of a call with an intent",
			Reply: fault.Tool(reading).And(func(x fault.Exchange) bool { return said(x) == nil }).Change(
				func(_ fault.Exchange, m fault.Message) { addBlock(m, "Heights are in metres.") }),
		}, {
			Name: "intent-filters", Title: "what an intent does not mention is left out of the result",
			Reply: told(aText).Result(func(result fault.Message) { restate(result, map[string]any{"day": 3, "tides": []any{}}) }),
		}}},
		{Breaks: "ext-intent-suggestion-shape", Each: []fault.Fault{
			{
				Name: "intent-suggestion-text", Title: "a suggestion is a string",
				Reply: suggestion(func(was map[string]any) any { return was["recommended_tool"] }),
			}, {
				Name: "intent-suggestion-empty", Title: "a suggestion names no tool",
				Reply: suggestion(func(was map[string]any) any { delete(was, "recommended_tool"); return was }),
			},
			{Name: "intent-suggestion-list", Title: "recommended_tool is a list", Reply: recommends([]any{"read_log"})},
			{
				Name: "intent-unreasoned", Title: "a suggestion has no reason",
				Reply: suggestion(func(was map[string]any) any { delete(was, "reason"); return was }),
			},
		}},
		{Breaks: "ext-intent-suggestion-exists", Each: []fault.Fault{
			{
				Name: "intent-suggests-unknown", Title: "a suggestion names a tool that the server does not have",
				Reply: recommends("get_recent_incidents"),
			},
			{Name: "intent-suggests-itself", Title: "a suggestion names the tool that was called", Reply: recommends(suggested)},
		}},
		{Breaks: "ext-intent-not-run-is-visible", Each: []fault.Fault{
			{
				Name: "intent-empty-list", Title: "a call that got a suggestion is answered with an empty list",
				Kills: []string{"ext-intent/not-run-is-visible"},
				Reply: fault.OnTool(suggested, func(result fault.Message) {
					if result.Object("_meta")["suggestion"] != nil {
						result["content"] = fault.Text("[]")
					}
				}),
			}, {
				Name: "intent-also-runs", Title: "a suggestion takes the place of the result, and the tool runs all the same",
				Kills: []string{"ext-intent/not-run-no-effect"}, Ext: intent.Switches{AlsoRuns: true},
			},
		}},
		{Breaks: "ext-intent-grants-nothing", Each: []fault.Fault{
			{
				Name: "intent-confirms", Title: "an intent that mentions approval is taken for the consent of the user",
				Kills: []string{"ext-intent/grants-no-confirmation"}, Ext: confirmation.Switches{BelievesIntent: true},
			}, {
				Name: "intent-permits", Title: "an intent that mentions approval stands in for a scope",
				Kills: []string{"ext-intent/grants-no-permission"}, Ext: permissions.Switches{BelievesIntent: true},
			},
		}},
		{Breaks: "ext-intent-type-guard", Each: []fault.Fault{
			{
				Name: "intent-number-internal", Title: "an intent that is a number gets an internal error",
				Kills:   []string{"ext-intent/type-guard-number"},
				Inbound: told(aNumber).Refuse(-32603, "internal error"),
			}, {
				Name: "intent-number-suggesting", Title: "a tool that makes suggestions answers an intent that is a number with an internal error",
				Kills:   []string{"ext-intent/type-guard-number"},
				Inbound: fault.Tool(suggested).And(func(x fault.Exchange) bool { return aNumber(said(x)) }).Refuse(-32603, "internal error"),
			}, {
				Name: "intent-object-ends", Title: "the server ends at an intent that is an object", Kills: []string{"ext-intent/type-guard-object"},
				Inbound: told(anObject).Exit(1),
			}, {
				Name: "intent-long-internal", Title: "a long intent gets an internal error", Kills: []string{"ext-intent/type-guard-long"},
				Inbound: told(func(said any) bool { text, _ := said.(string); return strings.Count(text, "") > 60_000 }).
					Refuse(-32603, "internal error"),
			},
		}},
	}
}

// addBlock adds a text to the content of a result.
func addBlock(m fault.Message, text string) {
	if result, ok := m.Result(); ok {
		content, _ := result["content"].([]any)
		result["content"] = append(slices.Clone(content), fault.Text(text)...)
	}
}

// restate puts another answer into the result, in the forms that it has.
func restate(result fault.Message, answer map[string]any) {
	if _, structured := result["structuredContent"]; structured {
		result["structuredContent"] = answer
	}
	text, err := json.Marshal(answer)
	if err == nil {
		result["content"] = fault.Text(string(text))
	}
}
