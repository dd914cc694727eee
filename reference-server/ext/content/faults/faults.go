// Package faults breaks the content rules that have cases of their own. Faults of the
// other content rules are those of the core pages.
package faults

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Faults lists the faults in the order of the cases.
func Faults() []fault.Fault { return slices.Concat(listed(), results(), called()) }

// office is a tool without parameters, tide one with structured results.
const office, tide = "office_hours", "tide_table"

// tool changes one tool of the list.
func tool(name string, change func(tool fault.Message)) func(fault.Exchange, []fault.Message) []fault.Message {
	return func(x fault.Exchange, items []fault.Message) []fault.Message {
		for _, item := range items {
			if x.Method == "tools/list" && item["name"] == name {
				change(item)
			}
		}
		return items
	}
}

func listed() []fault.Fault {
	return []fault.Fault{{
		Name: "content-empty-schema-open", Title: "the schema of a tool without parameters allows any argument",
		Breaks: "ext-content-empty-schema",
		List: tool(office, func(t fault.Message) {
			t["inputSchema"] = map[string]any{"type": "object", "additionalProperties": true}
		}),
	}, {Breaks: "ext-content-title", Each: []fault.Fault{
		{Name: "content-title-name", Title: "the title of a tool is its name", List: tool(office, func(t fault.Message) { t["title"] = office })},
		{Name: "content-title-empty", Title: "the title of a tool is empty", List: tool(office, func(t fault.Message) { t["title"] = "" })},
	}}}
}

func results() []fault.Fault {
	return []fault.Fault{{
		Name: "content-link-relative", Title: "the URI of a resource link is a path", Breaks: "ext-content-resource-link",
		Kills: []string{"ext-content/link-uri"}, May: []string{"schema/messages-valid", "ext-degradation/results-valid"},
		Reply: fault.Tool("harbour_map").Set("/result/content/0/uri", "berths/A1"),
	}, {
		Name: "content-embedded-twice", Title: "an embedded resource has text and blob", Breaks: "ext-content-embedded-resource",
		Silent: []string{"tools/read-only-tools-answer"},
		Reply:  fault.Tool("test_embedded_resource").Set("/result/content/0/resource/blob", "AAAA"),
	}, {
		Name: "content-success-flagged", Title: "the result of a call that succeeded has isError true", Breaks: "ext-content-iserror-execution",
		Reply: fault.Tool(tide).Set("/result/isError", true),
	}, {
		Name: "content-failure-empty", Title: "the result of a failed call has no content", Breaks: "ext-content-iserror-form",
		May:   []string{"ext-structured-errors/plain-client-reads-failure"},
		Reply: fault.Tool("test_error_handling").Set("/result/content", []any{}),
	}, {
		Name: "content-structured-untyped", Title: "a tool has structured results, and no output schema",
		Breaks:  "ext-content-output-schema-declared",
		Without: []string{"manifest", "well-known"},
		List:    tool(tide, func(t fault.Message) { delete(t, "outputSchema") }),
	}}
}

func called() []fault.Fault {
	return []fault.Fault{{
		Name: "content-arguments-ignored", Title: "a tool without parameters ignores arguments that its schema excludes",
		Breaks: "ext-content-empty-schema-enforced",
		Reply: fault.Tool(office).Instead(func(x fault.Exchange) fault.Message {
			return x.Answer(map[string]any{"resultType": "complete", "content": fault.Text("Daily from 8 to 18 o'clock.")})
		}),
	}, {
		Name: "content-link-dead", Title: "a result links to a resource that the server does not have", Breaks: "ext-content-resource-link",
		Kills: []string{"ext-content/link-readable"},
		Reply: fault.Tool("harbour_map").Set("/result/content/0/uri", "harbour://berths/Z9"),
	}, {
		Name: "content-error-bare", Title: "a rejected call is answered with one word", Breaks: "ext-content-error-actionable",
		Reply: fault.Tool("find_berth").Result(func(result fault.Message) {
			if result["isError"] == true {
				result["content"] = fault.Text("failed")
			}
		}),
	}}
}
