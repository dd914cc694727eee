// Package tools holds the ways to break the list of tools and their calls.
package tools

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/lists"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault {
	return slices.Concat(
		list(), nameForms(), members(), hints(), schemas(), compared(),
		results(), calls(), slowCalls(), answers(), content(), blocks(), structured(), headers(), guarded(),
		refusals(), arguments(), invalidArguments(), varied(), inARow(), parallel(), changed(),
	)
}

// tools is the list of tools.
func tools() lists.List {
	return lists.List{
		Area: "tools", Method: "tools/list", Noun: "tool", Key: "name", Word: "name", Taken: "basin_level",
		Spare: crane("description", "Lifts a vessel."),
		Add: func(r fault.Registry, mark string) {
			r.AddTool(crane("name", "a_crane_"+mark), func(map[string]any) string { return "Done." })
		},
	}
}

func list() []fault.Fault {
	const rule = "tools-list-schema"
	return slices.Concat(
		lists.Faults(tools(), lists.Rules{
			Declared: "tools-capability-declared",
			Unknown:  "tools-list-answered",
			Null:     "tools-list-answered-legacy",
		}),
		[]fault.Fault{{
			Name: "tools-list-without-input-schema", Title: "a tool without parameters is listed without an input schema",
			Breaks: rule, List: withTool(fault.Message{"name": "a_crane", "description": "Lifts a vessel."}),
		}},
		lists.Faults(tools(), lists.Rules{Schema: rule, Unique: "tools-name-unique"}),
		[]fault.Fault{{
			Name: "tools-name-twice-legacy", Title: "two tools have the same name, on different pages",
			Breaks: "tools-name-unique-legacy", Reply: tools().LastKey(tools().Taken),
		}},
	)
}

func nameForms() []fault.Fault {
	return []fault.Fault{
		{
			Name: "tools-name-too-long", Title: "a tool has a name of 129 characters", Breaks: "tools-name-length",
			List: withTool(crane("name", "a"+strings.Repeat("_crane__", 16))),
		},
		{Name: "tools-name-empty", Title: "a tool has an empty name", Breaks: "tools-name-length", List: withTool(crane("name", ""))},
		{Breaks: "tools-name-charset", Each: []fault.Fault{
			{Name: "tools-name-with-space", Title: "the name of a tool contains a space", List: withTool(crane("name", "a crane"))},
			{
				Name: "tools-name-with-colon", Title: "the name of a tool contains a slash and a letter outside ASCII",
				List: withTool(crane("name", "Häfen/crane")),
			},
		}},
		{
			Name: "tools-name-any-case", Title: "tool names are not case-sensitive", Breaks: "tools-name-case-sensitive",
			In: fault.OverStdio(requirements.R20260728), // over HTTP the status would still say that it is an error
			Reply: func(x fault.Exchange, m fault.Message) {
				if x.Tool() != "tide_table" && strings.EqualFold(x.Tool(), "tide_table") {
					m.Become(toolAnswer(x, "High water is at noon."))
					return
				}
			},
		},
	}
}

// withoutCapability takes a capability out of what the server declares.
func withoutCapability(capability string) fault.Change {
	return fault.On("initialize", "server/discover").Drop("/result/capabilities/" + capability)
}

func compared() []fault.Fault {
	return lists.Faults(tools(), lists.Rules{
		Order:         "tools-list-stable-order",
		PerConnection: "tools-list-not-per-connection",
		NoSideEffects: "tools-list-no-side-effects",
	})
}

func changed() []fault.Fault {
	return lists.Faults(tools(), lists.Rules{
		ChangedSchema:   "tools-list-changed-schema",
		ChangedDeclared: "tools-list-changed-declared",
		ChangedSent:     "tools-list-changed-sent",
	})
}

// withTool lists one more tool before the others; its name has to come first.
func withTool(tool fault.Message) func(fault.Exchange, []fault.Message) []fault.Message {
	return tools().With(tool)
}

// crane is a tool that nobody calls, with one member of another value.
func crane(member string, value any) fault.Message {
	tool := fault.Message{"name": "a_crane", "description": "Lifts a vessel.", "inputSchema": noParameters()}
	tool[member] = value
	return tool
}

// noParameters is the schema of a tool without parameters.
func noParameters() fault.Message {
	return fault.Message{"type": "object", "additionalProperties": false}
}

// toolAnswer is a tool's ordinary answer.
func toolAnswer(x fault.Exchange, text string) fault.Message {
	result := map[string]any{"content": fault.Text(text)}
	if x.Revision == requirements.R20260728 {
		result["resultType"] = "complete"
	}
	return x.Answer(result)
}
