package tools

import (
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// An exclusion turns valid arguments into arguments that the schema of a tool excludes;
// nil if the schema offers no way.
type exclusion struct {
	slug, title string
	spoil       func(schema map[string]any, call *probe.ToolCall) *probe.ToolCall // nil: the configuration gives the arguments
}

func exclusions() []exclusion {
	return []exclusion{
		{"configured", "with arguments that are known to be rejected", nil},
		{"missing", "without an argument that its schema requires", withoutRequired},
		{"type", "with an object where its schema has a string, a number or a boolean", withObject},
		{nested, "with an object where its schema has something else inside of an argument", withObjectInside},
	}
}

// nested is the exclusion that any read-only tool may serve: few tools have arguments with
// something inside.
const nested = "nested"

func withoutRequired(schema map[string]any, call *probe.ToolCall) *probe.ToolCall {
	names, _ := schema["required"].([]any)
	for _, each := range names {
		if name, ok := each.(string); ok {
			return replaced(call, call.Arguments.Without(name))
		}
	}
	return nil
}

func withObject(schema map[string]any, call *probe.ToolCall) *probe.ToolCall {
	if name, ok := scalar(schema); ok {
		return replaced(call, call.Arguments.With(name, oddity()))
	}
	return nil
}

// withObjectInside puts the object one level deeper: into an object or an array.
func withObjectInside(schema map[string]any, call *probe.ToolCall) *probe.ToolCall {
	properties := record(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := record(properties[name])
		switch property["type"] {
		case "object":
			if member, ok := scalar(property); ok {
				inside := probe.Object(record(call.Arguments[name])).With(member, oddity())
				return replaced(call, call.Arguments.With(name, inside))
			}
		case "array":
			items := record(property["items"])
			if member, ok := scalar(items); ok {
				return replaced(call, call.Arguments.With(name, []any{probe.Object{member: oddity()}}))
			}
			if isScalar(items) {
				return replaced(call, call.Arguments.With(name, []any{oddity()}))
			}
		}
	}
	return nil
}

func oddity() probe.Object { return probe.Object{"mcp-conform": "an object"} }

// scalar is a property of an object's schema that holds a number or a boolean, or else a
// string. It leaves out what a header repeats: the header would be rejected.
func scalar(schema map[string]any) (name string, ok bool) {
	properties := record(schema["properties"])
	for _, each := range slices.Sorted(maps.Keys(properties)) {
		property := record(properties[each])
		switch {
		case !isScalar(property):
		case property["type"] != "string":
			return each, true
		case !ok:
			name, ok = each, true
		}
	}
	return name, ok
}

func isScalar(schema map[string]any) bool {
	_, header := schema["x-mcp-header"]
	return !header && slices.Contains([]any{"string", "number", "integer", "boolean"}, schema["type"])
}

func record(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func replaced(call *probe.ToolCall, arguments probe.Object) *probe.ToolCall {
	other := *call
	other.Arguments = arguments
	return &other
}

// excluded is a call of the role's tool with arguments that its published schema surely
// excludes. The case ends if there is no such call.
func excluded(c *probe.Client, e exclusion) *probe.ToolCall {
	role := c.Role(invalidInput)
	call := role.Call()
	t, schema := published(c, call.Tool)
	if schema == nil {
		c.Undecide("the tool " + probe.Show(call.Tool) + " is not listed with an input schema")
	}
	var out *probe.ToolCall
	known := role.From("invalid-arguments") == roles.Config
	if e.spoil != nil && (!known || reads(t)) {
		out = e.spoil(schema, call)
	}
	if out == nil && e.slug == nested {
		out, schema = elsewhere(c, e)
	}
	switch {
	case out != nil:
	case e.spoil == nil && !known:
		c.NotSeen("arguments that are known to be rejected; roles.invalid-input.invalid-arguments may name some")
	case e.spoil == nil:
		out = call.Using("invalid-arguments")
	case known && !reads(t):
		c.NotSeen("the configuration says what the tool rejects, and nothing else is tried on one that may change something")
	default:
		c.NotSeen("arguments that the input schema of " + probe.Show(call.Tool) + " excludes in this way")
	}
	if !excludes(schema, out.Arguments) {
		c.Undecide("the published input schema of " + probe.Show(out.Tool) +
			" does not exclude these arguments for certain")
	}
	return out
}

// elsewhere is a call of the first read-only tool whose arguments can be spoilt in a way.
func elsewhere(c *probe.Client, e exclusion) (*probe.ToolCall, map[string]any) {
	for _, safe := range c.Survey().Safe {
		_, schema := published(c, safe.Tool)
		if out := e.spoil(schema, &probe.ToolCall{Tool: safe.Tool, Arguments: safe.Arguments}); out != nil {
			return out, schema
		}
	}
	return nil, nil
}

func published(c *probe.Client, tool string) (probe.Item, map[string]any) {
	tools := usable(c)
	t, _ := tools.Find(tool)
	return t, record(t.Get("inputSchema"))
}

// fitting is a call of the same tool with arguments that fit: of the role, or else those
// that the kit made up.
func fitting(c *probe.Client, call *probe.ToolCall) *probe.ToolCall {
	own := c.Role(invalidInput).Call()
	for _, safe := range c.Survey().Safe {
		if safe.Tool == call.Tool && own.Tool != call.Tool {
			return replaced(call, safe.Arguments)
		}
	}
	return own
}

// reads reports whether the tool is annotated as read-only.
func reads(t probe.Item) bool {
	hints, _ := t.Get("annotations").(map[string]any)
	return hints["readOnlyHint"] == true
}

// excludedCall is the first call that has to be rejected.
func excludedCall(c *probe.Client) (call *probe.ToolCall) {
	var why error
	for _, e := range exclusions() {
		if why = c.Try(func() { call = excluded(c, e) }); why == nil {
			return call
		}
	}
	c.Stop(why)
	return nil
}

// accepts reports whether a schema surely accepts arguments.
func accepts(schema map[string]any, arguments probe.Object) bool {
	faults, decided := tried(schema, arguments)
	return decided && len(faults) == 0
}

// excludes reports whether a schema surely rejects arguments.
func excludes(schema map[string]any, arguments probe.Object) bool {
	faults, decided := tried(schema, arguments)
	return decided && len(faults) > 0
}

// tried validates arguments against a schema, after a round trip through JSON, so that
// they are judged as they are sent.
func tried(schema map[string]any, arguments probe.Object) (faults []schemas.Fault, decided bool) {
	compiled, err := schemas.Compile(schema)
	if err != nil {
		return nil, false
	}
	faults, undecided := compiled.Validate(frame.Read([]byte(probe.JSON(arguments))).Value)
	return faults, !undecided
}
