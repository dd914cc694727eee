package faults

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// schemas breaks the schemas of tools.
func schemas() []fault.Fault {
	agree := []string{"ext-manifest/schemas-agree"}
	return []fault.Fault{
		{Breaks: "ext-manifest-input-schema-valid", Each: []fault.Fault{
			{Name: "manifest-schema-null", Title: "input_schema is null", Reply: member(booking, "input_schema", nil)},
			{
				Name: "manifest-schema-misspelt", Title: "input_schema has an unknown type", Silent: agree,
				Reply: member(booking, "input_schema", map[string]any{"type": "objekt"}),
			},
			{Name: "manifest-schema-string", Title: "input_schema is a string", Reply: member(booking, "input_schema", `{"type":"object"}`)},
			{Name: "manifest-output-schema-true", Title: "output_schema is true", Reply: member("tide_table", "output_schema", true)},
		}},
		{
			Name: "manifest-schema-without-required", Title: "input_schema requires one property less than inputSchema",
			Breaks: "ext-manifest-schemas-agree",
			Reply:  schema(booking, "input_schema", func(schema map[string]any) { schema["required"] = list(schema, "required")[1:] }),
		}, {
			Name: "manifest-output-schema-differs", Title: "a property of output_schema has another type than in outputSchema",
			Breaks: "ext-manifest-schemas-agree",
			Reply: schema("tide_table", "output_schema", func(schema map[string]any) {
				schema["properties"].(map[string]any)["day"] = map[string]any{"type": "string"}
			}),
		},
		{Breaks: "ext-manifest-output-typed", Each: []fault.Fault{
			{Name: "manifest-untyped", Title: "no tool has an output schema", Reply: untyped("")},
			{Name: "manifest-first-typed", Title: "only one of the tools has an output schema", Reply: untyped("mooring_fee")},
		}},
	}
}

// schema changes a copy of a schema of one tool: tools/list shares the original.
func schema(tool, name string, change func(schema map[string]any)) fault.Change {
	return entry(tool, func(t map[string]any) {
		var whole map[string]any
		written, err := json.Marshal(t[name])
		if err == nil {
			err = json.Unmarshal(written, &whole)
		}
		if err != nil {
			panic(err) // the registry holds valid schemas
		}
		if whole != nil { // older revisions have no schema of the output
			change(whole)
			t[name] = whole
		}
	})
}

// untyped removes all output schemas, except for one tool.
func untyped(except string) fault.Change {
	return fault.Changes(
		document(func(manifest fault.Message) {
			for _, tool := range entries(manifest) {
				if tool["name"] != except {
					delete(tool, "output_schema")
				}
			}
		}),
		fault.OnResult("tools/list", func(result fault.Message) {
			items, _ := result["tools"].([]fault.Message)
			for _, tool := range items {
				if tool["name"] != except {
					delete(tool, "outputSchema")
				}
			}
		}),
	)
}

func toolOf(params json.RawMessage) string {
	var call struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(params, &call) // unreadable params name no tool
	return call.Name
}

func words(n int) string { return fmt.Sprintf("Plans berths, and was asked %d times.", n) }
