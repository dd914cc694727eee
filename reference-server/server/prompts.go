package server

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// A prompt is one prompt of the office. The values of the arguments stand between the
// parts of its text.
type prompt struct {
	name, title, about string
	required, optional []string
	render             func(values map[string]string) []mcp.Content
}

func offerPrompts(registry *mcpserver.MCPServer) {
	for _, p := range append(officePrompts(), fixturePrompts()...) {
		options := []mcp.PromptOption{mcp.WithPromptTitle(p.title), mcp.WithPromptDescription(p.about)}
		for _, name := range p.required {
			options = append(options, mcp.WithArgument(name, mcp.RequiredArgument(), mcp.ArgumentDescription("The "+name+".")))
		}
		for _, name := range p.optional {
			options = append(options, mcp.WithArgument(name, mcp.ArgumentDescription("The "+name+", if any.")))
		}
		registry.AddPrompt(mcp.NewPrompt(p.name, options...), userPrompt(p.render))
	}
}

func userPrompt(render func(map[string]string) []mcp.Content) mcpserver.PromptHandlerFunc {
	return func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		var messages []mcp.PromptMessage
		for _, content := range render(r.Params.Arguments) {
			messages = append(messages, mcp.NewPromptMessage(mcp.RoleUser, content))
		}
		return mcp.NewGetPromptResult("", messages), nil
	}
}

func says(format string, names ...string) func(map[string]string) []mcp.Content {
	return func(values map[string]string) []mcp.Content {
		all := make([]any, len(names))
		for i, name := range names {
			all[i] = values[name]
		}
		return []mcp.Content{mcp.NewTextContent(fmt.Sprintf(format, all...))}
	}
}

func officePrompts() []prompt {
	return []prompt{
		{name: "arrival_notice", title: "Arrival", about: "Announces a vessel.", required: []string{"vessel"},
			render: says("Write a notice that the vessel %s arrives.", "vessel")},
		{name: "berth_request", title: "Berth request", about: "Asks for a berth.", required: []string{"vessel", "berth"},
			render: says("Ask the harbour master for a berth for %s, if possible %s.", "vessel", "berth")},
		{name: "departure_notice", title: "Departure", about: "Announces a departure.", required: []string{"vessel"},
			render: says("Write a notice that the vessel %s leaves.", "vessel")},
		{name: "fee_letter", title: "Fee letter", about: "Explains a fee.", required: []string{"vessel"}, optional: []string{"tone"},
			render: says("Explain the mooring fee to the crew of %s. Tone: %s.", "vessel", "tone")},
		{name: "lamp_check", title: "Lamp check", about: "Plans a check of the lamps.", render: says("Plan a check of all pier lamps.")},
		{name: "night_report", title: "Night report", about: "Sums up a night.", optional: []string{"pier"},
			render: says("Sum up what happened at night at pier %s.", "pier")},
		{name: "storm_warning", title: "Storm warning", about: "Warns of a storm.", render: says("Warn all crews of a storm.")},
		{name: "tide_briefing", title: "Tide briefing", about: "Explains the tides.", optional: []string{"day"},
			render: says("Explain the tides of day %s to a crew.", "day")},
	}
}

func fixturePrompts() []prompt {
	embedded := func(values map[string]string) []mcp.Content {
		return []mcp.Content{
			mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: values["resourceUri"], MIMEType: "text/plain",
				Text: "Embedded resource content for testing."}),
			mcp.NewTextContent("Please process the embedded resource above."),
		}
	}
	return []prompt{
		{name: "test_simple_prompt", title: "Simple", about: "A prompt without arguments.", render: says("This is a simple prompt for testing.")},
		{name: "test_prompt_with_arguments", title: "Arguments", about: "A prompt with two arguments.", required: []string{"arg1", "arg2"},
			render: says("Prompt with arguments: arg1='%s', arg2='%s'", "arg1", "arg2")},
		{name: "test_prompt_with_embedded_resource", title: "Resource", about: "A prompt with a resource.", required: []string{"resourceUri"},
			render: embedded},
		{name: "test_prompt_with_image", title: "Picture", about: "A prompt with a picture.", render: func(map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewImageContent(pixel(), "image/png"), mcp.NewTextContent("Please look at the picture above.")}
		}},
	}
}
