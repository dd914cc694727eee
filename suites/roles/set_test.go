package roles_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

type fields = roles.Fields

func set(name roles.Name, f roles.Fields) roles.Set {
	return roles.NewSet(roles.Known(), roles.Filled{Name: name, Source: roles.Config, Fields: f})
}

func TestHas(t *testing.T) {
	t.Parallel()
	tool := fields{"tool": "t"}
	for name, row := range map[string]struct {
		role   roles.Name
		fields roles.Fields
		has    map[string]bool
	}{
		"own call": {roles.StateChange, fields{"tool": "t", "arguments": map[string]any{}}, map[string]bool{
			"role:state-change": true, "state-change": true, "role:state-change.tool": true, "role:state-change.observe": false,
			"role:state-change.nothing": false, "role:state": false, "role:": false, "role:gated": false,
		}},
		"observe without its call": {roles.StateChange, fields{"observe": tool}, map[string]bool{
			"role:state-change": false, "role:state-change.observe": false,
		}},
		"observe with its call": {roles.StateChange, fields{"tool": "t", "observe": tool}, map[string]bool{
			"role:state-change.observe": true, "role:state-change.observe.tool": true, "role:state-change.observe.pointer": false,
		}},
		"observe of nothing": {roles.StateChange, fields{"tool": "t", "observe": fields{"pointer": "/a"}}, map[string]bool{
			"role:state-change.observe": false,
		}},
		"a call alone": {roles.Gated, fields{"by-cost": fields{"tool": "t", "observe": tool}}, map[string]bool{
			"role:gated": false, "role:gated.by-cost": true, "role:gated.by-cost.observe": true, "role:gated.observe": false,
		}},
		"a duration without its call": {roles.Gated, fields{"window": time.Second}, map[string]bool{"role:gated.window": false}},
		"a duration with its call":    {roles.Gated, fields{"tool": "t", "window": time.Second}, map[string]bool{"role:gated.window": true}},
		"a flag": {roles.SlowTool, fields{"tool": "t", "cancellable": true, "progress": false}, map[string]bool{
			"role:slow-tool.cancellable": true, "role:slow-tool.progress": false, "role:slow-tool.resumable": false,
		}},
		"a part of a call": {roles.ClientRequest, fields{"url": fields{"tool": "t", "complete": fields{"command": []string{"c"}}}, "roots": tool}, map[string]bool{
			"role:client-request": true, "role:client-request.url": true, "role:client-request.url.complete": true,
			"role:client-request.roots": true, "role:client-request.roots.file": false, "role:client-request.sampling": false,
		}},
		"a part of no call": {roles.ClientRequest, fields{"url": fields{"complete": fields{"command": []string{"c"}}}}, map[string]bool{
			"role:client-request.url": false, "role:client-request.url.complete": false,
		}},
		"a role without a call of its own": {roles.ClientRequest, fields{"gives-up-after": time.Second}, map[string]bool{
			"role:client-request.gives-up-after": true,
		}},
		"a field of a sibling": {roles.TaskTool, fields{"slow": tool, "observe": tool}, map[string]bool{
			"role:task-tool": false, "role:task-tool.observe": true, "role:task-tool.slow": true,
		}},
		"a field without its sibling": {roles.TaskTool, fields{"tool": "t", "observe": tool}, map[string]bool{
			"role:task-tool": true, "role:task-tool.observe": false,
		}},
		"two calls of which one is missing": {roles.SessionState, fields{"first": tool, "expect": 1}, map[string]bool{
			"role:session-state": false, "role:session-state.first": true, "role:session-state.expect": false,
		}},
		"two calls": {roles.SessionState, fields{"first": tool, "second": tool, "expect": nil}, map[string]bool{
			"role:session-state": true, "role:session-state.expect": true, "role:session-state.expect-fresh": false,
		}},
		"a flag or a call: the flag": {roles.SchemaTool, fields{"fetches": true}, map[string]bool{"role:schema-tool.fetches": false}},
		"a flag or a call: false":    {roles.SchemaTool, fields{"tool": "t", "fetches": false}, map[string]bool{"role:schema-tool.fetches": false}},
		"a flag or a call: the call": {roles.SchemaTool, fields{"fetches": tool}, map[string]bool{"role:schema-tool.fetches": true}},
		"empty lists":                {roles.Scopes, fields{"grantable": []string{}}, map[string]bool{"role:scopes.grantable": false}},
		"one of several": {roles.DataReference, fields{"export": fields{"params": map[string]any{}}, "export-short": fields{}}, map[string]bool{
			"role:data-reference.export": true, "role:data-reference.export-short": false, "role:data-reference.import": false,
		}},
		"steps": {roles.Transaction, fields{"steps": []fields{tool, tool}}, map[string]bool{
			"role:transaction": true, "role:transaction.bait": false,
		}},
		"no steps":        {roles.Transaction, fields{"steps": []fields{}, "bait": tool}, map[string]bool{"role:transaction": false, "role:transaction.bait": true}},
		"a principal":     {roles.Principals, fields{"second": fields{"token": "x"}, "limited": fields{}}, map[string]bool{"role:principals.second": true, "role:principals.limited": false}},
		"nothing":         {roles.Content, fields{}, map[string]bool{"role:content": false}},
		"an unknown role": {"harbour", fields{"tool": "t"}, map[string]bool{"role:harbour": false}},
	} {
		for path, want := range row.has {
			if got := set(row.role, row.fields).Has(path); got != want {
				t.Errorf("%s: Has(%q) is %v, want %v", name, path, got, want)
			}
		}
	}
	if (roles.Set{}).Has("role:content.text") {
		t.Error("the zero set holds something")
	}
}

func TestOver(t *testing.T) {
	t.Parallel()
	call := func(name string) fields { return fields{"tool": name} }
	for name, row := range map[string]struct{ above, below, want roles.Fields }{
		"another call drops what was said about the first": {
			fields{"tool": "a"},
			fields{"tool": "b", "arguments": map[string]any{"x": 1}, "observe": call("o"), "undo": call("u")},
			fields{"tool": "a", "undo": call("u")},
		},
		"what is said about a call joins it": {
			fields{"observe": call("o")},
			fields{"tool": "b", "arguments": map[string]any{}},
			fields{"tool": "b", "arguments": map[string]any{}, "observe": call("o")},
		},
		"a field alone wins as a whole": {
			fields{"undo": call("a")},
			fields{"undo": fields{"tool": "b", "arguments": map[string]any{}}},
			fields{"undo": call("a")},
		},
	} {
		got, _ := set(roles.StateChange, row.above).Over(set(roles.StateChange, row.below)).Role(roles.StateChange)
		if diff := cmp.Diff(row.want, got.Fields); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The failure role has no own call that other fields depend on, yet its own
// tool and arguments belong together.
func TestOverKeepsSiblingsTogether(t *testing.T) {
	t.Parallel()
	above := set(roles.Failure, fields{"tool": "a"})
	below := set(roles.Failure, fields{"tool": "b", "arguments": map[string]any{"x": 1}, "transient": fields{"tool": "t"}})
	got, _ := above.Over(below).Role(roles.Failure)
	if diff := cmp.Diff(fields{"tool": "a", "transient": fields{"tool": "t"}}, got.Fields); diff != "" {
		t.Error(diff)
	}
}

func TestSourcesOfMergedRoles(t *testing.T) {
	t.Parallel()
	specs := roles.Known()
	config := roles.NewSet(specs, roles.Filled{Name: roles.Content, Source: roles.Config, Fields: fields{"image": fields{"tool": "i"}}})
	fixture := roles.NewSet(specs,
		roles.Filled{Name: roles.Content, Source: roles.Fixture, Fields: fields{"image": fields{"tool": "f"}, "text": fields{"tool": "f"}}},
		roles.Filled{Name: roles.ReadOnlyTool, Source: roles.Fixture, Fields: fields{"tool": "r"}})
	merged := config.Over(fixture)
	content, _ := merged.Role(roles.Content)
	for field, want := range map[string]roles.Source{"image": roles.Config, "text": roles.Fixture} {
		if got := content.From(field); got != want {
			t.Errorf("%s comes from %s, want %s", field, got, want)
		}
	}
	if readOnly, ok := merged.Role(roles.ReadOnlyTool); !ok || readOnly.Source != roles.Fixture || readOnly.From("tool") != roles.Fixture {
		t.Errorf("got %+v", readOnly)
	}
	if _, ok := config.Role(roles.ReadOnlyTool); ok {
		t.Error("merging changed its operand")
	}
	if got := (roles.Set{}).Over(fixture); !got.Has("role:content.text") || len(got.Specs()) != len(specs) {
		t.Error("the zero set cannot be laid over another")
	}
}

func TestFieldsReadAsWhatTheyAre(t *testing.T) {
	t.Parallel()
	pointer := ""
	f := fields{
		"tool": "t", "observe": fields{"resource": "a://b", "pointer": pointer, "mode": roles.ModeCount},
		"undo": fields{"command": []string{"c"}}, "levels": []string{"debug"}, "headers": map[string]string{"A": "b"},
		"flag": true, "repeat": 3, "window": time.Minute, "expect": nil, "steps": []fields{{"tool": "s"}},
	}
	call, isCall := f.Call()
	action, isAction := f.At("undo").Action()
	own, _ := f.Action()
	observe, isObserve := f.Observe()
	_, noObserve := fields{}.Observe()
	_, noAction := fields{}.Action()
	expect, given := f.Any("expect")
	repeat, counted := f.Number("repeat")
	_, noArguments := f.Arguments("tool")
	got := []any{
		call, isCall, action, isAction, *own.Call, observe, isObserve, noObserve, noAction, expect, given, repeat, counted, noArguments,
		f.Text("repeat"), f.Texts("levels"), f.Map("headers"), f.Flag("flag"), f.Flag("tool"), f.At("none").At("deeper").Text("x"),
		f.Duration("window", 0), f.Duration("none", time.Hour), f.List("steps")[0].Text("tool"), observe.Private(),
	}
	want := []any{
		roles.Call{Tool: "t", Arguments: map[string]any{}}, true, roles.Action{Command: []string{"c"}}, true, call,
		roles.Observe{Resource: "a://b", Arguments: map[string]any{}, Pointer: &pointer, Mode: roles.ModeCount}, true, false, false,
		nil, true, 3, true, false, "", []string{"debug"}, map[string]string{"A": "b"}, true, false, "", time.Minute, time.Hour, "s", false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
