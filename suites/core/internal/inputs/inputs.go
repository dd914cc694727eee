// Package inputs makes arguments for a tool from its input schema: those at the bounds of
// what the schema allows, and those with one slip.
//
// Both start from arguments that fit, and change one value. What a schema means is more
// than this package understands, so its caller validates what comes out.
package inputs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// An Input is the arguments of a call, and what is special about them.
type Input struct {
	What      string // for a sentence, such as "day at its maximum 366"
	Arguments probe.Object
	Slip      Slip // of arguments that do not fit
}

// A Slip says in what way arguments do not fit.
type Slip string

// The slips.
const (
	Missing Slip = "missing" // what is required
	Extra   Slip = "extra"   // what a closed schema does not have
	Type    Slip = "type"
	Value   Slip = "value" // of the right type
)

// longest is the length of the longest text that is made.
const longest = 10_000

// widest is at how many places a value is changed: some schemas have thousands.
const widest = 50

// deepest is how many objects and arrays a changed value may stand in.
const deepest = 4

// A place is where one value stands in the arguments.
type place struct {
	name   string // such as "filter.limit"
	schema map[string]any
	put    func(value any) probe.Object // the arguments with another value there
}

// Bounds are arguments at the bounds of what the schema allows: the least and the most,
// each choice, the empty text and one outside ASCII.
func Bounds(schema map[string]any, fitting probe.Object) []Input {
	var all []Input
	for _, p := range places(schema, fitting) {
		all = append(all, p.bounds()...)
	}
	return all
}

// Slips are arguments with one value that the schema excludes, one that it requires
// missing, or one that it does not have.
func Slips(schema map[string]any, fitting probe.Object) []Input {
	var all []Input
	for _, p := range places(schema, fitting) {
		all = append(all, p.slips()...)
	}
	for _, each := range probe.ArrayOf(schema["required"]) {
		if name, ok := each.(string); ok {
			all = append(all, Input{name + " missing", fitting.Without(name), Missing})
		}
	}
	if schema["additionalProperties"] == false {
		all = append(all, Input{"one that its schema does not have", fitting.With("mcp-conform", true), Extra})
	}
	return all
}

// places are the properties of the arguments in the order of their names, and what stands
// in their objects and in the first item of their arrays: the first widest of them.
func places(schema map[string]any, fitting probe.Object) []place {
	all := inside(schema, fitting, "", func(o probe.Object) probe.Object { return o }, 0)
	return all[:min(len(all), widest)]
}

func inside(schema map[string]any, value probe.Object, prefix string, whole func(probe.Object) probe.Object, depth int) []place {
	var all []place
	properties := probe.ObjectOf(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := probe.ObjectOf(properties[name])
		if _, header := property["x-mcp-header"]; header || property == nil || depth == deepest {
			continue // a header repeats the value
		}
		p := place{
			name: prefix + name, schema: property,
			put: func(v any) probe.Object { return whole(value.With(name, v)) },
		}
		all = append(all, p)
		given, there := value[name]
		if there && property["type"] == "object" {
			inner := probe.Object(probe.ObjectOf(given))
			all = append(all, inside(property, inner, p.name+".", func(o probe.Object) probe.Object { return p.put(o) }, depth+1)...)
		}
		items := probe.ObjectOf(property["items"])
		if property["type"] == "array" && items != nil {
			all = append(all, place{name: "an item of " + p.name, schema: items, put: func(v any) probe.Object { return p.put([]any{v}) }})
		}
	}
	return all
}

// with is an input with another value at the place.
func (p place) with(value any, what string, more ...any) Input {
	return Input{What: p.name + " " + fmt.Sprintf(what, more...), Arguments: p.put(value)}
}

func (p place) bounds() []Input {
	var all []Input
	if choices := probe.ArrayOf(p.schema["enum"]); len(choices) > 0 {
		for _, choice := range choices {
			all = append(all, p.with(choice, "with its choice %s", probe.Show(choice)))
		}
		return all
	}
	switch p.schema["type"] {
	case "boolean":
		all = append(all, p.with(true, "true"), p.with(false, "false"))
	case "integer", "number":
		for _, edge := range p.edges() {
			all = append(all, p.with(edge.at, "at its %s %s", edge.keyword, probe.Show(edge.at)))
		}
		if !p.bounded() {
			all = append(all, p.with(0, "zero"), p.with(-1, "below zero, -1"))
		}
	case "string":
		if n, ok := whole(p.schema["minLength"]); ok && n > 0 {
			all = append(all, p.with(text(n), "at its shortest, %d characters", n))
		}
		if n, ok := whole(p.schema["maxLength"]); ok {
			all = append(all, p.with(text(n), "at its longest, %d characters", n))
		}
		all = append(all, p.with("", "empty"), p.with(foreign, "outside ASCII"))
	case "array":
		all = append(all, p.with([]any{}, "empty"))
	}
	return all
}

// slip is an input that does not fit.
func (p place) slip(of Slip, value any, what string, more ...any) Input {
	in := p.with(value, what, more...)
	in.Slip = of
	return in
}

func (p place) slips() []Input {
	all := []Input{p.slip(Type, probe.Object{"mcp-conform": "an object"}, "an object")}
	if choices := probe.ArrayOf(p.schema["enum"]); len(choices) > 0 {
		return append(all, p.slip(Value, "mcp-conform", "with none of its choices"))
	}
	switch p.schema["type"] {
	case "integer", "number":
		all = append(all, p.slip(Type, "seven", "a string"))
		for _, edge := range p.edges() {
			all = append(all, p.slip(Value, edge.beyond, "beyond its %s", edge.keyword))
		}
	case "boolean":
		all = append(all, p.slip(Type, "perhaps", "a string"))
	case "string":
		all = append(all, p.slip(Type, 7, "a number"))
		if n, ok := whole(p.schema["minLength"]); ok && n > 0 {
			all = append(all, p.slip(Value, text(n-1), "too short, %d characters", n-1))
		}
		if n, ok := whole(p.schema["maxLength"]); ok {
			all = append(all, p.slip(Value, text(n+1), "too long, %d characters", n+1))
		}
		_, patterned := p.schema["pattern"]
		if _, formatted := p.schema["format"]; patterned || formatted {
			all = append(all, p.slip(Value, "{mcp conform}", "in another form"))
		}
	case "array":
		all = append(all, p.slip(Type, "seven", "a string"))
	}
	return all
}

// An edge is a bound of a number: the last value that is allowed, and one beyond it.
type edge struct {
	keyword    string
	at, beyond float64
}

func (p place) edges() []edge {
	var all []edge
	for _, e := range []struct {
		keyword string
		out     float64 // towards what is excluded
		itself  bool    // the bound is allowed
	}{{"minimum", -1, true}, {"maximum", 1, true}, {"exclusiveMinimum", -1, false}, {"exclusiveMaximum", 1, false}} {
		bound, ok := number(p.schema[e.keyword])
		switch {
		case !ok:
		case e.itself:
			all = append(all, edge{e.keyword, bound, bound + e.out})
		case p.schema["type"] == "integer":
			all = append(all, edge{e.keyword, bound - e.out, bound})
		default:
			all = append(all, edge{e.keyword, bound - e.out/1024, bound})
		}
	}
	return all
}

// bounded reports whether a number has a bound below.
func (p place) bounded() bool {
	_, minimum := number(p.schema["minimum"])
	_, exclusive := number(p.schema["exclusiveMinimum"])
	return minimum || exclusive
}

// foreign is a text outside ASCII, with a character outside of the first plane.
const foreign = "Příliš 港 𝄞"

// text is a text of so many characters.
func text(n int) string { return strings.Repeat("e", min(n, longest)) }

func number(v any) (float64, bool) {
	n, ok := v.(interface{ Float64() (float64, error) })
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

func whole(v any) (int, bool) {
	f, ok := number(v)
	return int(f), ok && f >= 0 && f < longest
}
