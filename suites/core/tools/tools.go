// Package tools holds the cases of server/tools: what tools a server lists and
// how it answers their calls. Only tools that a role names, tools that are
// annotated as read-only, and names that no tool has, are ever called.
package tools

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/lists"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "tools",
		Title: "tools are listed, and calls answered, as declared",
		Cases: slices.Concat(
			listCases(), nameCases(), schemaCases(), shapeCases(), comparedCases(),
			mirroredCases(), callCases(), slowCases(), variedCases(), parallelCases(), resultCases(), contentCases(), structuredCases(),
			unknownCases(), malformedCases(), argumentCases(), failureCases(),
			sturdyCases(), guardedCases(), changedCases(),
		),
	}
}

// declared is what every case needs that looks at the list.
func declared() []suite.Need { return []suite.Need{suite.Capability("tools")} }

// The roles that most cases need which call a tool.
const (
	readOnly     = roles.ReadOnlyTool
	invalidInput = roles.InvalidInput
)

// usable is the list for cases that look at some of its tools.
func usable(c *probe.Client) probe.Items {
	tools := probe.List(c, protocol.Tools())
	tools.MustHaveSome()
	return tools
}

// listCases judge whether there is a list, and what its entries are.
func listCases() []suite.Case {
	return lists.Cases(protocol.Tools(), lists.Rules{
		Declared: "tools-capability-declared",
		Answered: []requirements.ID{"tools-list-answered", "tools-list-answered-legacy"},
		Schema: lists.Schema{
			Rule: "tools-list-schema",
			Has:  "a name and an input schema",
			Give: "a name that is a string and an inputSchema that is an object",
		},
		Unique: []requirements.ID{"tools-name-unique", "tools-name-unique-legacy"},
	})
}

// comparedCases compare lists with each other: in what order they come, and whether
// they depend on who asks and on what was asked before.
func comparedCases() []suite.Case {
	return lists.Cases(protocol.Tools(), lists.Rules{
		Order:         "tools-list-stable-order",
		PerConnection: "tools-list-not-per-connection",
		NoSideEffects: "tools-list-no-side-effects",
	})
}

// changedCases judge notifications that the list has changed, whatever made it
// change.
func changedCases() []suite.Case {
	return lists.Cases(protocol.Tools(), lists.Rules{
		ChangedSchema:   "tools-list-changed-schema",
		ChangedDeclared: []requirements.ID{"tools-list-changed-declared"},
		ChangedSent:     "tools-list-changed-sent",
	})
}

// shapeCases judge the properties of the tools in the list, one at a time.
func shapeCases() []suite.Case {
	return shapes.Cases(shapes.In{Suite: "tools", Needs: declared(), List: protocol.Tools()},
		shapes.Row{
			Slug: "input-schema-object", Title: "input schemas are objects that describe an object", Rule: "tools-input-schema-object",
			Fix:  `put "type": "object" at the root of every inputSchema, also of tools without parameters`,
			Owns: []suite.Part{{Of: "tools/list", At: "/tools/*/inputSchema", Given: true}},
			Each: describesObject("inputSchema"),
		},
		shapes.Row{
			Slug: "input-schema-shape", Rule: "tools-input-schema-legacy-shape",
			Title: "in input schemas properties is an object of objects, and required is an array of names",
			Fix: "write properties as an object of schemas, none of them true or false, and required as an array of strings; " +
				"leave them out instead of null",
			Each: inputSchemaShape,
		},
		shapes.Row{
			Slug: "output-schema-object", Title: "output schemas describe an object", Rule: "tools-output-schema-object",
			Fix:  `put "type": "object" at the root of every outputSchema, or leave outputSchema out`,
			Owns: []suite.Part{{Of: "tools/list", At: "/tools/*/outputSchema"}},
			Each: describesObject("outputSchema"),
		},
		shapes.Row{
			Slug: "title", Title: "titles of tools are strings", Rule: "tools-title-string",
			Fix:    "write title as a string, or leave it out",
			Values: []shapes.Value{{At: "/title", Given: true, Want: probe.AString()}},
		},
		shapes.Row{
			Slug: "annotations", Title: "hints about tools are booleans, and the title among them is a string", Rule: "tools-annotations-types",
			Fix:    "write readOnlyHint, destructiveHint, idempotentHint and openWorldHint as true or false, or leave them out",
			Values: []shapes.Value{{At: "/annotations", Given: true, Fits: "ToolAnnotations"}},
		},
	)
}

func describesObject(property string) func(*probe.Client, probe.Item) probe.Opinion {
	return func(_ *probe.Client, t probe.Item) probe.Opinion {
		switch schema := t.Get(property).(type) {
		case probe.Absent:
			return probe.Nothing()
		case map[string]any:
			if kind := probe.Member(schema, "type"); kind != "object" {
				return probe.Breaks(`%s is %s, want "object"`, t.Where(property, "type"), probe.Show(kind))
			}
			return probe.Kept()
		default:
			return probe.Breaks(`%s is %s, want an object with the type "object"`, t.Where(property), probe.Show(schema))
		}
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
