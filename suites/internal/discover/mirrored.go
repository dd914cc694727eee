package discover

import (
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// putMirrored fills the fields for tools whose arguments are repeated in headers. A field
// that an earlier tool filled stays as it is.
func putMirrored(fields roles.Fields, tool map[string]any) {
	for _, field := range []struct {
		name, kind string
		nested     bool
	}{{"header", "string", false}, {"header-integer", "integer", false}, {"header-nested", "string", true}} {
		if _, filled := fields[field.name]; filled {
			continue
		}
		schema := probe.ObjectOf(tool["inputSchema"])
		path := annotated(schema, field.kind, field.nested)
		if len(path) == 0 {
			continue
		}
		if arguments, ok := Arguments(schema); ok && putSample(arguments, schema, path) {
			fields[field.name] = roles.Fields{"tool": tool["name"], "arguments": literal(arguments)}
		}
	}
}

// annotated gives the path to the first argument of the type that is repeated in a header.
// nested looks below the first level.
func annotated(schema map[string]any, kind string, nested bool) []string {
	properties := probe.ObjectOf(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := probe.ObjectOf(properties[name])
		if !nested && probe.TextOf(property[protocol.AnnotatedHeader]) != "" && property["type"] == kind {
			return []string{name}
		}
		if below := annotated(property, kind, false); nested && len(below) > 0 {
			return append([]string{name}, below...)
		}
	}
	return nil
}

// putSample puts a made-up value at the end of the path, and the objects that lead there.
func putSample(arguments, schema map[string]any, path []string) bool {
	name, rest := path[0], path[1:]
	property := probe.ObjectOf(probe.ObjectOf(schema["properties"])[name])
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
