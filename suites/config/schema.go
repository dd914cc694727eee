package config

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// SchemaURL is the address of the schema of the built-in roles.
const SchemaURL = "https://raw.githubusercontent.com/mcp-conform/mcp-conform/main/suites/config/schema.json"

// A shape is a JSON Schema of one value.
type shape map[string]any

// Schema returns the JSON Schema (2020-12) of mcp-conform.yaml, for editors. It
// allows a little more than Parse, which also checks that values go together.
func Schema(known Known) ([]byte, error) {
	specs, extensions := known.Roles, known.Extensions
	if specs == nil {
		specs = roles.Known()
	}
	if extensions == nil {
		extensions = Extensions()
	}
	top := topShape(known.Revisions, extensions)
	properties := top["properties"].(shape)
	filled := shape{}
	for _, spec := range specs {
		own := roleShape(spec)
		if spec.Name == roles.Principals {
			properties["principals"] = own
			continue
		}
		filled[string(spec.Name)] = own
	}
	properties["roles"] = described(closed(filled), "what a target must offer for some cases; explain ROLE says more")
	top["$schema"], top["$id"] = "https://json-schema.org/draft/2020-12/schema", SchemaURL
	top["title"], top["$defs"] = "Configuration of mcp-conform", common()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(top)
	return out.Bytes(), err
}

func described(s shape, text string) shape {
	s["description"] = text
	return s
}

func closed(properties shape, required ...string) shape {
	s := shape{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func oneOfShapes(all ...shape) shape { return shape{"anyOf": all} }

func textShape() shape { return shape{"type": "string"} }

func mapShape() shape { return shape{"type": "object", "additionalProperties": refer("scalar")} }

func listShape(of shape) shape { return shape{"type": "array", "items": of} }

// refer is a reference to a common shape.
func refer(name string) shape { return shape{"$ref": "#/$defs/" + name} }

// common are the shapes with several uses.
func common() shape {
	words := listShape(refer("scalar"))
	words["minItems"] = 1
	whole := func(kind roles.Kind) shape { return membersShape(roles.Field{Kind: kind}) }
	return shape{
		"scalar": described(shape{"type": []string{"string", "number", "boolean"}},
			"what becomes text, though YAML may take it for something else"),
		"placeholder": described(shape{"type": "string", "pattern": `^\$\{[A-Z_][A-Z0-9_]*\}$`}, "a value of the environment"),
		"flag":        oneOfShapes(shape{"type": "boolean"}, refer("placeholder")),
		"count":       oneOfShapes(shape{"type": "integer", "minimum": 1}, refer("placeholder")),
		"duration": described(oneOfShapes(shape{"type": "number", "minimum": 0},
			shape{"type": "string", "pattern": `^([0-9.]+(ns|us|µs|ms|s|m|h))+$|^[0-9.]+$`}, refer("placeholder")), "such as 500ms, 10s or 5m"),
		"size": described(oneOfShapes(shape{"type": "integer", "minimum": 1},
			shape{"type": "string", "pattern": `^[0-9_]+(B|KiB|MiB|GiB)?$`}, refer("placeholder")), "such as 64KiB or 8MiB"),
		"url":     shape{"type": "string", "pattern": `^https?://|\$\{`},
		"command": described(oneOfShapes(shape{"type": "string", "minLength": 1}, words), "a list, or a string that is split as a shell would"),
		"call":    whole(roles.KindCall), "action": whole(roles.KindAction), "observe": whole(roles.KindObserve),
	}
}

func enumShape(values []string) shape { return shape{"enum": values} }

// roleShape is the shape of one role. It requires no fields, since another
// source may fill them.
func roleShape(spec roles.Spec) shape {
	properties := shape{}
	for _, f := range spec.Fields {
		properties[f.Name] = fieldShape(f)
	}
	if spec.Name == roles.Failure {
		whole := roles.Field{Kind: roles.KindCall, Text: "the tool with its arguments"}
		tool := properties["tool"].(shape)
		text := tool["description"].(string)
		delete(tool, "description")
		properties["tool"] = described(oneOfShapes(tool, fieldShape(whole)), text)
	}
	return described(oneOfShapes(shape{"const": none}, closed(properties)), spec.Text)
}

func fieldShape(f roles.Field) shape {
	s := kindShape(f)
	if mayBeNone(f) {
		s = oneOfShapes(shape{"const": none}, s)
	}
	if f.Text != "" {
		s = described(s, f.Text)
	}
	return s
}

func kindShape(f roles.Field) shape {
	switch f.Kind {
	case roles.KindText, roles.KindTool, roles.KindPrompt, roles.KindResource, roles.KindTemplate, roles.KindFile, roles.KindToken:
		if len(f.Values) > 0 {
			return oneOfShapes(enumShape(f.Values), refer("placeholder"))
		}
		return textShape()
	case roles.KindPointer:
		return shape{"type": "string", "pattern": `^(/|\$\{|$)`}
	case roles.KindTexts:
		return listShape(textShape())
	case roles.KindArgv:
		return refer("command")
	case roles.KindFlag:
		return refer("flag")
	case roles.KindNumber:
		return refer("count")
	case roles.KindDuration:
		return refer("duration")
	case roles.KindArguments:
		return shape{"type": "object"}
	case roles.KindMap, roles.KindHeaders, roles.KindVariables:
		return mapShape()
	case roles.KindSteps:
		s := listShape(membersShape(f))
		s["minItems"] = f.Least
		return s
	case roles.KindFlagCall:
		return oneOfShapes(refer("flag"), membersShape(f))
	case roles.KindCall, roles.KindAction, roles.KindObserve:
		if len(f.Fields) == 0 {
			return refer(string(f.Kind))
		}
		return membersShape(f)
	case roles.KindObject, roles.KindPart:
		return membersShape(f)
	case roles.KindAny:
	}
	return shape{}
}

func membersShape(f roles.Field) shape {
	properties := shape{}
	var required []string
	for _, member := range f.Members() {
		properties[member.Name] = fieldShape(member)
		if member.Required {
			required = append(required, member.Name)
		}
	}
	s := closed(properties, required...)
	var choices []shape
	for _, choice := range f.Choices() {
		choices = append(choices, shape{"required": []string{choice}})
	}
	if len(choices) > 0 {
		s["oneOf"] = choices
	}
	return s
}

// claimShape is a word of claims: an extension or a family of extensions, after
// a dash where it is not to be judged.
func claimShape(extensions []string) shape {
	words := slices.Concat(extensions, []string{family})
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, ".", `\.`)
	}
	return shape{"type": "string", "pattern": "^-?(" + strings.Join(words, "|") + `)$|\$\{`}
}
