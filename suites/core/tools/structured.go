package tools

import (
	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// structuredCases judge one answer of a tool that has an output schema.
func structuredCases() []suite.Case {
	needs := func(field string) []suite.Need {
		return []suite.Need{suite.Capability("tools"), suite.Role(roles.Content, field)}
	}
	object := shapes.Cases(results(), shapes.Row{
		Slug: "structured-content-object", Title: "structured content is an object", Rule: "tools-structured-content-object",
		Fix:    "return an object as structuredContent; put arrays and plain values into a property",
		Values: []shapes.Value{{At: "/structuredContent", Given: true, Want: probe.AnObject()}},
	})
	return append(object, []suite.Case{
		{
			ID:     "tools/structured-content-conforms",
			Title:  "structured content fits the output schema of its tool",
			Checks: []requirements.ID{"tools-structured-content-conforms"},
			Needs:  needs("structured"),
			Fix:    "return structuredContent as the published outputSchema has it, or correct that schema",
			Trial:  variedCalls,
			Run:    onStructured("structured", structuredConforms),
		},
		{
			ID:     "tools/structured-content-present",
			Title:  "a tool with an output schema returns structured content",
			Checks: []requirements.ID{"tools-structured-content-present"},
			Needs:  needs("structured"),
			Fix:    "return structuredContent with each successful result of a tool that has an outputSchema",
			Trial:  variedCalls,
			Run:    onStructured("structured", structuredPresent),
		},
		{
			ID:     "tools/structured-content-text",
			Title:  "structured content stands in a text block too, as JSON",
			Checks: []requirements.ID{"tools-structured-content-text-copy"},
			Needs:  needs("structured"),
			Fix:    "make a text block with the JSON of structuredContent from the same value, for clients that do not read it",
			Trial:  variedCalls,
			Run:    onStructured("structured", structuredText),
		},
		{
			ID:     "tools/structured-non-object-text",
			Title:  "structured content other than an object stands in a text block too, as JSON",
			Checks: []requirements.ID{"tools-structured-nonobject-text-copy"},
			Needs:  needs("non-object"),
			Fix:    "add a text block with the JSON of structuredContent, for clients that do not read it",
			Run:    onStructured("non-object", structuredText),
		},
	}...)
}

// An outcome is a successful answer of a tool with an output schema.
type outcome struct {
	*probe.Reply
	result map[string]any
	schema map[string]any
}

// onStructured judges the answer to one call, which all cases share.
func onStructured(field string, judge func(c *probe.Client, o outcome) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		call := c.Role(roles.Content).Field(field)
		tool, _ := usable(c).Find(call.Tool)
		schema, ok := tool.Get("outputSchema").(map[string]any)
		c.NotSeenIf(!ok, "the tool "+probe.Show(call.Tool)+" is not listed with an output schema")
		reply := probe.Once(c, "tools:"+field, func() (*probe.Reply, bool) {
			return c.CallTool(call, nil), true
		})
		result, served := reply.Result()
		c.NotSeenIf(!served || reply.ErrorFlag() || !final(result), "the call of "+probe.Show(call.Tool)+" does not succeed")
		return judge(c, outcome{reply, result, schema})
	}
}

// structured is the structured content; another rule judges a result without it.
func (o outcome) structured(c *probe.Client) any {
	v, ok := o.result["structuredContent"]
	c.NotSeenIf(!ok, "the result has no structured content")
	return v
}

// structuredPresent judges the tool of the role, and then what other calls return that only
// read.
func structuredPresent(c *probe.Client, o outcome) error {
	for _, each := range append([]outcome{o}, readers(c)...) {
		if _, ok := each.result["structuredContent"]; !ok {
			return each.Violation("$.result.structuredContent is absent, want a value that fits the output schema").
				Unless(probe.NoContent(each.Reply))
		}
	}
	return nil
}

// structuredConforms judges the tool of the role, and then what other calls return that only
// read.
func structuredConforms(c *probe.Client, o outcome) error {
	c.NotSeenIf(!shaped(c, o.structured(c)), "the structured content is not an object, which another rule judges")
	v, unclear := o.misfit(c)
	if v != nil {
		return v
	}
	for _, further := range readers(c) {
		if v, _ := further.misfit(c); v != nil {
			return v
		}
	}
	if unclear != "" {
		c.Undecide(unclear)
	}
	return nil
}

// shaped reports whether structured content is an object, where it has to be one.
func shaped(c *probe.Client, structured any) bool {
	_, object := structured.(map[string]any)
	return object || !protocol.DescribesObject("outputSchema").At(c.Revision())
}

// misfit tells how structured content breaks the output schema, or why that is unclear.
func (o outcome) misfit(c *probe.Client) (v *probe.Violation, unclear string) {
	value, has := o.result["structuredContent"]
	if !has || !shaped(c, value) {
		return nil, "" // another rule judges that
	}
	compiled, err := schemas.Compile(o.schema)
	if err != nil {
		return nil, "the output schema cannot be applied: " + err.Error() //nolint:nilerr // no rule of this case is broken
	}
	faults, undecided := compiled.Validate(value)
	switch {
	case undecided:
		return nil, "the output schema cannot be applied to the end"
	case len(faults) > 0:
		return o.Violation("%s", probe.Faults("/result/structuredContent", faults)), ""
	}
	return nil, ""
}

// readers are what calls return that only read, of tools with an output schema, the tool of the
// role with other arguments among them. They are made once for the connection. A tool that does
// not answer ends the row: the next one may take as long.
func readers(c *probe.Client) []outcome {
	role := c.Role(roles.Content).Field("structured")
	return probe.Once(c, "tools:readers", func() ([]outcome, bool) {
		var all []outcome
		called := 0
		for _, call := range c.Survey().Safe {
			tool, _ := usable(c).Find(call.Tool)
			schema, ok := tool.Get("outputSchema").(map[string]any)
			arguments := probe.Object(call.Arguments)
			if !ok || call.Tool == role.Tool && probe.Same(arguments, role.Arguments) {
				continue
			}
			if called++; called > c.Waits().Reads {
				break
			}
			reply := c.CallTool(&probe.ToolCall{Tool: call.Tool, Arguments: arguments}, nil)
			if result, served := reply.Result(); served && !reply.ErrorFlag() && final(result) {
				all = append(all, outcome{reply, result, schema})
			}
			if reply.Silent() || reply.Died() {
				break
			}
		}
		return all, true
	})
}

// structuredText judges one answer, and then what other calls return that only read: text that holds
// other values than the content.
func structuredText(c *probe.Client, o outcome) error {
	v := o.structured(c)
	_, ok := o.result["content"].([]any)
	c.NotSeenIf(!ok, "the result has no array of content, which another rule judges")
	c.NotSeenIf(!shaped(c, v), "the structured content is not an object, which another rule judges")
	misfit, _ := o.misfit(c)
	c.NotSeenIf(misfit != nil, "the structured content does not fit its schema, which tools/structured-content-conforms judges")
	switch problem := contradicted(o.result, v); {
	case repeated(o.result, v):
	case problem != "":
		return o.Violation("%s", problem).Unless(o.UnclearText())
	default:
		return o.Violation("no text block holds the JSON of $.result.structuredContent, want one").Unless(o.UnclearText())
	}
	if _, object := v.(map[string]any); !object {
		return nil
	}
	for _, further := range readers(c) {
		if misfit, _ := further.misfit(c); misfit != nil {
			continue // another rule judges what does not fit its schema
		}
		if problem := contradicted(further.result, further.result["structuredContent"]); problem != "" {
			return further.Violation("%s", problem)
		}
	}
	return nil
}

// repeatsValue reports whether a text repeats a value: as its JSON in any form, or as the
// string itself.
func repeatsValue(text string, v any) bool {
	if plain, ok := v.(string); ok && plain == text {
		return true
	}
	read := frame.Read([]byte(text))
	return read.Class != frame.NotJSON && probe.Same(read.Value, v)
}
