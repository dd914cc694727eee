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
	check              func(values map[string]string) error // nil for a prompt that never fails
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
		registry.AddPrompt(mcp.NewPrompt(p.name, options...), p.handler())
	}
	offerAskingPrompt(registry)
}

func (p prompt) handler() mcpserver.PromptHandlerFunc {
	rendered := userPrompt(p.render)
	return func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if p.check != nil {
			if err := p.check(r.Params.Arguments); err != nil {
				return nil, err
			}
		}
		return rendered(ctx, r)
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
		{name: "safety_notice", title: "Safety notice", about: "Announces a measure.", required: []string{"measure"},
			render: says("Announce to all crews: %s.", "measure")},
		{name: "sounding_report", title: "Sounding report", about: "Reports the depth at a berth.", required: []string{"berth"},
			optional: []string{"depth"}, render: says("Report the depth at berth %s: %s.", "berth", "depth"), check: sound},
		{name: "storm_warning", title: "Storm warning", about: "Warns of a storm.", render: says("Warn all crews of a storm.")},
		{name: "tide_briefing", title: "Tide briefing", about: "Explains the tides.", optional: []string{"day"},
			render: says("Explain the tides of day %s to a crew.", "day")},
		{name: "weather_letter", title: "Weather letter", about: "Passes the weather on.", required: []string{"station"},
			render: says("Tell the crews the weather at %s.", "station")},
	}
}

// sound fails at the berth with the broken gauge.
func sound(values map[string]string) error {
	if values["berth"] == brokenGauge {
		return errNoGauge
	}
	return nil
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
		{name: "test_prompt_with_audio", title: "Recording", about: "A prompt with a recording.", render: func(map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewAudioContent(silence(), "audio/wav"), mcp.NewTextContent("Please listen to the recording above.")}
		}},
	}
}
