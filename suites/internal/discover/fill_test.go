package discover_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// listed is a survey with these tools.
func listed(t *testing.T, tools ...string) *probe.Survey {
	t.Helper()
	s := &probe.Survey{Lists: map[string][]any{}}
	for _, tool := range tools {
		s.Lists["tools/list"] = append(s.Lists["tools/list"], object(t, tool))
	}
	return s
}

// tool is one that is annotated read-only.
func tool(name, schema string) string {
	return `{"name":"` + name + `","annotations":{"readOnlyHint":true},"inputSchema":` + schema + `}`
}

// tasking is one that is annotated read-only and runs as a task.
func tasking(name, support string) string {
	return `{"name":"` + name + `","annotations":{"readOnlyHint":true},"execution":{"taskSupport":"` + support + `"},"inputSchema":{}}`
}

// A safe tool that runs as a task fills the role, and one that must is not called plainly.
func TestFillTasks(t *testing.T) {
	t.Parallel()
	type fields = roles.Fields
	none := map[string]any{}
	for name, row := range map[string]struct {
		tools         []string
		task, reading fields
	}{
		"none":         {[]string{tasking("a", "forbidden")}, nil, fields{"tool": "a", "arguments": none}},
		"optional":     {[]string{tasking("a", "optional")}, fields{"tool": "a", "arguments": none}, fields{"tool": "a", "arguments": none}},
		"required":     {[]string{tasking("a", "required")}, fields{"tool": "a", "arguments": none, "required": fields{"tool": "a", "arguments": none}}, nil},
		"not safe":     {[]string{`{"name":"a","execution":{"taskSupport":"optional"},"inputSchema":{}}`}, nil, nil},
		"odd declared": {[]string{tasking("a", "yes"), `{"name":"b","execution":[]}`}, nil, fields{"tool": "a", "arguments": none}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := discover.Fill(roles.NewSet(roles.Known()), listed(t, row.tools...), false, false)
			for role, want := range map[roles.Name]fields{roles.TaskTool: row.task, roles.ReadOnlyTool: row.reading} {
				filled, _ := got.Role(role)
				if diff := cmp.Diff(want, filled.Fields); diff != "" {
					t.Errorf("%s: %s", role, diff)
				}
			}
		})
	}
}

// What discovery dares to call.
func TestFill(t *testing.T) {
	t.Parallel()
	unsafe := `{"name":"wipe","inputSchema":{"type":"object","required":["x"],"properties":{"x":{"type":"integer"}}}}`
	type fields = roles.Fields
	for name, row := range map[string]struct {
		tools      []string
		everything bool
		reading    fields
		refusing   fields
	}{
		"nothing": {nil, false, nil, nil},
		"read-only": {[]string{tool("a", required(`{"type":"string"}`))}, false,
			fields{"tool": "a", "arguments": map[string]any{"x": "example"}},
			fields{"tool": "a", "arguments": map[string]any{"x": "example"}, "invalid-arguments": map[string]any{}}},
		"the least demanding": {[]string{tool("a", required(`{}`)), tool("b", `{"type":"object","properties":{"n":{"type":"number"},"b":{"type":"boolean"}}}`)}, false,
			fields{"tool": "b", "arguments": map[string]any{}},
			fields{"tool": "a", "arguments": map[string]any{"x": "example"}, "invalid-arguments": map[string]any{}}},
		"an object for a flag": {[]string{tool("b", `{"type":"object","properties":{"n":{"type":"number"},"b":{"type":"boolean"},"s":{"type":"string"}}}`)}, false,
			fields{"tool": "b", "arguments": map[string]any{}},
			fields{"tool": "b", "arguments": map[string]any{}, "invalid-arguments": map[string]any{"b": map[string]any{"mcp-conform": "an object"}}}},
		"nothing to bend": {[]string{tool("c", `{"type":"object","properties":{"s":{}}}`)}, false, fields{"tool": "c", "arguments": map[string]any{}}, nil},
		"an object for a string": {[]string{tool("c", `{"type":"object","properties":{"s":{"type":"string"}}}`)}, false,
			fields{"tool": "c", "arguments": map[string]any{}},
			fields{"tool": "c", "arguments": map[string]any{}, "invalid-arguments": map[string]any{"s": map[string]any{"mcp-conform": "an object"}}}},
		"rather a number than a string": {[]string{tool("c", `{"properties":{"s":{"type":"string"}}}`), tool("n", `{"properties":{"n":{"type":"number"}}}`)}, false,
			fields{"tool": "c", "arguments": map[string]any{}},
			fields{"tool": "n", "arguments": map[string]any{}, "invalid-arguments": map[string]any{"n": map[string]any{"mcp-conform": "an object"}}}},
		"beyond us":       {[]string{tool("d", required(`{"$ref":"x"}`))}, false, nil, nil},
		"not marked":      {[]string{unsafe, `{"name":"e","annotations":{"readOnlyHint":"yes"}}`, `{"annotations":{"readOnlyHint":true}}`}, false, nil, nil},
		"everything goes": {[]string{unsafe}, true, fields{"tool": "wipe", "arguments": map[string]any{"x": 1.0}}, fields{"tool": "wipe", "arguments": map[string]any{"x": 1.0}, "invalid-arguments": map[string]any{}}},
		"no placeholders": {[]string{tool("f", required(`{"default":{"deep":["${nonce}",{"a":"$${x}"}]}}`))}, false, fields{"tool": "f", "arguments": map[string]any{"x": map[string]any{"deep": []any{"$${nonce}", map[string]any{"a": "$$${x}"}}}}}, fields{"tool": "f", "arguments": map[string]any{"x": map[string]any{"deep": []any{"$${nonce}", map[string]any{"a": "$$${x}"}}}}, "invalid-arguments": map[string]any{}}},
		"mirrored arguments": {[]string{tool("h", `{"type":"object","properties":{
			"n":{"type":"integer","minimum":3,"x-mcp-header":"N"},"s":{"type":"string","x-mcp-header":"S"},
			"o":{"type":"object","properties":{"t":{"type":"string","enum":["u"],"x-mcp-header":"T"}}},
			"l":{"type":"array","items":{"type":"string","x-mcp-header":"L"}}}}`)}, false,
			fields{"tool": "h", "arguments": map[string]any{},
				"header":         fields{"tool": "h", "arguments": map[string]any{"s": "example"}},
				"header-integer": fields{"tool": "h", "arguments": map[string]any{"n": 3.0}},
				"header-nested":  fields{"tool": "h", "arguments": map[string]any{"o": map[string]any{"t": "u"}}}},
			fields{"tool": "h", "arguments": map[string]any{}, "invalid-arguments": map[string]any{"n": map[string]any{"mcp-conform": "an object"}}}},
		"odd declarations": {[]string{`{"name":7}`, `{"name":"g","annotations":[],"inputSchema":"x"}`}, false, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := discover.Fill(roles.NewSet(roles.Known()), listed(t, row.tools...), false, row.everything)
			for role, want := range map[roles.Name]fields{roles.ReadOnlyTool: row.reading, roles.InvalidInput: row.refusing} {
				filled, ok := got.Role(role)
				if diff := cmp.Diff(want, filled.Fields); diff != "" || ok != (want != nil) {
					t.Errorf("%s: %s", role, diff)
				}
				if ok && filled.Source != roles.Discovered {
					t.Errorf("%s comes from %s", role, filled.Source)
				}
			}
		})
	}
}

// Output schemas are tried at the least demanding tool of each kind.
func TestFillStructured(t *testing.T) {
	t.Parallel()
	yields := func(name, input, output string) string {
		return `{"name":"` + name + `","annotations":{"readOnlyHint":true},"inputSchema":` + input + `,"outputSchema":` + output + `}`
	}
	survey := listed(t, tool("a", `{}`), yields("b", required(`{"type":"string"}`), `{"type":"object"}`), yields("c", `{}`, `{}`),
		yields("d", required(`{"type":"integer"}`), `{"type":"array"}`), `{"name":"e","inputSchema":{},"outputSchema":{"type":"string"}}`)
	want := roles.Fields{
		"structured": roles.Fields{"tool": "c", "arguments": map[string]any{}},
		"non-object": roles.Fields{"tool": "d", "arguments": map[string]any{"x": 1.0}},
	}
	filled, _ := discover.Fill(roles.NewSet(roles.Known()), survey, false, false).Role(roles.Content)
	if diff := cmp.Diff(want, filled.Fields); diff != "" {
		t.Error(diff)
	}
	if _, ok := discover.Fill(roles.NewSet(roles.Known()), listed(t, tool("a", `{}`)), false, false).Role(roles.Content); ok {
		t.Error("there is no output schema, and a tool for one")
	}
}

// The file wins over fixtures, and fixtures over what was discovered.
func TestFillOrder(t *testing.T) {
	t.Parallel()
	survey := listed(t, tool("found", `{}`), `{"name":"test_simple_text"}`)
	given := roles.NewSet(roles.Known(), roles.Filled{Name: roles.ReadOnlyTool, Source: roles.Config, Fields: roles.Fields{"tool": "given"}})
	for want, set := range map[string]roles.Set{
		"given":            discover.Fill(given, survey, false, false),
		"test_simple_text": discover.Fill(roles.NewSet(roles.Known()), survey, false, false),
		"found":            discover.Fill(roles.NewSet(roles.Known()), listed(t, tool("found", `{}`)), false, false),
	} {
		if filled, _ := set.Role(roles.ReadOnlyTool); filled.Fields.Text("tool") != want {
			t.Errorf("got %v, want %s", filled.Fields, want)
		}
	}
}

// Tools that say that they change nothing are called, if arguments can be made up.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	survey := listed(t, tool("a", required(`{"default":"${nonce}"}`)), tool("b", required(`{"$ref":"x"}`)), tool("", `{}`),
		`{"name":"c","inputSchema":{}}`, `{"name":"d","annotations":{"readOnlyHint":true,"destructiveHint":true},"inputSchema":{}}`,
		`{"name":"e","annotations":{"readOnlyHint":"yes"},"inputSchema":{}}`, tool("f", `{}`), tool("g", `{}`), `{"name":"g","inputSchema":{}}`,
		tasking("h", "required"))
	want := []roles.Call{{Tool: "a", Arguments: map[string]any{"x": "${nonce}"}}, {Tool: "f", Arguments: map[string]any{}}}
	if diff := cmp.Diff(want, discover.ReadOnly(survey.Lists["tools/list"])); diff != "" {
		t.Error(diff)
	}
}

// Some servers list their tools in another order each time: the same tools are chosen.
func TestFillInAnyOrder(t *testing.T) {
	t.Parallel()
	var all []string
	for _, name := range []string{"a", "b"} {
		all = append(all, tool(name+"1", required(`{"type":"integer"}`)), tool(name+"2", `{"properties":{"s":{"type":"string"}}}`),
			tool(name+"3", `{"properties":{"s":{"type":"string","x-mcp-header":"S"}}}`), tasking(name+"4", "optional"),
			`{"name":"`+name+`5","annotations":{"readOnlyHint":true},"inputSchema":{},"outputSchema":{"type":"object"}}`)
	}
	chosen := func() (roles.Set, []roles.Call) {
		survey := listed(t, all...)
		return discover.Fill(roles.NewSet(roles.Known()), survey, false, false), discover.ReadOnly(survey.Lists["tools/list"])
	}
	want, calls := chosen()
	slices.Reverse(all)
	got, again := chosen()
	for _, role := range []roles.Name{roles.ReadOnlyTool, roles.InvalidInput, roles.TaskTool, roles.Content} {
		before, filled := want.Role(role)
		after, _ := got.Role(role)
		if diff := cmp.Diff(before.Fields, after.Fields); diff != "" || !filled {
			t.Errorf("%s is filled: %t: %s", role, filled, diff)
		}
	}
	if diff := cmp.Diff(calls, again); diff != "" {
		t.Error(diff)
	}
}
