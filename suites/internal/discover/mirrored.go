package discover

import (
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// putMirrored fills the fields for tools of which an argument is repeated in a header,
// as far as the tool fits one that no tool before it did.
func putMirrored(fields roles.Fields, tool map[string]any) {
	for _, field := range []struct {
		name, kind string
		nested     bool
	}{{"header", "string", false}, {"header-integer", "integer", false}, {"header-nested", "string", true}} {
		if _, filled := fields[field.name]; filled {
			continue
		}
		schema := object(tool["inputSchema"])
		path := annotated(schema, field.kind, field.nested)
		if len(path) == 0 {
			continue
		}
		if arguments, ok := Arguments(schema); ok && putSample(arguments, schema, path) {
			fields[field.name] = roles.Fields{"tool": tool["name"], "arguments": literal(arguments)}
		}
	}
}

// annotated is the way to the first argument of the type that is repeated in a header:
// on the first level, or below it.
func annotated(schema map[string]any, kind string, nested bool) []string {
	properties := object(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := object(properties[name])
		header, _ := property[protocol.AnnotatedHeader].(string)
		if !nested && header != "" && property["type"] == kind {
			return []string{name}
		}
		if below := annotated(property, kind, false); nested && len(below) > 0 {
			return append([]string{name}, below...)
		}
	}
	return nil
}

// putSample puts a value at the end of the way, with whatever has to stand around it.
func putSample(arguments, schema map[string]any, path []string) bool {
	name, rest := path[0], path[1:]
	property := object(object(schema["properties"])[name])
	value, there := arguments[name]
	if !there {
		if value, there = sample(property, 1); !there {
			return false
		}
	}
	arguments[name] = value
	if len(rest) == 0 {
		return true
	}
	within, ok := value.(map[string]any)
	return ok && putSample(within, property, rest)
}
