// Package schema holds the ways to break the schema of the messages.
package schema

import (
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	annotated := func(annotations any) fault.Change {
		block := map[string]any{"type": "text", "text": "High water is at noon.", "annotations": annotations}
		return fault.Tool("tide_table").Set("/result/content", []any{block})
	}
	return append([]fault.Fault{{
		Name: "schema-description-number", Title: "the description of a prompt, as it is got, is a number",
		Breaks: "schema-messages-valid", Silent: []string{"meta/undeclared-unused-prompt"},
		Reply: fault.Set("prompts/get", "/result/description", 7),
	}, {
		Name: "schema-annotation-audience-text", Title: "the audience of a content block is a string instead of an array",
		Breaks: "schema-annotations", May: []string{"tools/structured-content-text"},
		Reply: annotated(map[string]any{"audience": "user"}),
	}, {
		Name: "schema-annotation-priority-percent", Title: "the priority of a content block is a percentage",
		Breaks: "schema-annotations", In: fault.OverStdio(requirements.R20241105),
		Reply: annotated(map[string]any{"priority": 80}),
	}, {
		Name: "schema-last-modified-american", Title: "lastModified is a date in American notation instead of ISO 8601",
		Breaks: "schema-last-modified-iso8601", May: []string{"tools/structured-content-text"},
		Reply: annotated(map[string]any{"lastModified": "01/31/2026 12:00 PM"}),
	}}, applied()...)
}
