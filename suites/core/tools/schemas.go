package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// schemaCases judge whether the schemas in the list are valid schemas.
func schemaCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/input-schema-valid",
			Title:  "input schemas are valid in the dialect they are written in",
			Checks: []requirements.ID{"tools-input-schema-valid", "schema-dialect-valid"},
			Needs:  declared(),
			Fix:    "publish a real JSON Schema, valid in the dialect that $schema names or else in 2020-12",
			Run:    validSchemas("inputSchema"),
		},
		{
			ID:     "tools/output-schema-valid",
			Title:  "output schemas are valid in the dialect they are written in",
			Checks: []requirements.ID{"tools-output-schema-any", "schema-dialect-valid"},
			Needs:  declared(),
			Fix: "publish a real JSON Schema as outputSchema, valid in the dialect that $schema names or else in 2020-12, " +
				"or leave it out",
			Run: validSchemas("outputSchema"),
		},
		{
			ID:     "tools/schema-dialect",
			Title:  "the schemas of tools are written in JSON Schema 2020-12",
			Checks: []requirements.ID{"schema-2020-12-recommended"},
			Needs:  declared(),
			Fix:    "write schemas in JSON Schema 2020-12, and leave $schema out or name that dialect",
			Run:    probe.EachItem(protocol.Tools(), dialect),
		},
	}
}

// validSchemas judges the schema in a property of each tool. It compiles a schema that
// many tools share only once.
func validSchemas(property string) func(*probe.Client) error {
	return func(c *probe.Client) error {
		compiled := map[string]compilation{}
		return probe.EachItem(protocol.Tools(), func(c *probe.Client, t probe.Item) probe.Opinion {
			switch schema := t.Get(property).(type) {
			case probe.Absent:
				return probe.Nothing() // tools/list-schema judges which schemas are mandatory
			case map[string]any:
				text := probe.JSON(schema)
				found, known := compiled[text]
				if !known {
					found = compile(schema)
					compiled[text] = found
				}
				return soundness(c, t, property, found.err).And(readable(t, property, found.unreadable))
			default:
				if protocol.DescribesObject(property).At(c.Revision()) {
					return probe.Nothing() // tools/input-schema-object or tools/output-schema-object judges it
				}
				return probe.Breaks("%s is %s, want a JSON Schema", t.Where(property), probe.Show(schema))
			}
		})(c)
	}
}

// A compilation is what compiling a schema shows.
type compilation struct {
	err        error
	unreadable []string // patterns
}

func compile(schema map[string]any) compilation {
	compiled, err := schemas.Compile(schema)
	if err != nil {
		return compilation{err: err}
	}
	return compilation{unreadable: compiled.Unreadable()}
}

// readable only warns: JSON Schema says that a pattern SHOULD be a regular expression.
func readable(t probe.Item, property string, unreadable []string) probe.Opinion {
	if len(unreadable) == 0 {
		return probe.Nothing()
	}
	return probe.Breaks("%s has the pattern %s, want a regular expression: no dialect can read this one",
		t.Where(property), probe.Show(unreadable[0])).AtMostWarn()
}

// soundness is the verdict from compiling a schema. It notes schemas that the kit cannot
// judge: an unknown dialect, a reference that leads nowhere, or too large a schema.
func soundness(c *probe.Client, t probe.Item, property string, err error) probe.Opinion {
	if err == nil {
		return probe.Kept()
	}
	var invalid *schemas.Invalid
	if errors.As(err, &invalid) {
		if faults := unsound(invalid.Faults); len(faults) > 0 {
			return probe.Breaks("%s", probe.Faults(t.Pointer+"/"+property, faults))
		}
		if faults := dangling(invalid.Faults); len(faults) > 0 {
			return probe.Breaks("%s", probe.Faults(t.Pointer+"/"+property, faults)).AtMostWarn()
		}
	}
	c.Note(fmt.Sprintf("%s could not be judged: %s", t.Where(property), err))
	return probe.Nothing()
}

// dangling are the references into the schema itself that lead nowhere. The meta-schema allows
// them, and no client can use the schema.
func dangling(faults []schemas.Fault) []schemas.Fault {
	return slices.DeleteFunc(slices.Clone(faults), func(f schemas.Fault) bool {
		return !strings.HasSuffix(f.Pointer, "/$ref") || !strings.HasPrefix(f.Got, `"#`)
	})
}

// unsound are the faults that break the meta-schema. Names and references that do not
// match within the schema do not.
func unsound(faults []schemas.Fault) []schemas.Fault {
	return slices.DeleteFunc(slices.Clone(faults), func(f schemas.Fault) bool {
		text := strings.HasPrefix(f.Got, `"`)
		switch f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:] {
		case "$ref", "$dynamicRef", "$recursiveRef":
			return text
		}
		return f.Pointer == ""
	})
}

// dialect judges the $schema of both schemas of a tool.
func dialect(_ *probe.Client, t probe.Item) probe.Opinion {
	said := probe.Nothing()
	for _, property := range []string{"inputSchema", "outputSchema"} {
		schema, ok := t.Get(property).(map[string]any)
		if !ok {
			continue
		}
		said = said.And(probe.Kept())
		if named, ok := schema["$schema"].(string); ok && !newest(named) {
			said = said.And(probe.Breaks("%s is %s, want JSON Schema 2020-12 or no such property",
				t.Where(property, "$schema"), probe.Show(named)))
		}
	}
	return said
}

// newest reports whether a dialect is 2020-12, however its URL is written.
func newest(dialect string) bool {
	_, address, _ := strings.Cut(dialect, "://")
	return strings.TrimSuffix(address, "#") == "json-schema.org/draft/2020-12/schema"
}

// accepts reports whether a schema surely accepts arguments.
func accepts(schema map[string]any, arguments probe.Object) bool {
	faults, decided := tried(schema, arguments)
	return decided && len(faults) == 0
}

// excludes reports whether a schema surely rejects arguments.
func excludes(schema map[string]any, arguments probe.Object) bool {
	faults, decided := tried(schema, arguments)
	return decided && len(faults) > 0
}

// tried validates arguments against a schema, after a round trip through JSON, so that
// they are judged as they are sent.
func tried(schema map[string]any, arguments probe.Object) (faults []schemas.Fault, decided bool) {
	compiled, err := schemas.Compile(schema)
	if err != nil {
		return nil, false
	}
	faults, undecided := validated(compiled, arguments)
	return faults, !undecided
}

func validated(compiled *schemas.Schema, arguments probe.Object) (faults []schemas.Fault, undecided bool) {
	return compiled.Validate(frame.Read([]byte(probe.JSON(arguments))).Value)
}
