package tools

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// shapeCases judge the members of the tools in the list, one at a time.
func shapeCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/input-schema-object",
			Title:  "input schemas are objects that describe an object",
			Checks: []requirements.ID{"tools-input-schema-object"},
			Needs:  declared(),
			Fix:    `put "type": "object" at the root of every inputSchema, also of tools without parameters`,
			Run:    each(describesObject("inputSchema")),
		},
		{
			ID:     "tools/input-schema-shape",
			Title:  "input schemas hold an object of objects as properties and a list of names as required",
			Checks: []requirements.ID{"tools-input-schema-legacy-shape"},
			Needs:  declared(),
			Fix:    "write properties as an object of schemas, none of them true or false, and required as a list of strings; leave them out instead of null",
			Run:    each(inputSchemaShape),
		},
		{
			ID:     "tools/output-schema-object",
			Title:  "output schemas describe an object",
			Checks: []requirements.ID{"tools-output-schema-object"},
			Needs:  declared(),
			Fix:    `put "type": "object" at the root of every outputSchema, or leave outputSchema out`,
			Run:    each(optional("outputSchema", describesObject("outputSchema"))),
		},
		{
			ID:     "tools/title",
			Title:  "titles of tools are strings",
			Checks: []requirements.ID{"tools-title-string"},
			Needs:  declared(),
			Fix:    "write title as a string, or leave it out",
			Run:    each(optional("title", title)),
		},
		{
			ID:     "tools/annotations",
			Title:  "hints about tools are booleans, and the title among them is a string",
			Checks: []requirements.ID{"tools-annotations-types"},
			Needs:  declared(),
			Fix:    "write readOnlyHint, destructiveHint, idempotentHint and openWorldHint as true or false, or leave them out",
			Run:    each(optional("annotations", hints)),
		},
	}
}

// optional lets a check look only at tools that have the member.
func optional(member string, passes check) check {
	return func(c *probe.Client, t tool) (bool, string, error) {
		if _, absent := t.member(member).(probe.Absent); absent {
			return false, "", nil
		}
		return passes(c, t)
	}
}

func describesObject(member string) check {
	return func(_ *probe.Client, t tool) (bool, string, error) {
		schema, ok := t.member(member).(map[string]any)
		if !ok {
			return true, t.at(member) + " is " + probe.Show(t.member(member)) + `, want an object with the type "object"`, nil
		}
		kind, ok := schema["type"]
		if !ok {
			kind = probe.Absent{}
		}
		if kind != "object" {
			return true, t.at(member, "type") + " is " + probe.Show(kind) + `, want "object"`, nil
		}
		return true, "", nil
	}
}

func inputSchemaShape(c *probe.Client, t tool) (judged bool, problem string, err error) {
	schema, ok := t.member("inputSchema").(map[string]any)
	if !ok {
		return false, "", nil
	}
	// Whether it describes an object is the business of another case.
	shape := probe.Object(schema).With("type", "object")
	problem, err = c.SchemaProblem("ObjectSchema", t.pointer+"/inputSchema", map[string]any(shape))
	return true, problem, err
}

func title(_ *probe.Client, t tool) (judged bool, problem string, err error) {
	if _, ok := t.member("title").(string); !ok {
		return true, t.at("title") + " is " + probe.Show(t.member("title")) + ", want a string", nil
	}
	return true, "", nil
}

func hints(c *probe.Client, t tool) (judged bool, problem string, err error) {
	problem, err = c.SchemaProblem("ToolAnnotations", t.pointer+"/annotations", t.member("annotations"))
	return true, problem, err
}
