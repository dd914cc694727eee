package tools

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// shapeCases judge the properties of the tools in the list, one at a time.
func shapeCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/input-schema-object",
			Title:  "input schemas are objects that describe an object",
			Checks: []requirements.ID{"tools-input-schema-object"},
			Needs:  declared(),
			Fix:    `put "type": "object" at the root of every inputSchema, also of tools without parameters`,
			Owns:   []suite.Part{{Of: "tools/list", At: "/tools/*/inputSchema", Given: true}},
			Run:    probe.EachItem(protocol.Tools(), optional("inputSchema", describesObject("inputSchema"))),
		},
		{
			ID:     "tools/input-schema-shape",
			Title:  "in input schemas properties is an object of objects, and required is an array of names",
			Checks: []requirements.ID{"tools-input-schema-legacy-shape"},
			Needs:  declared(),
			Fix: "write properties as an object of schemas, none of them true or false, and required as an array of strings; " +
				"leave them out instead of null",
			Run: probe.EachItem(protocol.Tools(), inputSchemaShape),
		},
		{
			ID:     "tools/output-schema-object",
			Title:  "output schemas describe an object",
			Checks: []requirements.ID{"tools-output-schema-object"},
			Needs:  declared(),
			Fix:    `put "type": "object" at the root of every outputSchema, or leave outputSchema out`,
			Owns:   []suite.Part{{Of: "tools/list", At: "/tools/*/outputSchema"}},
			Run:    probe.EachItem(protocol.Tools(), optional("outputSchema", describesObject("outputSchema"))),
		},
		{
			ID:     "tools/title",
			Title:  "titles of tools are strings",
			Checks: []requirements.ID{"tools-title-string"},
			Needs:  declared(),
			Fix:    "write title as a string, or leave it out",
			Owns:   []suite.Part{{Of: "tools/list", At: "/tools/*/title"}},
			Run:    probe.EachItem(protocol.Tools(), optional("title", title)),
		},
		{
			ID:     "tools/annotations",
			Title:  "hints about tools are booleans, and the title among them is a string",
			Checks: []requirements.ID{"tools-annotations-types"},
			Needs:  declared(),
			Fix:    "write readOnlyHint, destructiveHint, idempotentHint and openWorldHint as true or false, or leave them out",
			Owns:   []suite.Part{{Of: "tools/list", At: "/tools/*/annotations"}},
			Run:    probe.EachItem(protocol.Tools(), optional("annotations", hints)),
		},
	}
}

// A check judges one tool.
type check func(*probe.Client, probe.Item) probe.Opinion

// optional lets a check look only at tools that have the property.
func optional(property string, passes check) check {
	return func(c *probe.Client, t probe.Item) probe.Opinion {
		if _, absent := t.Get(property).(probe.Absent); absent {
			return probe.Nothing()
		}
		return passes(c, t)
	}
}

func describesObject(property string) check {
	return func(_ *probe.Client, t probe.Item) probe.Opinion {
		schema, ok := t.Get(property).(map[string]any)
		if !ok {
			return probe.Breaks(`%s is %s, want an object with the type "object"`, t.Where(property), probe.Show(t.Get(property)))
		}
		kind, ok := schema["type"]
		if !ok {
			kind = probe.Absent{}
		}
		if kind != "object" {
			return probe.Breaks(`%s is %s, want "object"`, t.Where(property, "type"), probe.Show(kind))
		}
		return probe.Kept()
	}
}

func inputSchemaShape(c *probe.Client, t probe.Item) probe.Opinion {
	schema, ok := t.Get("inputSchema").(map[string]any)
	if !ok {
		return probe.Nothing()
	}
	// Whether it describes an object is the business of another case.
	shape := probe.Object(schema).With("type", "object")
	return probe.Fits(c.SchemaProblem("ObjectSchema", t.Pointer+"/inputSchema", map[string]any(shape)), nil)
}

func title(_ *probe.Client, t probe.Item) probe.Opinion {
	if _, ok := t.Get("title").(string); !ok {
		return probe.Breaks("%s is %s, want a string", t.Where("title"), probe.Show(t.Get("title")))
	}
	return probe.Kept()
}

func hints(c *probe.Client, t probe.Item) probe.Opinion {
	return probe.Fits(c.SchemaProblem("ToolAnnotations", t.Pointer+"/annotations", t.Get("annotations")), nil)
}
