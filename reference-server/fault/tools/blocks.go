package tools

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// blocks are blocks of content with something wrong in them.
func blocks() []fault.Fault {
	onBlock := func(tool string, change func(block fault.Message)) fault.Change {
		return fault.OnTool(tool, func(result fault.Message) {
			content, _ := result["content"].([]any)
			for _, each := range content {
				if block, ok := each.(map[string]any); ok {
					change(block)
				}
			}
		})
	}
	set := func(property string, value any) func(fault.Message) {
		return func(block fault.Message) { block[property] = value }
	}
	without := func(property string) func(fault.Message) {
		return func(block fault.Message) { delete(block, property) }
	}
	inner := func(change func(resource fault.Message)) func(fault.Message) {
		return func(block fault.Message) { change(block.Object("resource")) }
	}
	row := func(name, title, rule, kills, tool string, change func(fault.Message)) fault.Fault {
		return fault.Fault{Name: name, Title: title, Breaks: requirements.ID(rule), Kills: []string{kills}, Reply: onBlock(tool, change)}
	}
	const image, audio, resource = "test_image_content", "test_audio_content", "test_embedded_resource"
	return []fault.Fault{
		row("tools-image-data-uri", "the data of an image is a data URI", "tools-image-content-shape", "tools/image-content", image,
			func(block fault.Message) {
				text, _ := block["data"].(string)
				block["data"] = "data:image/png;base64," + text
			}),
		row("tools-image-without-type", "an image has no media type",
			"tools-image-content-shape", "tools/image-content", image, without("mimeType")),
		row("tools-image-unpadded", "the base64 of an image has no padding", "tools-image-content-shape", "tools/image-content", image,
			func(block fault.Message) {
				text, _ := block["data"].(string)
				block["data"] = strings.TrimRight(text, "=")
			}),
		row("tools-image-raw", "the data of an image is its bytes", "tools-image-content-shape", "tools/image-content", image,
			set("data", "\u0089PNG\r\n\u001a\n")),
		row("tools-audio-bytes", "the data of a recording is an array of bytes", "tools-audio-content-shape", "tools/audio-content", audio,
			set("data", []any{82, 73, 70, 70})),
		row("tools-audio-type-short", "the media type of a recording is wav", "tools-audio-content-shape", "tools/audio-content", audio,
			set("mimeType", "wav")),
		row("tools-audio-without-type", "a recording has no media type", "tools-audio-content-shape", "tools/audio-content", audio,
			without("mimeType")),
		{
			Name: "tools-audio-sound", Title: "the type of a recording is sound", Breaks: "tools-content-types",
			Kills: []string{"tools/content-types"}, Since: requirements.R20250326, Reply: onBlock(audio, set("type", "sound")),
		},
		row("tools-link-short", "the type of a resource link is link", "tools-content-types", "tools/content-types", "harbour_map",
			set("type", "link")),
		row("tools-link-without-name", "a resource link has no name",
			"tools-resource-link-shape", "tools/resource-link", "harbour_map", without("name")),
		row("tools-embedded-empty", "an embedded resource has neither text nor blob", "tools-embedded-resource-shape", "tools/embedded-resource",
			resource, inner(func(r fault.Message) { delete(r, "text") })),
		row("tools-embedded-without-uri", "an embedded resource has no URI", "tools-embedded-resource-shape", "tools/embedded-resource",
			resource, inner(func(r fault.Message) { delete(r, "uri") })),
		row("tools-embedded-text", "an embedded resource is a string", "tools-embedded-resource-shape", "tools/embedded-resource",
			resource, set("resource", "test://embedded-resource")),
		row("tools-embedded-blob-plain", "the blob of an embedded resource is plain text", "tools-embedded-resource-shape",
			"tools/embedded-resource",
			resource, inner(func(r fault.Message) { delete(r, "text"); r["blob"] = "This is plain text." })),
		{
			Name: "tools-embedded-undeclared", Title: "a tool embeds a resource, and resources are not declared",
			Breaks: "tools-embedded-resource-capability", May: []string{"errors/undeclared-resources", "resources/capability-declared"},
			Reply: withoutCapability("resources"),
		},
	}
}

// structured are results whose structured content is not as the tool declares it.
func structured() []fault.Fault {
	const tide = "tide_table"
	return []fault.Fault{{
		Name: "tools-structured-array", Title: "structured content is an array", Breaks: "tools-structured-content-object",
		May:   []string{"tools/structured-content-text"},
		In:    fault.OverStdio(requirements.R20251125),
		Reply: fault.OnTool(tide, func(result fault.Message) { result["structuredContent"] = []any{result["structuredContent"]} }),
	}, {
		Name: "tools-structured-day-text", Title: "structured content has a string where the output schema has an integer",
		Breaks: "tools-structured-content-conforms", Kills: []string{"tools/structured-content-conforms"},
		Reply: fault.OnTool(tide, func(result fault.Message) {
			result.Object("structuredContent")["day"] = "first"
			result["content"] = []any{}
		}),
		May: []string{"ext-content/failure-explained"}, Silent: []string{"tools/structured-content-text"},
	}, {
		Name:   "tools-structured-day-text-elsewhere",
		Title:  "structured content of a tool of no role has a string where the output schema has an array",
		Breaks: "tools-structured-content-conforms", Kills: []string{"tools/structured-content-conforms"},
		May:   []string{"tools/varied-structured-content"},
		Reply: fault.OnTool("list_berths", func(result fault.Message) { result.Object("structuredContent")["berths"] = "all" }),
	}, {
		Name: "tools-structured-json-text", Title: "structured content is a string of JSON", Breaks: "tools-structured-content-object",
		May:   []string{"tools/structured-content-text"},
		In:    fault.OverStdio(requirements.R20251125),
		Reply: fault.Tool(tide).Set("/result/structuredContent", `{"day":1,"tides":[]}`),
	}, {
		Name: "tools-structured-further", Title: "structured content has a property that the output schema excludes",
		Breaks: "tools-structured-content-conforms", Kills: []string{"tools/structured-content-conforms"},
		May: []string{"tools/varied-structured-content"}, Silent: []string{"tools/structured-content-text"},
		List: func(x fault.Exchange, items []fault.Message) []fault.Message {
			for _, item := range items {
				if x.Method == "tools/list" && item["name"] == tide {
					item["outputSchema"] = map[string]any{
						"type": "object", "properties": map[string]any{"day": map[string]any{}, "tides": map[string]any{}}, "additionalProperties": false,
					}
				}
			}
			return items
		},
		Reply: fault.Tool(tide).Set("/result/structuredContent/success", true),
	}, {
		Name: "tools-structured-text-lacks", Title: "the JSON in the text lacks a property of the structured content",
		Breaks: "tools-structured-content-text-copy", Kills: []string{"tools/structured-content-text"},
		Reply: fault.Tool(tide).Set("/result/content", fault.Text(`{"day":1}`)),
	}, {
		Name: "tools-structured-missing", Title: "a tool with an output schema returns text alone",
		Breaks: "tools-structured-content-present", Kills: []string{"tools/structured-content-present"},
		Reply: fault.Tool(tide).Drop("/result/structuredContent"),
	}, {
		Name: "tools-structured-missing-elsewhere", Title: "a tool of no role has an output schema and returns text alone",
		Breaks: "tools-structured-content-present", Kills: []string{"tools/structured-content-present"},
		Reply: fault.Tool("list_berths").Drop("/result/structuredContent"),
	}, {
		Name: "tools-structured-without-text", Title: "structured content comes with a sentence instead of its JSON",
		Breaks: "tools-structured-content-text-copy", Kills: []string{"tools/structured-content-text"},
		Reply: fault.Tool(tide).Set("/result/content", fault.Text("See the structured content.")),
	}, {
		Name: "tools-structured-list-without-text", Title: "structured content that is an array comes without text",
		Breaks: "tools-structured-nonobject-text-copy",
		May:    []string{"ext-content/failure-explained"}, Reply: fault.Tool("tide_heights").Set("/result/content", []any{}),
	}}
}
