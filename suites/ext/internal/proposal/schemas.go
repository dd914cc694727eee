package proposal

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// UnsoundSchema says what a schema is instead of a valid one. Many tools may have the same
// schema, which is looked into once; what the kit cannot decide is noted.
func UnsoundSchema(c *probe.Client, value any, compiled map[string]error) string {
	schema, ok := value.(map[string]any)
	if !ok {
		return probe.Show(value) + ", want a JSON Schema that is an object"
	}
	text := probe.JSON(schema)
	err, known := compiled[text]
	if !known {
		_, err = schemas.Compile(schema)
		compiled[text] = err
	}
	var invalid *schemas.Invalid
	switch {
	case errors.As(err, &invalid):
		return fmt.Sprintf("%s, want a valid JSON Schema: %v", probe.Show(value), err)
	case err != nil && !known:
		c.Note(fmt.Sprintf("a schema could not be judged: %v", err))
	}
	return ""
}

// InputSchema is the one that tools/list has for a tool; nil where it has none, or several.
func InputSchema(c *probe.Client, tool string) map[string]any {
	listed := entries(c, tool)
	if len(listed) != 1 {
		return nil
	}
	return probe.ObjectOf(listed[0]["inputSchema"])
}

// Misfit says how the arguments of a call break the inputSchema of its tool; empty where they
// fit, and where nothing can be said.
func Misfit(c *probe.Client, tool string, arguments any) string {
	schema := InputSchema(c, tool)
	if schema == nil {
		return ""
	}
	compiled, err := schemas.Compile(schema)
	if err != nil {
		return ""
	}
	faults, undecided := compiled.Validate(frame.Read([]byte(probe.JSON(arguments))).Value)
	if len(faults) == 0 || undecided {
		return ""
	}
	return probe.Faults("", faults)
}

// SchemaDifference is the first place where two schemas say something else, empty where
// they do not. What only describes does not count.
func SchemaDifference(a, b any) string { return differs(essence(a), essence(b)) }

// essence is a schema without what only describes.
func essence(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		kept := map[string]any{}
		for keyword, value := range s {
			switch {
			case strings.HasPrefix(keyword, "x-"), slices.Contains(describing(), keyword):
			case slices.Contains([]string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}, keyword):
				named := map[string]any{}
				for name, inner := range probe.ObjectOf(value) {
					named[name] = essence(inner)
				}
				kept[keyword] = named
			case slices.Contains([]string{"enum", "const", "required"}, keyword):
				kept[keyword] = value
			default:
				kept[keyword] = essence(value)
			}
		}
		return kept
	case []any:
		all := make([]any, len(s))
		for i, one := range s {
			all[i] = essence(one)
		}
		return all
	default:
		return schema
	}
}

func describing() []string {
	return []string{"title", "description", "$comment", "$schema", "$id", "examples", "default", "deprecated"}
}

// differs is the first place where two schemas differ, empty when they do not.
func differs(a, b any) string {
	one, ok := a.(map[string]any)
	other, too := b.(map[string]any)
	if !ok || !too {
		if probe.Same(a, b) {
			return ""
		}
		return "$"
	}
	for _, name := range slices.Sorted(maps.Keys(one)) {
		value, has := other[name]
		if !has {
			return "$." + name
		}
		if at := differs(one[name], value); at != "" {
			return "$." + name + strings.TrimPrefix(at, "$")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if _, has := one[name]; !has {
			return "$." + name
		}
	}
	return ""
}
