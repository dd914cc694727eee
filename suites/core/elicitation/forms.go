package elicitation

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const fields = "/requestedSchema/properties"

// formCases judge the fields of forms. A field may have keywords that the schema of the
// revision does not know.
func formCases() []suite.Case {
	choice := []string{fields + "/*/enum", fields + "/*/enumNames", fields + "/*/oneOf", fields + "/*/items"}
	return questions.Watchers("elicitation",
		questions.Row{
			Slug: "flat-form", Title: "the schema of a form is an object whose properties are plain values", Rule: "elicitation-schema-flat",
			Asks: questions.Elicitation, Sees: "a form", Depth: probe.Itself,
			Owns:  []string{"/requestedSchema/type", fields, fields + "/*", fields + "/*/type"},
			Fix:   "write requestedSchema with type object and properties of a plain type; ask for nested values one by one",
			Judge: flat,
		},
		questions.Row{
			Slug: "string-formats", Title: "a string in a form has no format, or one of email, uri, date and date-time",
			Rule: "elicitation-string-formats", Asks: questions.Elicitation, Sees: "a string in a form", Owns: []string{fields + "/*/format"},
			Fix:   "leave out the format of a string field, unless it is email, uri, date or date-time",
			Judge: eachField(knownFormat),
		},
		questions.Row{
			Slug: "choices", Title: "choices are strings, each with its title if they have titles", Rule: "elicitation-enum-forms",
			Asks: questions.Elicitation, Sees: "a choice in a form", Owns: choice,
			Fix: "write choices as enum, as oneOf with const and title, or, where several may be chosen, " +
				"as items with enum or with anyOf of const and title",
			Judge: eachField(choiceForm),
		},
		questions.Row{
			Slug: "choices-early", Title: "choices are strings, and so are their names", Rule: "elicitation-enum-legacy",
			Asks: questions.Elicitation, Sees: "a choice in a form", Owns: choice[:2],
			Fix:   "write enum, and enumNames if they are there, as arrays of strings",
			Judge: eachField(namedChoice),
		},
		questions.Row{
			Slug: "defaults", Title: "the default of a field has the type of the field", Rule: "elicitation-default-types",
			Asks: questions.Elicitation, Sees: "a field with a default", Owns: []string{fields + "/*/default"},
			Fix:   "write the default of a field as a value of the type of the field",
			Judge: eachField(fittingDefault),
		},
		questions.Row{
			Slug: "no-links", Title: "a form shows no address to be clicked", Rule: "elicitation-form-no-links",
			Asks: questions.Elicitation, Sees: "a form",
			Fix:   "ask by URL mode where the user has to visit a page, and leave addresses out of the strings of a form",
			Judge: noLinks,
		},
	)
}

func flat(q questions.Question) probe.Opinion {
	form := probe.ObjectOf(q.Params["requestedSchema"])
	switch {
	case form == nil || byURL(q):
		return probe.Nothing()
	case form["type"] != "object":
		return probe.Breaks("%s is %s, want object", q.Shown("/requestedSchema/type"), probe.Show(q.Value(q.Pointer("/requestedSchema/type"))))
	case probe.ObjectOf(form["properties"]) == nil:
		return probe.Breaks("%s is %s, want an object", q.Shown(fields), probe.Show(q.Value(q.Pointer(fields))))
	}
	known := protocol.FieldTypes().At(q.Revision)
	for _, f := range fieldsOf(q) {
		if kind, ok := f.schema["type"].(string); !ok || !slices.Contains(known, kind) {
			return probe.Breaks("%s is %s, want one of %s", q.Shown(f.at+"/type"), probe.Show(q.Value(q.Pointer(f.at+"/type"))),
				strings.Join(known, ", "))
		}
	}
	return probe.Kept()
}

// A field is one property of a form.
type field struct {
	questions.Question
	name   string
	schema map[string]any
	at     string // within the params
}

// fieldsOf are the fields of a form in the order of their names.
func fieldsOf(q questions.Question) []field {
	if byURL(q) {
		return nil
	}
	properties := probe.ObjectOf(probe.ObjectOf(q.Params["requestedSchema"])["properties"])
	all := make([]field, 0, len(properties))
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		at := fields + "/" + frame.Escape(name)
		all = append(all, field{q, name, probe.ObjectOf(properties[name]), at})
	}
	return all
}

func eachField(judge func(field) probe.Opinion) func(questions.Question) probe.Opinion {
	return func(q questions.Question) probe.Opinion {
		said := probe.Nothing()
		for _, f := range fieldsOf(q) {
			said = said.And(judge(f))
		}
		return said
	}
}

// breaks says what stands at a place of the field instead of what is wanted.
func (f field) breaks(within, want string) probe.Opinion {
	return probe.Breaks("%s is %s, want %s", f.Shown(f.at+within), probe.Show(f.Value(f.Pointer(f.at+within))), want)
}

// knownFormat leaves choices alone: their schema knows no format, and leaves further
// properties open.
func knownFormat(f field) probe.Opinion {
	format, given := f.schema["format"]
	_, enum := f.schema["enum"]
	_, titled := f.schema["oneOf"]
	switch text, _ := format.(string); {
	case f.schema["type"] != "string" || enum || titled:
		return probe.Nothing()
	case given && !slices.Contains(protocol.FieldFormats(), text):
		return f.breaks("/format", "one of "+strings.Join(protocol.FieldFormats(), ", "))
	}
	return probe.Kept()
}

// namedChoice judges choices with enum, and the names beside them.
func namedChoice(f field) probe.Opinion {
	if _, given := f.schema["enum"]; !given || f.schema["type"] != "string" {
		return probe.Nothing()
	}
	if !texts(f.schema["enum"]) {
		return f.breaks("/enum", "an array of strings")
	}
	if names, given := f.schema["enumNames"]; given && !texts(names) {
		return f.breaks("/enumNames", "an array of strings")
	}
	return probe.Kept()
}

func choiceForm(f field) probe.Opinion {
	if f.schema["type"] == "array" {
		return severalOf(f)
	}
	if titled, given := f.schema["oneOf"]; given && f.schema["type"] == "string" {
		if !titledChoices(titled) {
			return f.breaks("/oneOf", "an array of objects with const and title, both strings")
		}
		return probe.Kept()
	}
	return namedChoice(f)
}

func severalOf(f field) probe.Opinion {
	items := probe.ObjectOf(f.schema["items"])
	plain, listed := items["enum"]
	titled, each := items["anyOf"]
	switch {
	case !listed && !each:
		return f.breaks("/items", "an object with enum, or with anyOf")
	case listed && (items["type"] != "string" || !texts(plain)):
		return f.breaks("/items", "type string, and enum as an array of strings")
	case each && !titledChoices(titled):
		return f.breaks("/items/anyOf", "an array of objects with const and title, both strings")
	}
	return probe.Kept()
}

func texts(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(v any) bool { _, text := v.(string); return !text })
}

func titledChoices(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(v any) bool {
		_, value := probe.ObjectOf(v)["const"].(string)
		_, title := probe.ObjectOf(v)["title"].(string)
		return !value || !title
	})
}

func fittingDefault(f field) probe.Opinion {
	kind, _ := f.schema["type"].(string)
	value, given := f.schema["default"]
	if !given || !slices.Contains(protocol.DefaultTypes().At(f.Revision), kind) {
		return probe.Nothing()
	}
	var fits bool
	switch kind {
	case "string":
		_, fits = value.(string)
	case "boolean":
		_, fits = value.(bool)
	case "array":
		fits = texts(value)
	default:
		_, fits = value.(json.Number)
	}
	if !fits {
		return f.breaks("/default", "a value of the type "+kind)
	}
	if all := choices(f.schema); kind == "string" && len(all) > 0 && !slices.Contains(all, value) {
		return f.breaks("/default", "one of the choices of the field").AtMostWarn()
	}
	return probe.Kept()
}

// choices are the values of a field of which one is chosen; nil where any text may be given.
func choices(schema map[string]any) []any {
	all := probe.ArrayOf(schema["enum"])
	for _, one := range probe.ArrayOf(schema["oneOf"]) {
		all = append(all, probe.ObjectOf(one)["const"])
	}
	return all
}

// noLinks passes over a field that asks for a URI, whose texts may show one, and over the
// names that are kept for examples.
func noLinks(q questions.Question) probe.Opinion {
	if byURL(q) || probe.ObjectOf(q.Params["requestedSchema"]) == nil {
		return probe.Nothing()
	}
	if text, _ := q.Params["message"].(string); link(text) {
		return probe.Breaks("%s is %s, want no address in it", q.Shown("/message"), probe.Show(text))
	}
	for _, f := range fieldsOf(q) {
		for _, name := range []string{"title", "description"} {
			if text, _ := f.schema[name].(string); f.schema["format"] != "uri" && link(text) {
				return f.breaks("/"+name, "no address in it")
			}
		}
	}
	return probe.Kept()
}

func link(text string) bool {
	for _, scheme := range []string{"https://", "http://"} {
		if _, rest, found := strings.Cut(strings.ToLower(text), scheme); found {
			host, _, _ := strings.Cut(rest, "/")
			return host != "" && !exampleHost(host)
		}
	}
	return false
}

func exampleHost(host string) bool {
	host = strings.TrimRight(host, ".,;:!?)\"'")
	return slices.ContainsFunc([]string{"example", "example.com", "example.org", "example.net"}, func(kept string) bool {
		return host == kept || strings.HasSuffix(host, "."+kept)
	})
}
