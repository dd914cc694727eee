package tools

import (
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func members() []fault.Fault {
	return []fault.Fault{
		{Breaks: "tools-input-schema-object", Each: []fault.Fault{
			{
				Name: "tools-input-schema-of-array", Title: "an input schema describes an array",
				List: withTool(crane("inputSchema", fault.Message{"type": "array"})),
			},
			{Name: "tools-input-schema-without-type", Title: "an input schema has no type", List: withTool(crane("inputSchema", fault.Message{}))},
			{
				Name: "tools-input-schema-array-type", Title: "an input schema allows an object or null",
				List: withTool(crane("inputSchema", fault.Message{"type": []any{"object", "null"}})),
			},
		}},
		{
			Name: "tools-input-schema-boolean-property", Title: "a property in an input schema is the schema true",
			Breaks: "tools-input-schema-legacy-shape",
			List:   withTool(crane("inputSchema", fault.Message{"type": "object", "properties": fault.Message{"load": true}})),
		}, {
			Name: "tools-input-schema-properties-null", Title: "properties is null in an input schema",
			Breaks: "tools-input-schema-legacy-shape", In: fault.OverStdio(requirements.R20250618),
			List: withTool(crane("inputSchema", fault.Message{"type": "object", "properties": nil})),
		}, {
			Name: "tools-input-schema-required-null", Title: "required is null in an input schema that requires nothing",
			Breaks: "tools-input-schema-legacy-shape", In: fault.OverStdio(requirements.R20250618),
			List: withTool(crane("inputSchema", fault.Message{"type": "object", "required": nil})),
		},
	}
}

func hints() []fault.Fault {
	return []fault.Fault{{
		Name: "tools-output-schema-array", Title: "an output schema describes an array", Breaks: "tools-output-schema-object",
		List: withTool(crane("outputSchema", fault.Message{"type": "array"})),
	}, {
		Name: "tools-title-object", Title: "the title of a tool is an object with one title for each language",
		Breaks: "tools-title-string", List: withTool(crane("title", fault.Message{"en": "Crane"})),
	}, {
		Name: "tools-hint-text", Title: `a hint in the annotations of a tool is the string "true"`,
		Breaks: "tools-annotations-types", List: withTool(crane("annotations", fault.Message{"idempotentHint": "true"})),
	}, {
		Name: "tools-hint-title-number", Title: "the title in the annotations of a tool is a number",
		Breaks: "tools-annotations-types", In: fault.OverStdio(requirements.R20250326),
		List: withTool(crane("annotations", fault.Message{"title": 7})),
	}}
}

func schemas() []fault.Fault {
	return []fault.Fault{{
		Name: "tools-input-schema-null", Title: "a tool without parameters has null as its input schema",
		Breaks: "tools-input-schema-object", List: withTool(crane("inputSchema", nil)),
	}, {
		Name:  "tools-input-schema-unknown-type",
		Title: "a property in an input schema has a type that JSON Schema does not have", Breaks: "tools-input-schema-valid",
		List: withTool(crane("inputSchema",
			fault.Message{"type": "object", "properties": fault.Message{"load": fault.Message{"type": "float"}}})),
	}, {
		Name:  "tools-input-schema-dangling",
		Title: "an input schema refers to a definition that it does not have", Breaks: "tools-input-schema-valid",
		List: withTool(crane("inputSchema",
			fault.Message{"type": "object", "properties": fault.Message{"load": fault.Message{"$ref": "#/$defs/Load"}}})),
	}, {
		Name:  "tools-input-schema-open-pattern",
		Title: "a pattern in an input schema opens a group that it does not close", Breaks: "tools-input-schema-valid",
		List: withTool(crane("inputSchema", fault.Message{
			"type": "object", "properties": fault.Message{"berth": fault.Message{"type": "string", "pattern": "^(north|south-[0-9]+$"}},
		})),
	}, {
		Name:  "tools-output-schema-glob-pattern",
		Title: "a pattern in an output schema is one of file names", Breaks: "tools-output-schema-any",
		List: withTool(crane("outputSchema", fault.Message{
			"type": "object", "properties": fault.Message{"picture": fault.Message{"type": "string", "pattern": "*.png"}},
		})),
	}, {
		Name: "schema-draft-04-keywords", Title: "an input schema without $schema uses keywords as draft 4 defines them",
		Breaks: "schema-dialect-valid", Kills: []string{"tools/input-schema-valid"},
		List: withTool(crane("inputSchema", fault.Message{
			"type": "object", "properties": fault.Message{"load": fault.Message{"type": "number", "minimum": 0, "exclusiveMinimum": true}},
		})),
	}, {
		Name: "tools-output-schema-unsound", Title: "required is a boolean in an output schema",
		Breaks: "tools-output-schema-any",
		List: withTool(crane("outputSchema", fault.Message{
			"type": "object", "properties": fault.Message{"load": fault.Message{"type": "number", "required": true}},
		})),
	}, {
		Name: "tools-output-schema-text", Title: "an output schema is a string, the name of a type",
		Breaks: "tools-output-schema-any", List: withTool(crane("outputSchema", "Load")),
	}, {
		Name: "schema-draft-07-named", Title: "the schemas of a tool are written in draft 7",
		Breaks: "schema-2020-12-recommended",
		List: withTool(crane("inputSchema", fault.Message{
			"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": fault.Message{},
		})),
	}}
}
