package roles

import (
	"maps"
	"slices"
	"strings"
)

// Offer holds the names that a server lists in one column.
type Offer struct {
	Tools, Prompts, Resources []string
	Modern                    bool // the column is of the stateless era
}

// Fixtures fills roles from the names that servers built for tests use. The
// name alone is proof enough, since its meaning is agreed.
func Fixtures(specs []Spec, offer Offer) Set {
	var filled []Filled
	for _, role := range slices.Concat(commonFixtures(), eraFixtures(offer), promptFixtures()) {
		fields := Fields{}
		for _, fixture := range role.fixtures {
			if _, taken := fields[fixture.field]; !taken && fixture.listed(offer) {
				fixture.put(fields)
			}
		}
		if len(fields) > 0 {
			filled = append(filled, Filled{Name: role.name, Source: Fixture, Fields: fields})
		}
	}
	return NewSet(specs, filled...)
}

// fixtureRole holds candidates for a role; of two fixtures for one field the
// first listed one wins.
type fixtureRole struct {
	name     Name
	fixtures []fixture
}

// fixture fills a field, or with an empty field the role's own call.
type fixture struct {
	field    string
	tool     string
	prompt   string
	resource string
	values   Fields // in addition to the name
	assumed  bool   // used although the server does not list it
}

func (f fixture) listed(offer Offer) bool {
	switch {
	case f.tool != "":
		return f.assumed || slices.Contains(offer.Tools, f.tool)
	case f.prompt != "":
		return slices.Contains(offer.Prompts, f.prompt)
	default:
		return slices.Contains(offer.Resources, f.resource)
	}
}

// put writes the fixture into the fields of its role. The role's own call is
// settled by its first member, so that two fixtures cannot mix.
func (f fixture) put(role Fields) {
	into := role
	if f.field != "" {
		into = Fields{}
		role[f.field] = into
	} else if role.Text("tool") != "" {
		return
	}
	maps.Copy(into, f.values)
	switch {
	case f.tool != "":
		into["tool"] = f.tool
		if _, given := into["arguments"]; !given {
			into["arguments"] = map[string]any{}
		}
	case f.prompt != "" && into["ref"] == nil:
		into["name"] = f.prompt
	case f.resource != "":
		into["uri"] = f.resource
	}
}

func with(arguments map[string]any) Fields { return Fields{"arguments": arguments} }

// commonFixtures have the same meaning in both eras.
func commonFixtures() []fixtureRole {
	return []fixtureRole{
		{ReadOnlyTool, []fixture{{tool: "test_simple_text"}}},
		{Failure, []fixture{{tool: "test_error_handling"}}},
		{ProgressTool, []fixture{{tool: "test_tool_with_progress"}}},
		{Content, []fixture{
			{field: "text", tool: "test_simple_text"},
			{field: "image", tool: "test_image_content"},
			{field: "audio", tool: "test_audio_content"},
			{field: "resource", tool: "test_embedded_resource"},
		}},
		{InvalidInput, []fixture{{field: "schema-2020", tool: "json_schema_2020_12_tool", values: Fields{
			// Valid however a server reads the fixture's condition, in both eras.
			"arguments":         map[string]any{"contactMethod": "phone", "phone": "555-0100", "email": "kit@example.com"},
			"invalid-arguments": map[string]any{"contactMethod": "phone"},
		}}}},
		{SlowTool, []fixture{
			{tool: "slow_compute", values: with(map[string]any{"seconds": 5, "label": "kit"})},
			{field: "polling", tool: "test_reconnection"},
		}},
		{TaskTool, []fixture{
			{tool: "slow_compute", values: with(map[string]any{"seconds": 1, "label": "kit"})},
			{field: "slow", tool: "slow_compute", values: with(map[string]any{"seconds": 5, "label": "kit"})},
			{field: "failing", tool: "failing_job"},
			{field: "protocol-error", tool: "protocol_error_job"},
			{field: "required", tool: "failing_job"},
			{field: "input", tool: "confirm_delete", values: with(map[string]any{"filename": "kit-${nonce}.txt"})},
			{field: "two-inputs", tool: "multi_input"},
			{field: "input-first", tool: "test_tool_with_task"},
		}},
		{Resource, []fixture{
			{resource: "test://static-text"},
			{field: "binary", resource: "test://static-binary"},
		}},
	}
}

// eraFixtures differ because the handshake era asks by requests, and the
// stateless era by results that want input.
func eraFixtures(offer Offer) []fixtureRole {
	if !offer.Modern {
		return []fixtureRole{
			{LoggingTool, []fixture{{tool: "test_tool_with_logging"}}},
			{ClientRequest, []fixture{
				{field: "elicitation", tool: "test_elicitation", values: with(map[string]any{"message": "kit"})},
				{field: "sampling", tool: "test_sampling", values: with(map[string]any{"prompt": "kit"})},
			}},
		}
	}
	const input = "test_input_required_result_"
	return []fixtureRole{
		{LoggingTool, []fixture{{tool: "test_logging_tool"}, {tool: "test_tool_with_logging"}}},
		{ClientRequest, []fixture{
			{field: "elicitation", tool: input + "elicitation"},
			{field: "sampling", tool: input + "sampling"},
			{field: "roots", tool: input + "list_roots"},
		}},
		{InputRequired, []fixture{
			{tool: input + "request_state"},
			{tool: input + "elicitation"},
			{tool: input + "multi_round"},
			{tool: input + "multiple_inputs"},
			{field: "prompt", prompt: input + "prompt"},
		}},
		{Trigger, []fixture{
			{field: "tools", tool: "test_trigger_tool_change", assumed: carriesModernFixtures(offer)},
			{field: "prompts", tool: "test_trigger_prompt_change", assumed: carriesModernFixtures(offer)},
		}},
	}
}

// A server need not list the triggers, so one that has enough of the other
// modern fixtures is assumed to have them.
func carriesModernFixtures(offer Offer) bool {
	found := 0
	for _, tool := range offer.Tools {
		switch tool {
		case "test_simple_text", "test_missing_capability", "test_streaming_elicitation", "test_logging_tool":
			found++
		default:
			if strings.HasPrefix(tool, "test_input_required_result_") {
				found++
			}
		}
	}
	return found >= 3
}

func promptFixtures() []fixtureRole {
	const completed = "test_prompt_with_arguments"
	return []fixtureRole{
		{Prompt, []fixture{
			{prompt: "test_simple_prompt"},
			{field: "image", prompt: "test_prompt_with_image"},
			{field: "resource", prompt: "test_prompt_with_embedded_resource", values: with(map[string]any{"resourceUri": "test://static-text"})},
		}},
		{Completion, []fixture{{prompt: completed, values: Fields{
			"ref":      map[string]any{"type": "ref/prompt", "name": completed},
			"argument": "arg1",
			"value":    "",
		}}}},
	}
}
