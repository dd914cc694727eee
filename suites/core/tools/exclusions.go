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
		{"type", "with an object where its schema has a number or a boolean", withObject},
	}
}

func withoutRequired(schema map[string]any, call *probe.ToolCall) *probe.ToolCall {
	for _, each := range probe.ArrayOf(schema["required"]) {
		if name, ok := each.(string); ok {
			return replaced(call, call.Arguments.Without(name))
		}
	}
	return nil
}

func withObject(schema map[string]any, call *probe.ToolCall) *probe.ToolCall {
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, _ := properties[name].(map[string]any)
		_, header := property["x-mcp-header"]
		switch property["type"] {
		case "number", "integer", "boolean":
			if header {
				continue // a header repeats it, so the header would be rejected
			}
			return replaced(call, call.Arguments.With(name, probe.Object{"mcp-conform": "an object"}))
		}
	}
	return nil
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
	t, _ := usable(c).Find(call.Tool)
	schema, ok := t.Get("inputSchema").(map[string]any)
	if !ok {
		c.Undecide("the tool " + probe.Show(call.Tool) + " is not listed with an input schema")
	}
	var out *probe.ToolCall
	switch known := role.From("invalid-arguments") == roles.Config; {
	case e.spoil == nil && !known:
		c.NotSeen("arguments that are known to be rejected; roles.invalid-input.invalid-arguments may name some")
	case e.spoil == nil:
		out = call.Using("invalid-arguments")
	case known && !reads(t):
		c.NotSeen("the configuration says what the tool rejects, and nothing else is tried on one that may change something")
	default:
		out = e.spoil(schema, call)
	}
	switch {
	case out == nil:
		c.NotSeen("arguments that the input schema of " + probe.Show(call.Tool) + " excludes in this way")
	case !excludes(schema, out.Arguments):
		c.Undecide("the published input schema of " + probe.Show(call.Tool) +
			" does not exclude these arguments for certain")
	}
	return out
}

// reads reports whether the tool is annotated as read-only.
func reads(t probe.Item) bool {
	return probe.ObjectOf(t.Get("annotations"))["readOnlyHint"] == true
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
