package fault

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func tools() []Fault {
	return slices.Concat(
		toolsList(), toolsNames(), toolsNameForms(), toolsMembers(), toolsHints(), toolsSchemas(), toolsOrder(),
		toolsResults(), toolsContent(), toolsRefusals(), toolsArguments(), toolsInvalidArguments(), toolsChanged(),
	)
}

// schemaToo is the case that speaks beside another one whenever what is wrong
// is wrong by the schema too.
const schemaToo = "schema/messages-valid"

func toolsList() []Fault {
	return []Fault{
		{
			Name:   "tools-capability-undeclared",
			Title:  "tools are listed and the capability is not declared",
			Breaks: "tools-capability-declared",
			Kills:  []string{"tools/capability-declared"},
			Reply:  withoutCapability("tools"),
		},
		{
			Name:   "tools-list-unknown",
			Title:  "the capability is declared and tools/list is an unknown method",
			Breaks: "tools-list-answered",
			Kills:  []string{"tools/list-answered"},
			Also:   []string{"discover/declared-tools"},
			Reply: func(x Exchange, m Message) []Message {
				if _, ok := m.Result(); ok && x.Method == "tools/list" {
					return []Message{x.Refusal(-32601, "unknown method")}
				}
				return []Message{m}
			},
		},
		{
			Name:   "tools-list-null",
			Title:  "tools/list answers null in place of a list",
			Breaks: "tools-list-answered-legacy",
			Kills:  []string{"tools/list-answered"},
			Also:   []string{schemaToo},
			Reply:  onResult("tools/list", func(result Message) { result["tools"] = nil }),
		},
		{
			Name:   "tools-list-without-input-schema",
			Title:  "a tool without parameters is listed without an input schema",
			Breaks: "tools-list-schema",
			Kills:  []string{"tools/list-schema"},
			Also:   []string{"tools/input-schema-object", schemaToo},
			List:   withTool(Message{"name": "a_crane", "description": "Lifts a vessel."}),
		},
		{
			Name:   "tools-list-description-null",
			Title:  "a tool without a description is listed with null in its place",
			Breaks: "tools-list-schema",
			Kills:  []string{"tools/list-schema"},
			Also:   []string{schemaToo},
			List:   withTool(crane("description", nil)),
		},
		{
			Name:   "tools-list-name-number-on-last-page",
			Title:  "the name of the last tool is a number",
			Breaks: "tools-list-schema",
			Kills:  []string{"tools/list-schema"},
			Also:   []string{schemaToo},
			Reply: onResult("tools/list", func(result Message) {
				listed, _ := result["tools"].([]Message)
				if _, more := result["nextCursor"]; !more && len(listed) > 0 {
					listed[len(listed)-1]["name"] = 7
				}
			}),
		},
	}
}

func toolsNames() []Fault {
	return []Fault{
		{
			Name:   "tools-name-twice",
			Title:  "two tools have the same name",
			Breaks: "tools-name-unique",
			Kills:  []string{"tools/names-unique"},
			List:   withTool(Message{"name": "basin_level", "description": "Another one.", "inputSchema": noParameters()}),
		},
		{
			Name:   "tools-name-twice-legacy",
			Title:  "two tools have the same name, on different pages",
			Breaks: "tools-name-unique-legacy",
			Kills:  []string{"tools/names-unique"},
			Reply: onResult("tools/list", func(result Message) {
				listed, _ := result["tools"].([]Message)
				if _, more := result["nextCursor"]; !more && len(listed) > 0 {
					listed[len(listed)-1]["name"] = "basin_level"
				}
			}),
		},
	}
}

func toolsNameForms() []Fault {
	return []Fault{
		{
			Name:   "tools-name-too-long",
			Title:  "a tool has a name of 129 characters",
			Breaks: "tools-name-length",
			Kills:  []string{"tools/name-length"},
			List:   withTool(crane("name", "a"+strings.Repeat("_crane__", 16))),
		},
		{
			Name:   "tools-name-empty",
			Title:  "a tool has an empty name",
			Breaks: "tools-name-length",
			Kills:  []string{"tools/name-length"},
			List:   withTool(crane("name", "")),
		},
		{
			Name:   "tools-name-with-space",
			Title:  "the name of a tool holds a space",
			Breaks: "tools-name-charset",
			Kills:  []string{"tools/name-characters"},
			List:   withTool(crane("name", "a crane")),
		},
		{
			Name:   "tools-name-with-colon",
			Title:  "the name of a tool holds a slash and a letter outside ASCII",
			Breaks: "tools-name-charset",
			Kills:  []string{"tools/name-characters"},
			List:   withTool(crane("name", "Häfen/crane")),
		},
		{
			Name:   "tools-name-any-case",
			Title:  "a tool is found whatever the letter case of its name",
			Breaks: "tools-name-case-sensitive",
			Kills:  []string{"tools/name-case"},
			In:     overStdio(requirements.R20260728), // over HTTP the status would still say that it is an error
			Reply: func(x Exchange, m Message) []Message {
				if x.Tool() != "tide_table" && strings.EqualFold(x.Tool(), "tide_table") {
					return []Message{toolAnswer(x, "High water is at noon.")}
				}
				return []Message{m}
			},
		},
	}
}

// withoutCapability takes a capability out of what the server declares.
func withoutCapability(capability string) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if result, ok := m.Result(); ok && (x.Method == "initialize" || x.Method == "server/discover") {
			delete(result.Object("capabilities"), capability)
		}
		return []Message{m}
	}
}

// withTool lists one more tool before the others; its name has to come first.
func withTool(tool Message) func(Exchange, []Message) []Message {
	return func(x Exchange, items []Message) []Message {
		if x.Method != "tools/list" {
			return items
		}
		return append([]Message{maps.Clone(tool)}, items...)
	}
}

// crane is a tool that nobody calls, with one member of another value.
func crane(member string, value any) Message {
	tool := Message{"name": "a_crane", "description": "Lifts a vessel.", "inputSchema": noParameters()}
	tool[member] = value
	return tool
}

// noParameters is the schema of a tool without parameters.
func noParameters() Message { return Message{"type": "object", "additionalProperties": false} }

// toolAnswer is a tool's ordinary answer.
func toolAnswer(x Exchange, text string) Message {
	result := map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
	if x.Revision == requirements.R20260728 {
		result["resultType"] = "complete"
		result["_meta"] = map[string]any{
			"io.modelcontextprotocol/serverInfo": map[string]any{"name": "harbour-office", "version": "1.0.0"},
		}
	}
	return x.Answer(result)
}
