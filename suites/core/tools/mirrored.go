package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const mark = "x-mcp-header"

// mirroredCases judge the marks of parameters that headers repeat, in the list that
// is there.
func mirroredCases() []suite.Case {
	row := func(slug, title string, rule requirements.ID, fix string, judge func(t probe.Item, marks []marked) probe.Opinion) suite.Case {
		return suite.Case{
			ID: "tools/header-" + slug, Title: title, Checks: []requirements.ID{rule}, Needs: declared(), Fix: fix,
			Run: probe.EachItem(protocol.Tools(), func(_ *probe.Client, t probe.Item) probe.Opinion {
				if marks := marksOf(t); len(marks) > 0 {
					return judge(t, marks)
				}
				return probe.Nothing()
			}),
		}
	}
	return []suite.Case{
		row("not-empty", "an x-mcp-header is a string that is not empty", "tools-x-mcp-header-not-empty",
			"write the name of the header, without Mcp-Param-, as x-mcp-header", each(notEmpty)),
		row("token", "an x-mcp-header is a name that HTTP allows", "tools-x-mcp-header-token-syntax",
			"use letters, digits and hyphens in x-mcp-header", each(token)),
		row("control-characters", "an x-mcp-header has no control characters", "tools-x-mcp-header-no-control-characters",
			"take line breaks and other control characters out of x-mcp-header", each(noControl)),
		row("unique", "no two parameters of a tool have the same x-mcp-header", "tools-x-mcp-header-unique",
			"give each parameter a header of its own; capital and small letters are the same there", unique),
		row("primitive", "parameters with x-mcp-header are strings, integers or booleans", "tools-x-mcp-header-primitive-types",
			"mark only parameters of the types string, integer and boolean", each(primitive)),
		row("integer-range", "an integer with x-mcp-header can have a value that a double holds exactly", "tools-x-mcp-header-integer-safe-range",
			"keep the integers of a marked parameter between -9007199254740991 and 9007199254740991", each(safeRange)),
		row("reachable", "x-mcp-header stands on properties that properties alone lead to", "tools-x-mcp-header-statically-reachable",
			"mark properties of the root and of objects within it, not items, alternatives or definitions", each(reachable)),
		row("not-sensitive", "parameters that hold secrets have no x-mcp-header", "tools-x-mcp-header-not-sensitive",
			"take x-mcp-header off parameters that hold secrets: headers are logged on the way", each(notSensitive)),
	}
}

// A marked schema is one with the mark, and how it is reached.
type marked struct {
	name   any
	schema map[string]any
	at     []string // from the input schema
	static bool     // properties alone lead to it
}

func (m marked) where(t probe.Item) string {
	return t.Where(append([]string{"inputSchema"}, m.at...)...)
}

// Keywords by what stands below them: schemas by name, in a list, or one.
func named() []string {
	return []string{"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
}

func listed() []string { return []string{"allOf", "anyOf", "oneOf", "prefixItems"} }

func single() []string {
	return []string{
		"items", "additionalProperties", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
		"not", "if", "then", "else",
	}
}

// marksOf finds the marks in the input schema of a tool. A property may be called like
// the mark; examples and defaults are data.
func marksOf(t probe.Item) []marked {
	var found []marked
	var walk func(value any, at []string, static bool)
	walk = func(value any, at []string, static bool) {
		schema, ok := value.(map[string]any)
		if !ok || len(at) > 64 {
			return
		}
		if name, ok := schema[mark]; ok {
			found = append(found, marked{name, schema, at, static && len(at) > 0})
		}
		below := func(step ...string) []string { return slices.Concat(at, step) }
		for _, keyword := range named() {
			inner, _ := schema[keyword].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(inner)) {
				walk(inner[name], below(keyword, name), static && keyword == "properties")
			}
		}
		for _, keyword := range listed() {
			for i, each := range probe.ArrayOf(schema[keyword]) {
				walk(each, below(keyword, strconv.Itoa(i)), false)
			}
		}
		for _, keyword := range single() {
			walk(schema[keyword], below(keyword), false)
		}
	}
	walk(t.Get("inputSchema"), nil, true)
	return found
}

// each judges the marks of a tool one by one.
func each(judge func(t probe.Item, m marked) probe.Opinion) func(probe.Item, []marked) probe.Opinion {
	return func(t probe.Item, marks []marked) probe.Opinion {
		said := probe.Nothing()
		for _, m := range marks {
			said = said.And(judge(t, m))
		}
		return said
	}
}

func notEmpty(t probe.Item, m marked) probe.Opinion {
	if name, ok := m.name.(string); !ok || name == "" {
		return probe.Breaks("%s is %s, want a string that is not empty", m.where(t)+"["+strconv.Quote(mark)+"]", probe.Show(m.name))
	}
	return probe.Kept()
}

// What is empty, or has control characters, has rules of its own.
func token(t probe.Item, m marked) probe.Opinion {
	name, _ := m.name.(string)
	switch {
	case name == "", strings.ContainsFunc(name, control):
		return probe.Nothing()
	case !protocol.NamesHeader(name):
		return probe.Breaks("%s has the mark %s, want a name that HTTP allows", m.where(t), probe.Show(name))
	}
	return probe.Kept()
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

func noControl(t probe.Item, m marked) probe.Opinion {
	name, ok := m.name.(string)
	switch {
	case !ok:
		return probe.Nothing()
	case strings.ContainsFunc(name, control):
		return probe.Breaks("%s has the mark %s, want no control characters", m.where(t), probe.Show(name))
	}
	return probe.Kept()
}

func unique(t probe.Item, marks []marked) probe.Opinion {
	first := map[string]marked{}
	said := probe.Kept()
	for _, m := range marks {
		name, ok := m.name.(string)
		name = strings.ToLower(name)
		if other, twice := first[name]; twice && ok && name != "" {
			said = said.And(probe.Breaks("%s has the mark of %s, %s, want one of its own", m.where(t), other.where(t), probe.Show(m.name)))
		}
		first[name] = m
	}
	return said
}

// kinds are the types that a schema names.
func kinds(schema map[string]any) []string {
	if kind, ok := schema["type"].(string); ok {
		return []string{kind}
	}
	return probe.Strings(schema["type"])
}

// A property without a type may hold anything, primitive values too.
func primitive(t probe.Item, m marked) probe.Opinion {
	for _, kind := range kinds(m.schema) {
		if slices.Contains([]string{"number", "object", "array"}, kind) {
			return probe.Breaks("%s is of the type %s, want string, integer or boolean", m.where(t), kind)
		}
	}
	return probe.Kept()
}

// safest is the greatest integer that a double holds exactly, as all below it.
const safest = 1<<53 - 1

// Only what can never hold a permitted value is complained of: limits may be wide.
func safeRange(t probe.Item, m marked) probe.Opinion {
	if !slices.Contains(kinds(m.schema), "integer") {
		return probe.Nothing()
	}
	beyond := func(v any) bool {
		number, _ := v.(json.Number)
		n, ok := frame.Integer(number.String())
		return ok && (n > safest || n < -safest)
	}
	values, _ := m.schema["enum"].([]any)
	over, _ := m.schema["minimum"].(json.Number)
	least, known := frame.Integer(over.String())
	switch {
	case beyond(m.schema["const"]), len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { return !beyond(v) }),
		known && least > safest:
		return probe.Breaks("%s allows only integers beyond %d, want some within", m.where(t), safest).AtMostWarn()
	}
	return probe.Kept()
}

func reachable(t probe.Item, m marked) probe.Opinion {
	if !m.static {
		return probe.Breaks("%s has the mark %s, want it on a property that properties alone lead to", m.where(t), probe.Show(m.name))
	}
	return probe.Kept()
}

func notSensitive(t probe.Item, m marked) probe.Opinion {
	if m.schema["format"] == "password" || m.schema["writeOnly"] == true {
		return probe.Breaks("%s has the mark %s and holds a secret, as its schema says, want no mark", m.where(t), probe.Show(m.name))
	}
	return probe.Kept()
}
