package questions

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Fill fills in a form as a person might: each field with its default, its first choice, or
// a value within its bounds.
func Fill(form map[string]any) probe.Object {
	content := probe.Object{}
	properties := probe.ObjectOf(form["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		content[name] = value(probe.ObjectOf(properties[name]))
	}
	return content
}

// FillWith is Fill with a text in each field that takes any text of its length.
func FillWith(form map[string]any, text string) probe.Object {
	content := Fill(form)
	for name, each := range probe.ObjectOf(form["properties"]) {
		field := probe.ObjectOf(each)
		_, format := field["format"]
		_, pattern := field["pattern"]
		least, short := probe.NumberOf(field["minLength"])
		most, long := probe.NumberOf(field["maxLength"])
		if field["type"] != "string" || format || pattern || len(Choices(field)) > 0 ||
			short && least > float64(len(text)) || long && most < float64(len(text)) {
			continue
		}
		content[name] = text
	}
	return content
}

// Accept fills in the form of an elicitation, and agrees to visit a URL.
func Accept(r probe.Request) any {
	form := probe.ObjectOf(r.Params["requestedSchema"])
	if form == nil {
		return probe.Object{"action": "accept"}
	}
	return probe.Object{"action": "accept", "content": Fill(form)}
}

// Says answers a sampling request with a text.
func Says(text string) probe.Object {
	return probe.Object{
		"role": "assistant", "content": probe.Object{"type": "text", "text": text}, "model": "mcp-conform", "stopReason": "endTurn",
	}
}

func value(field map[string]any) any {
	if given, ok := field["default"]; ok {
		return given
	}
	if choices := Choices(field); len(choices) > 0 {
		return choices[0]
	}
	switch field["type"] {
	case "integer", "number":
		return number(field)
	case "boolean":
		return true
	case "array":
		return someOf(field)
	}
	return text(field)
}

// Choices are the values that a field lists.
func Choices(field map[string]any) []any {
	if plain := probe.ArrayOf(field["enum"]); len(plain) > 0 {
		return plain
	}
	var all []any
	for _, titled := range slices.Concat(probe.ArrayOf(field["oneOf"]), probe.ArrayOf(field["anyOf"])) {
		if given, ok := probe.ObjectOf(titled)["const"]; ok {
			all = append(all, given)
		}
	}
	return all
}

func someOf(field map[string]any) any {
	choices := Choices(probe.ObjectOf(field["items"]))
	least, bounded := probe.NumberOf(field["minItems"])
	if !bounded {
		least = 1
	}
	chosen := choices[:min(len(choices), max(0, int(least)))]
	if chosen == nil {
		chosen = []any{}
	}
	return chosen
}

func number(field map[string]any) any {
	if least, ok := field["minimum"].(json.Number); ok {
		return least
	}
	if most, ok := field["maximum"].(json.Number); ok {
		return most
	}
	return json.Number("7")
}

func text(field map[string]any) any {
	switch field["format"] {
	case "email":
		return "someone@example.com"
	case "uri":
		return "https://example.com/"
	case "date":
		return "2026-01-31"
	case "date-time":
		return "2026-01-31T12:00:00Z"
	}
	written := "Example"
	if least, ok := probe.NumberOf(field["minLength"]); ok && least > float64(len(written)) && least < 1000 {
		written += strings.Repeat("e", int(least)-len(written))
	}
	if most, ok := probe.NumberOf(field["maxLength"]); ok && most >= 0 && most < float64(len(written)) {
		written = written[:int(most)]
	}
	return written
}
