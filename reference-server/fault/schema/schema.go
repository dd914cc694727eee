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
		Name: "schema-annotation-audience-model", Title: "the audience of a content block is a role that is not known",
		Breaks: "schema-annotations", May: []string{"tools/structured-content-text"},
		Reply: annotated(map[string]any{"audience": []any{"model"}}),
	}, {
		Name: "schema-last-modified-number", Title: "lastModified is a number", Breaks: "schema-annotations",
		May: []string{"tools/structured-content-text"}, Since: requirements.R20250618,
		Reply: annotated(map[string]any{"lastModified": 1785000000}),
	}, {
		Name: "schema-annotation-priority-percent", Title: "the priority of a content block is a percentage",
		Breaks: "schema-annotations", In: fault.OverStdio(requirements.R20241105),
		Reply: annotated(map[string]any{"priority": 80}),
	}, {
		Name: "schema-last-modified-american", Title: "lastModified is a date in American notation instead of ISO 8601",
		Breaks: "schema-last-modified-iso8601", May: []string{"tools/structured-content-text"},
		Reply: annotated(map[string]any{"lastModified": "01/31/2026 12:00 PM"}),
	}, {
		Name: "schema-media-image-as-jpeg", Title: "a tool says of a PNG image that it is image/jpeg", Breaks: "schema-media-type-of-bytes",
		In: fault.OverStdio(requirements.R20251125), Silent: []string{"tools/read-only-tools-answer"},
		Reply: fault.Tool("test_image_content").Set("/result/content/0/mimeType", "image/jpeg"),
	}, {
		Name: "schema-media-recording-as-mp3", Title: "a prompt says of a WAV recording that it is audio/mpeg",
		Breaks: "schema-media-type-of-bytes",
		In:     fault.OverStdio(requirements.R20250326), Silent: []string{"prompts/optional-arguments"},
		Reply: fault.When(func(x fault.Exchange) bool { return x.Param("name") == "test_prompt_with_audio" }).
			Set("/result/messages/0/content/mimeType", "audio/mpeg"),
	}, {
		Name: "schema-media-blob-as-pdf", Title: "a resource that is a PNG image is read as application/pdf",
		Breaks: "schema-media-type-of-bytes",
		In:     fault.OverStdio(requirements.R20241105), Silent: []string{"resources/listed-readable"},
		Reply: fault.When(func(x fault.Exchange) bool { return x.Param("uri") == "test://static-binary" }).
			Set("/result/contents/0/mimeType", "application/pdf"),
	}}, applied()...)
}
