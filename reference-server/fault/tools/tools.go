// Package tools holds the ways to break the list of tools and their calls.
package tools

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault {
	return slices.Concat(
		list(), names(), nameForms(), members(), hints(), schemas(), order(),
		results(), calls(), answers(), content(), blocks(), structured(), headers(), guarded(),
		refusals(), arguments(), invalidArguments(), changed(),
	)
}

func list() []fault.Fault {
	return []fault.Fault{
		{
			Name:   "tools-capability-undeclared",
			Title:  "tools are listed, but the tools capability is not declared",
			Breaks: "tools-capability-declared",
			Reply:  withoutCapability("tools"),
		}, {
			Name:   "tools-list-unknown",
			Title:  "the tools capability is declared, but tools/list is an unknown method",
			Breaks: "tools-list-answered",
			Kills:  []string{"tools/list-answered"},
			Also:   []string{"discover/declared-tools"},
			Reply: func(x fault.Exchange, m fault.Message) {
				if _, ok := m.Result(); ok && x.Method == "tools/list" {
					m.Become(x.Refusal(-32601, "unknown method"))
					return
				}
			},
		}, {
			Name:   "tools-list-null",
			Title:  "tools/list answers null instead of an array",
			Breaks: "tools-list-answered-legacy",
			Reply:  fault.Set("tools/list", "/result/tools", nil),
		},
		{Breaks: "tools-list-schema", Each: []fault.Fault{{
			Name:  "tools-list-without-input-schema",
			Title: "a tool without parameters is listed without an input schema",
			List:  withTool(fault.Message{"name": "a_crane", "description": "Lifts a vessel."}),
		}, {
			Name:  "tools-list-description-null",
			Title: "a tool without a description is listed with description null",
			List:  withTool(crane("description", nil)),
		}, {
			Name:  "tools-list-name-number-on-last-page",
			Title: "the name of the last tool is a number",
			Reply: fault.OnResult("tools/list", func(result fault.Message) {
				listed, _ := result["tools"].([]fault.Message)
				if _, more := result["nextCursor"]; !more && len(listed) > 0 {
					listed[len(listed)-1]["name"] = 7
				}
			}),
		}}},
	}
}

func names() []fault.Fault {
	return []fault.Fault{{
		Name:   "tools-name-twice",
		Title:  "two tools have the same name",
		Breaks: "tools-name-unique",
		List:   withTool(fault.Message{"name": "basin_level", "description": "Another one.", "inputSchema": noParameters()}),
	}, {
		Name:   "tools-name-twice-legacy",
		Title:  "two tools have the same name, on different pages",
		Breaks: "tools-name-unique-legacy",
		Reply: fault.OnResult("tools/list", func(result fault.Message) {
			listed, _ := result["tools"].([]fault.Message)
			if _, more := result["nextCursor"]; !more && len(listed) > 0 {
				listed[len(listed)-1]["name"] = "basin_level"
			}
		}),
	}}
}

func nameForms() []fault.Fault {
	return []fault.Fault{
		{
			Name:   "tools-name-too-long",
			Title:  "a tool has a name of 129 characters",
			Breaks: "tools-name-length",
			List:   withTool(crane("name", "a"+strings.Repeat("_crane__", 16))),
		},
		{Name: "tools-name-empty", Title: "a tool has an empty name", Breaks: "tools-name-length", List: withTool(crane("name", ""))},
		{Breaks: "tools-name-charset", Each: []fault.Fault{
			{Name: "tools-name-with-space", Title: "the name of a tool contains a space", List: withTool(crane("name", "a crane"))},
			{
				Name:  "tools-name-with-colon",
				Title: "the name of a tool contains a slash and a letter outside ASCII",
				List:  withTool(crane("name", "Häfen/crane")),
			},
		}},
		{
			Name:   "tools-name-any-case",
			Title:  "tool names are not case-sensitive",
			Breaks: "tools-name-case-sensitive",
			In:     fault.OverStdio(requirements.R20260728), // over HTTP the status would still say that it is an error
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

// withTool lists one more tool before the others; its name has to come first.
func withTool(tool fault.Message) func(fault.Exchange, []fault.Message) []fault.Message {
	return func(x fault.Exchange, items []fault.Message) []fault.Message {
		if x.Method != "tools/list" {
			return items
		}
		return append([]fault.Message{maps.Clone(tool)}, items...)
	}
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
