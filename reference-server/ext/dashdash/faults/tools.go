package faults

import (
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const (
	tools   = "tools/list"
	booking = "book_berth"
	table   = "tide_table"
)

// Tools lists the faults of the objects of tools.
func Tools() []fault.Fault {
	var all []fault.Fault
	for _, one := range [][]fault.Fault{objects(), flags(), equivalents(), examples(), promises()} {
		all = append(all, one...)
	}
	return all
}

func objects() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-dd-tool-object", Each: []fault.Fault{
			{
				Name: "dashdash-tool-list", Title: "dashdash of a tool is an array",
				List: entry(tools, booking, func(_ map[string]any, item fault.Message) { item["dashdash"] = []any{"berths", "write"} }),
			}, {
				Name: "dashdash-tool-in-schema", Title: "dashdash of a tool stands inside inputSchema",
				List: entry(tools, booking, func(object map[string]any, item fault.Message) {
					if schema, ok := item["inputSchema"].(map[string]any); ok {
						schema["dashdash"] = object
						delete(item, "dashdash")
					}
				}),
			},
		}},
		{Breaks: "ext-dd-tool-category", Each: []fault.Fault{
			{Name: "dashdash-category-list", Title: "category is an array", List: property(tools, booking, "category", []any{"berths"})},
			{Name: "dashdash-tool-rate-number", Title: "rateLimit of a tool is a number", List: property(tools, booking, "rateLimit", 100)},
		}},
		{Breaks: "ext-dd-tool-operation-type", Each: []fault.Fault{
			{Name: "dashdash-operation-update", Title: "operationType is update", List: property(tools, booking, "operationType", "update")},
			{Name: "dashdash-operation-capitals", Title: "operationType is READ", List: property(tools, table, "operationType", "READ")},
		}},
		{
			Name: "dashdash-category-only", Title: "the object of a tool has a category only", Breaks: "ext-dd-tool-recommended",
			May: []string{"ext-dashdash-tools/operation-type"},
			List: entry(tools, table, func(object map[string]any, _ fault.Message) {
				for name := range object {
					if name != "category" {
						delete(object, name)
					}
				}
			}),
		},
	}
}

func flags() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-dd-tool-booleans", Each: []fault.Fault{
			{Name: "dashdash-idempotent-yes", Title: "idempotent is a string", List: property(tools, booking, "idempotent", "yes")},
			{Name: "dashdash-reversible-number", Title: "reversible is a number", List: property(tools, booking, "reversible", 1)},
		}},
		{Breaks: "ext-dd-tool-side-effects", Each: []fault.Fault{
			{Name: "dashdash-side-effects-string", Title: "sideEffects is a string", List: property(tools, booking, "sideEffects", "sends email")},
			{
				Name: "dashdash-reading-sends", Title: "a tool that reads sends mail", List: property(tools, table, "sideEffects", []any{"sends mail"}),
			},
		}},
		{Breaks: "ext-dd-tool-reverse", Each: []fault.Fault{
			{
				Name: "dashdash-reverse-unknown", Title: "reverseMethod names a tool that does not exist",
				List: property(tools, booking, "reverseMethod", "undo_all"),
			},
			{
				Name: "dashdash-reverse-denied", Title: "a tool has a reverseMethod and is not reversible",
				List: property(tools, booking, "reversible", false),
			},
		}},
		{
			Name: "dashdash-reverse-idle", Title: "the reverseMethod of a tool reports success, and undoes nothing",
			Breaks:  "ext-dd-tool-reverse-works",
			Inbound: fault.Tool("release_berth").Answer(map[string]any{"resultType": "complete", "content": fault.Text("The booking is released.")}),
		},
		{Breaks: "ext-dd-tool-hints-agree", Each: []fault.Fault{
			{
				Name: "dashdash-read-destroys", Title: "operationType is read and destructiveHint is true",
				Since: requirements.R20250326,
				List: entry(tools, "cancel_pilot", func(object map[string]any, _ fault.Message) {
					object["operationType"] = "read"
					delete(object, "sideEffects")
				}),
			},
			{
				Name: "dashdash-idempotent-disagrees", Title: "idempotent is true and idempotentHint is false",
				Since: requirements.R20250326,
				List:  property(tools, "cancel_pilot", "idempotent", true),
			},
		}},
	}
}

func equivalents() []fault.Fault {
	return []fault.Fault{
		{
			Name: "dashdash-placeholder-unknown", Title: "cliEquivalent has a placeholder that is not an argument",
			Breaks: "ext-dd-tool-cli-equivalent",
			List:   property(tools, booking, "cliEquivalent", "harbour book {vessel_name} --berth {berth}"),
		},
		{Breaks: "ext-dd-tool-api-equivalent", Each: []fault.Fault{
			{
				Name: "dashdash-api-words", Title: "apiEquivalent refers to the documentation",
				List: property(tools, booking, "apiEquivalent", "see API docs"),
			},
			{
				Name: "dashdash-api-object", Title: "apiEquivalent is an object",
				List: property(tools, booking, "apiEquivalent", map[string]any{"method": "POST"}),
			},
		}},
	}
}

func examples() []fault.Fault {
	example := func(input, output any) []any {
		return []any{map[string]any{"description": "Book A4", "input": input, "output": output}}
	}
	fitting := map[string]any{"vessel": "Nordlicht", "berth": "A4"}
	return []fault.Fault{
		{Breaks: "ext-dd-tool-examples", Each: []fault.Fault{
			{
				Name: "dashdash-example-lacks", Title: "the input of an example lacks a required argument",
				List: property(tools, booking, "examples", example(map[string]any{"berth": "A4"}, map[string]any{"booking": "BK-17"})),
			}, {
				Name: "dashdash-example-output", Title: "the output of an example has another shape than outputSchema",
				Since: requirements.R20250618,
				List:  property(tools, booking, "examples", example(fitting, "BK-17")),
			},
			{
				Name: "dashdash-examples-object", Title: "examples is an object",
				List: property(tools, booking, "examples", map[string]any{"input": fitting}),
			},
		}},
		{Breaks: "ext-dd-tool-errors", Each: []fault.Fault{
			{
				Name: "dashdash-errors-strings", Title: "errors is an array of strings", List: property(tools, booking, "errors", []any{"BERTH_TAKEN"}),
			},
			{
				Name: "dashdash-error-unresolved", Title: "an error has no resolution",
				List: property(tools, booking, "errors", []any{map[string]any{"code": "BERTH_TAKEN", "description": "The berth is occupied"}}),
			},
		}},
	}
}

func promises() []fault.Fault {
	return []fault.Fault{{Breaks: "ext-dd-tool-idempotent-true", Each: []fault.Fault{{
		Name: "dashdash-idempotent-twice", Title: "idempotent is true, and two calls have two effects",
		Kills: []string{"ext-dashdash-tools/idempotent-true"},
		List: entry(tools, booking, func(object map[string]any, item fault.Message) {
			object["idempotent"] = true
			if annotations, ok := item["annotations"].(map[string]any); ok {
				delete(annotations, "idempotentHint")
			}
		}),
	}, {
		Name: "dashdash-key-ignored", Title: "idempotentWithKey is true, and keys are ignored",
		Kills: []string{"ext-dashdash-tools/idempotent-with-key"}, Without: []string{"idempotency", "transactions"},
		List: property(tools, booking, "idempotentWithKey", true),
	}}}}
}
