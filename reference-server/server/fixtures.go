package server

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/progress"
)

// notificationGap is the time between two notifications of a fixture: short, but long
// enough to show that the server does not hold a notification back until the next.
const notificationGap = 10 * time.Millisecond

// fixtureTools are the tools that conformance suites look for by name.
func fixtureTools() []tool {
	return append(contentTools(), talkingTools()...)
}

func contentTools() []tool {
	yields := func(name, about string, content ...mcp.Content) tool {
		return tool{name: name, title: about, about: about, hint: reads, input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: content}, nil
			}}
	}
	image := mcp.NewImageContent(pixel(), "image/png")
	return []tool{
		yields("test_simple_text", "Answers with a text", mcp.NewTextContent("This is a simple text response for testing.")),
		yields("test_image_content", "Answers with a picture", image),
		yields("test_audio_content", "Answers with a recording", mcp.NewAudioContent(silence(), "audio/wav")),
		yields("test_embedded_resource", "Answers with a resource", mcp.NewEmbeddedResource(mcp.TextResourceContents{
			URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
		})),
		yields("test_multiple_content_types", "Answers with a text, a picture and a resource",
			mcp.NewTextContent("Multiple content types test:"), image, mcp.NewEmbeddedResource(mcp.TextResourceContents{
				URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`,
			})),
		{
			name: "test_error_handling", title: "Fails", about: "Fails each time", hint: reads, input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				return failed("This tool intentionally returns an error for testing")
			},
		},
		{
			name: "json_schema_2020_12_tool", title: "Contact", about: "Takes a contact, described with keywords of JSON Schema 2020-12",
			hint:  reads,
			input: contactSchema,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain("The contact " + a.text("name") + " is complete.")
			},
		},
	}
}

// contactSchema uses keywords that earlier dialects do not have.
const contactSchema = `{
	"$schema":"https://json-schema.org/draft/2020-12/schema",
	"type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{
		"name":{"type":"string"},
		"address":{"$ref":"#/$defs/address"},
		"contactMethod":{"type":"string","enum":["phone","email"]},
		"phone":{"type":"string"},
		"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
	"then":{"required":["phone"]},
	"else":{"required":["email"]},
	"additionalProperties":false}`

func talkingTools() []tool {
	return []tool{
		{
			name: "test_tool_with_progress", title: "Reports progress", about: "Reports progress three times, then answers", hint: reads,
			input: nothing,
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				for i, done := range []float64{0, 50, 100} {
					if i > 0 && pause(ctx, notificationGap) != nil {
						return failed("The work was stopped.")
					}
					progress.Report(core.From(ctx), progress.Step{Done: done, Total: 100, Message: "Part of the work is done."})
				}
				return plain("Work with progress is done.")
			},
		},
		{
			name: "test_reconnection", title: "Lets the client reconnect", hint: reads, input: nothing,
			about: "Closes the stream, works, and answers who comes back for the rest",
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				core.From(ctx).Leave()
				if pause(ctx, 100*time.Millisecond) != nil {
					return failed("The work was stopped.")
				}
				return plain("The client came back.")
			},
		},
		{
			name: "test_tool_with_logging", title: "Logs", about: "Sends three log messages, then answers", hint: reads, input: nothing,
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				for i, said := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
					if i > 0 && pause(ctx, notificationGap) != nil {
						return failed("The work was stopped.")
					}
					core.From(ctx).Log("info", "harbour", said)
				}
				return plain("Work with logging is done.")
			},
		},
		{
			name: "test_logging_tool", title: "Logs at each level", about: "Sends one log message of each level, then answers", hint: reads,
			input: nothing,
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				data := []any{map[string]any{"berth": "A4"}, "The tide turns.", 4, 1.5, []any{"A4", nil}, true, nil, ""}
				for i, level := range core.Levels() {
					core.From(ctx).Log(level, "harbour", data[i%len(data)])
				}
				return plain("Every level was logged.")
			},
		},
	}
}
