package roles_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

func TestDeclarationsAreSound(t *testing.T) {
	t.Parallel()
	seen := map[roles.Name]bool{}
	for _, spec := range roles.Known() {
		if seen[spec.Name] {
			t.Errorf("%s is declared twice", spec.Name)
		}
		seen[spec.Name] = true
		checkMembers(t, string(spec.Name), spec.Text, spec.Fields)
	}
	if len(seen) != 29 {
		t.Errorf("%d roles are declared", len(seen))
	}
}

func checkMembers(t *testing.T, path, text string, members []roles.Field) {
	t.Helper()
	kebab := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	names := map[string]bool{}
	for _, field := range members {
		names[field.Name] = true
	}
	if len(names) != len(members) {
		t.Errorf("%s has two members of one name", path)
	}
	if text == "" || strings.HasSuffix(text, ".") {
		t.Errorf("%s is described by %q", path, text)
	}
	for _, field := range members {
		inner := path + "." + field.Name
		if !kebab.MatchString(field.Name) {
			t.Errorf("%s is not written in kebab-case", inner)
		}
		if field.Of != "" && !names[field.Of] {
			t.Errorf("%s belongs to %s, which is not there", inner, field.Of)
		}
		checkMembers(t, inner, field.Text, field.Members())
	}
}

// Requirements only ask for declared paths, since no configuration can give others.
func TestPathsThatRequirementsAskForAreDeclared(t *testing.T) {
	t.Parallel()
	for _, path := range strings.Fields(`
		binary-tool binary-tool.unlisted client-request.elicitation client-request.gives-up-after client-request.roots
		client-request.roots.file client-request.sampling client-request.sampling-tools client-request.url
		client-request.url.complete completion completion.ranked content.audio content.empty-params content.image
		content.non-object content.provenance content.provenance.expect content.resource content.resource-link
		content.structured content.text data-reference.export data-reference.export-short data-reference.import denied
		denied.completion denied.gated denied.observe denied.resource events events.force-end events.second-type
		failure.completion failure.logging failure.not-found failure.prompt failure.request failure.resource failure.tasks
		failure.tool failure.transient gated gated.by-cost gated.observe gated.second gated.window input-required
		input-required.lifetime input-required.once input-required.other-arguments input-required.prompt
		input-required.resource intent invalid-input invalid-input.schema-2020 logging-tool principals.first
		principals.foreign principals.limited principals.second principals.token-command progress-tool prompt prompt.audio
		prompt.image prompt.resource rate-limit rate-limit.completion rate-limit.repeat rate-limit.tasks read-only-tool
		read-only-tool.header read-only-tool.header-integer read-only-tool.header-nested resource resource.binary
		schema-tool schema-tool.fetches scopes scopes.hierarchy scopes.temporary session-state session-state.expect
		session-state.expect-fresh slow-tool slow-tool.cancellable slow-tool.observe slow-tool.progress
		slow-tool.resumable state-change state-change.invalid-arguments state-change.observe state-change.other-arguments
		state-change.undo stream-tool stream-tool.join task-tool task-tool.failing task-tool.input task-tool.input-first
		task-tool.observe task-tool.progress task-tool.protocol-error task-tool.required task-tool.slow
		task-tool.two-inputs transaction transaction.bait transaction.failing-compensation transaction.failing-step
		trigger.prompts trigger.resource trigger.resources trigger.shutdown trigger.tools upstream.api upstream.proxy
		upstream.third-party`) {
		if _, ok := roles.Find(roles.Known(), "role:"+path); !ok {
			t.Errorf("role:%s is not declared", path)
		}
	}
	for _, path := range []string{"role:none", "role:content.none", "role:content.text.none", "role:slow-tool.duration.x"} {
		if _, ok := roles.Find(roles.Known(), path); ok {
			t.Errorf("%s is declared", path)
		}
	}
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	everything := roles.Offer{
		Tools: strings.Fields(`test_simple_text test_image_content test_audio_content test_embedded_resource test_tool_with_logging
			test_tool_with_progress test_error_handling test_sampling test_elicitation json_schema_2020_12_tool test_logging_tool
			test_missing_capability test_streaming_elicitation test_input_required_result_elicitation
			test_input_required_result_sampling test_input_required_result_list_roots test_input_required_result_request_state
			slow_compute failing_job protocol_error_job confirm_delete multi_input test_tool_with_task`),
		Prompts: strings.Fields(`test_simple_prompt test_prompt_with_arguments test_prompt_with_image
			test_prompt_with_embedded_resource test_input_required_result_prompt`),
		Resources: []string{"test://static-text", "test://static-binary"},
	}
	common := strings.Fields(`read-only-tool content.text content.image content.audio content.resource invalid-input.schema-2020
		failure.tool slow-tool progress-tool logging-tool resource resource.binary prompt prompt.image prompt.resource completion
		task-tool task-tool.slow task-tool.failing task-tool.protocol-error task-tool.required task-tool.input
		task-tool.two-inputs task-tool.input-first client-request.elicitation client-request.sampling`)
	modernOnly := strings.Fields(`input-required input-required.prompt client-request.roots trigger.tools trigger.prompts`)
	never := strings.Fields(`state-change invalid-input prompt.audio task-tool.progress gated slow-tool.cancellable`)

	legacy := roles.Fixtures(roles.Known(), everything)
	everything.Modern = true
	modern := roles.Fixtures(roles.Known(), everything)
	for _, path := range common {
		if !legacy.Has(path) || !modern.Has(path) {
			t.Errorf("%s: legacy %v, modern %v", path, legacy.Has(path), modern.Has(path))
		}
	}
	for _, path := range modernOnly {
		if legacy.Has(path) || !modern.Has(path) {
			t.Errorf("%s: legacy %v, modern %v", path, legacy.Has(path), modern.Has(path))
		}
	}
	for _, path := range never {
		if legacy.Has(path) || modern.Has(path) {
			t.Errorf("%s: legacy %v, modern %v", path, legacy.Has(path), modern.Has(path))
		}
	}
	for path, want := range map[roles.Name]string{
		roles.LoggingTool: "test_logging_tool", roles.InputRequired: "test_input_required_result_request_state", roles.TaskTool: "slow_compute",
	} {
		if got, _ := modern.Role(path); got.Text("tool") != want || got.Source != roles.Fixture {
			t.Errorf("%s is filled by %q from %s, want %q", path, got.Text("tool"), got.Source, want)
		}
	}
	completion, _ := modern.Role(roles.Completion)
	if _, named := completion.Fields["name"]; named {
		t.Errorf("a completion has a member that it does not know: %v", completion.Fields)
	}
}

func TestFixturesOfOrdinaryServers(t *testing.T) {
	t.Parallel()
	for name, offer := range map[string]roles.Offer{
		"nothing": {Modern: true}, "others": {Tools: []string{"echo", "slow"}, Prompts: []string{"p"}, Resources: []string{"file:///a"}, Modern: true},
	} {
		if got := roles.Fixtures(roles.Known(), offer).All(); len(got) != 0 {
			t.Errorf("%s: got %v", name, got)
		}
	}
	one := roles.Fixtures(roles.Known(), roles.Offer{Tools: []string{"test_simple_text"}, Modern: true})
	if one.Has("role:trigger.tools") || !one.Has("role:read-only-tool") {
		t.Errorf("got %v", one.All())
	}
}

// Every fixture must fit the declaration of its role.
func TestFixturesFitTheirRoles(t *testing.T) {
	t.Parallel()
	offer := roles.Offer{Tools: []string{"slow_compute", "confirm_delete", "json_schema_2020_12_tool"}, Prompts: []string{"test_prompt_with_arguments"}}
	for _, filled := range roles.Fixtures(roles.Known(), offer).All() {
		for name, value := range filled.Fields {
			if _, ok := roles.Find(roles.Known(), string(filled.Name)+"."+name); !ok {
				t.Errorf("%s.%s is not declared", filled.Name, name)
			}
			if inner, ok := value.(roles.Fields); ok {
				for member := range inner {
					if _, ok := roles.Find(roles.Known(), string(filled.Name)+"."+name+"."+member); !ok {
						t.Errorf("%s.%s.%s is not declared", filled.Name, name, member)
					}
				}
			}
		}
	}
}
