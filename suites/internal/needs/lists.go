package needs

import (
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A trace is what a tool has in tools/list if a field of a role can name the tool.
type trace struct {
	of   string // what no listed tool has
	left func(tool map[string]any) bool
}

// traces are the fields of roles that only a tool with something in tools/list can fill.
// Where its schema does not say for certain that it cannot, a tool may.
func traces() map[string]trace {
	return map[string]trace{
		"read-only-tool.header": {"a string argument with x-mcp-header", func(tool map[string]any) bool {
			return mirrors(tool["inputSchema"], "string", 0)
		}},
		"read-only-tool.header-integer": {"an integer argument with x-mcp-header", func(tool map[string]any) bool {
			return mirrors(tool["inputSchema"], "integer", 0)
		}},
		"read-only-tool.header-nested": {"a string with x-mcp-header inside of an argument", func(tool map[string]any) bool {
			return mirrors(tool["inputSchema"], "string", nested)
		}},
		"content.structured": {"an outputSchema", func(tool map[string]any) bool { return tool["outputSchema"] != nil }},
		"content.non-object": {"an outputSchema of anything but an object", func(tool map[string]any) bool {
			return tool["outputSchema"] != nil && probe.ObjectOf(tool["outputSchema"])["type"] != "object"
		}},
	}
}

// nested is the depth of the schema of a property inside of an argument: the schemas of the
// arguments lie two levels below the input schema.
const nested = 3

// mirrors reports whether a schema, or one that lies at least so many levels inside of it,
// repeats a value of the kind in a header. A type that is not one word may be any.
func mirrors(schema any, kind string, levels int) bool {
	switch at := schema.(type) {
	case []any:
		return slices.ContainsFunc(at, func(inside any) bool { return mirrors(inside, kind, levels-1) })
	case map[string]any:
		if _, annotated := at[protocol.AnnotatedHeader]; annotated && levels <= 0 {
			if one, ok := at["type"].(string); !ok || one == kind {
				return true
			}
		}
		return slices.ContainsFunc(slices.Collect(maps.Values(at)), func(inside any) bool { return mirrors(inside, kind, levels-1) })
	default:
		return false
	}
}

// unlisted reports whether tools/list, read to its end, shows that no tool can fill any role
// of a need, and says so.
func (g Ground) unlisted(need suite.Need) (why reports.Reason, none bool) {
	method := protocol.Tools().Method
	if !g.Survey.Whole[method] {
		return reports.Reason{}, false
	}
	for _, word := range need.Any {
		of, traced := traces()[word.Value]
		if word.Kind != suite.RoleKind || !traced || g.Given.Roles.Has(word.Value) {
			return reports.Reason{}, false
		}
		if slices.ContainsFunc(g.Survey.Lists[method], func(item any) bool { return of.left(probe.ObjectOf(item)) }) {
			return reports.Reason{}, false
		}
		if !none {
			why, none = reports.Reason{Kind: reports.NotApplicable, Text: "no listed tool has " + of.of}, true
		}
	}
	return why, none
}
