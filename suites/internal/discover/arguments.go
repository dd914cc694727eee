package discover

import (
	"math"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Arguments makes up arguments for a tool that fit its schema. The arguments have only the
// required members; each value is the default, the constant, the first choice or example,
// or the smallest value within the bounds. Arguments reports false where the schema
// demands more than that.
func Arguments(schema map[string]any) (map[string]any, bool) {
	return sampleObject(schema, 0)
}

func sampleObject(schema map[string]any, depth int) (map[string]any, bool) {
	if beyond(schema) {
		return nil, false
	}
	arguments := map[string]any{}
	properties := probe.ObjectOf(schema["properties"])
	_, open := schema["additionalProperties"]
	open = !open || schema["additionalProperties"] == true
	for _, required := range probe.ArrayOf(schema["required"]) {
		name, ok := required.(string)
		property, declared := properties[name]
		if !ok || !declared && !open {
			return nil, false
		}
		value, ok := sample(property, depth+1)
		if !ok {
			return nil, false
		}
		arguments[name] = value
	}
	least, _ := probe.NumberOf(schema["minProperties"])
	return arguments, float64(len(arguments)) >= least
}

// beyond reports whether a schema uses a keyword that Arguments does not understand.
func beyond(schema map[string]any) bool {
	for _, keyword := range []string{
		"allOf", "anyOf", "oneOf", "not", "if", "$ref", "$dynamicRef", "contains", "prefixItems",
		"dependentRequired", "dependentSchemas", "dependencies", "patternProperties", "propertyNames",
	} {
		if _, ok := schema[keyword]; ok {
			return true
		}
	}
	return false
}

// deepest is the depth to which Arguments makes up values.
const deepest = 8

func sample(v any, depth int) (any, bool) {
	if v == nil || v == true {
		return "example", true
	}
	schema, ok := v.(map[string]any)
	if !ok || depth > deepest {
		return nil, false
	}
	for _, member := range []string{"default", "const"} {
		if value, ok := schema[member]; ok {
			return value, true
		}
	}
	for _, member := range []string{"enum", "examples"} {
		if values := probe.ArrayOf(schema[member]); len(values) > 0 {
			return values[0], true
		}
	}
	return sampleOfType(schema, depth)
}

func sampleOfType(schema map[string]any, depth int) (any, bool) {
	kind, ok := schema["type"].(string)
	if kinds := probe.ArrayOf(schema["type"]); !ok && len(kinds) > 0 {
		kind, ok = kinds[0].(string)
	}
	if !ok && schema["type"] == nil && len(schema) == 0 {
		return "example", true
	}
	if beyond(schema) {
		return nil, false
	}
	switch kind {
	case "string":
		return sampleText(schema)
	case "integer":
		return sampleNumber(schema, 1)
	case "number":
		return sampleNumber(schema, 0)
	case "boolean":
		return false, true
	case "null":
		return nil, true
	case "array":
		return sampleArray(schema, depth)
	case "object":
		return sampleObject(schema, depth)
	default:
		return nil, false
	}
}

func sampleText(schema map[string]any) (any, bool) {
	if _, patterned := schema["pattern"]; patterned {
		return nil, false
	}
	switch schema["format"] {
	case nil:
	case "uri", "url":
		return "https://example.com/", true
	case "date":
		return "2026-01-01", true
	case "date-time":
		return "2026-01-01T00:00:00Z", true
	case "email":
		return "someone@example.com", true
	default:
		return nil, false
	}
	text := "example"
	least, _ := probe.NumberOf(schema["minLength"])
	most, bounded := probe.NumberOf(schema["maxLength"])
	if least > 1000 || bounded && most < max(0, least) {
		return nil, false
	}
	text += strings.Repeat("e", max(0, int(least)-len(text)))
	if bounded && most < float64(len(text)) {
		text = text[:int(most)]
	}
	return text, true
}

// sampleNumber gives 1, or the number within the bounds that is closest to 1. The result
// is a multiple of step, unless step is 0.
func sampleNumber(schema map[string]any, step float64) (any, bool) {
	if given, ok := probe.NumberOf(schema["multipleOf"]); ok && given > 0 {
		if step > 0 && given != math.Trunc(given) {
			return nil, false
		}
		step = given
	}
	least, most := math.Inf(-1), math.Inf(1)
	for _, bound := range []struct {
		keyword string
		side    *float64
		tighter func(float64, float64) float64
		beyond  float64
	}{
		{"minimum", &least, math.Max, 0}, {"exclusiveMinimum", &least, math.Max, 1},
		{"maximum", &most, math.Min, 0}, {"exclusiveMaximum", &most, math.Min, -1},
	} {
		v, there := schema[bound.keyword]
		n, ok := probe.NumberOf(v)
		if there && !ok {
			return nil, false // an older dialect
		}
		if ok {
			*bound.side = bound.tighter(*bound.side, n+bound.beyond*max(step, exclusive))
		}
	}
	value := min(max(1, least), most)
	if step > 0 {
		value = math.Ceil(value/step) * step
		if value > most {
			value -= step
		}
	}
	return value, value >= least && value <= most
}

// exclusive is the distance between an excluded bound and the number.
const exclusive = 1.0 / 1024

func sampleArray(schema map[string]any, depth int) (any, bool) {
	list := []any{}
	least, _ := probe.NumberOf(schema["minItems"])
	if least > 16 || least > 1 && schema["uniqueItems"] == true {
		return nil, false
	}
	for range int(least) {
		value, ok := sample(schema["items"], depth+1)
		if !ok {
			return nil, false
		}
		list = append(list, value)
	}
	return list, true
}
