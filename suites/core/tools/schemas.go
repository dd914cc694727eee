package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// schemaCases judge whether the schemas in the list are schemas.
func schemaCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/input-schema-valid",
			Title:  "input schemas are valid in the dialect they are written in",
			Checks: []requirements.ID{"tools-input-schema-valid", "schema-dialect-valid"},
			Needs:  declared(),
			Fix:    "publish a real JSON Schema, valid in the dialect that $schema names or else in 2020-12, and never null",
			Run:    validSchemas("inputSchema"),
		},
		{
			ID:     "tools/output-schema-valid",
			Title:  "output schemas are valid in the dialect they are written in",
			Checks: []requirements.ID{"tools-output-schema-any", "schema-dialect-valid"},
			Needs:  declared(),
			Fix:    "publish a real JSON Schema as outputSchema, valid in the dialect that $schema names or else in 2020-12, or leave it out",
			Run:    validSchemas("outputSchema"),
		},
		{
			ID:     "tools/schema-dialect",
			Title:  "the schemas of tools are written in JSON Schema 2020-12",
			Checks: []requirements.ID{"schema-2020-12-recommended"},
			Needs:  declared(),
			Fix:    "write schemas in JSON Schema 2020-12, and leave $schema out or name that dialect",
			Run:    each(dialect),
		},
	}
}

// validSchemas judges the schema in a member of each tool. Many tools may have
// the same one, which is looked into once.
func validSchemas(member string) func(context.Context, *probe.Client) error {
	return func(ctx context.Context, c *probe.Client) error {
		compiled := map[string]error{}
		return each(func(c *probe.Client, t tool) (bool, string, error) {
			schema := t.member(member)
			if _, absent := schema.(probe.Absent); absent {
				return false, "", nil // tools/list-schema says which must be there
			}
			if _, ok := schema.(map[string]any); !ok {
				return true, t.at(member) + " is " + probe.Show(schema) + ", want a JSON Schema", nil
			}
			text := probe.JSON(schema)
			err, known := compiled[text]
			if !known {
				_, err = schemas.Compile(schema)
				compiled[text] = err
			}
			judged, problem := soundness(c, t, member, err)
			return judged, problem, nil
		})(ctx, c)
	}
}

// soundness is what compiling a schema says about it. What the kit cannot
// decide is noted: a dialect it does not know, a reference that leads nowhere,
// a schema that is too large to look into.
func soundness(c *probe.Client, t tool, member string, err error) (judged bool, problem string) {
	if err == nil {
		return true, ""
	}
	var invalid *schemas.Invalid
	if errors.As(err, &invalid) {
		if faults := unsound(invalid.Faults); len(faults) > 0 {
			return true, probe.Faults(t.pointer+"/"+member, faults)
		}
	}
	c.Note(fmt.Sprintf("%s could not be judged: %s", t.at(member), err))
	return false, ""
}

// unsound are the faults beside names and references within the schema that do
// not fit together: those break no meta-schema.
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

// dialect judges what both schemas of a tool say of themselves.
func dialect(_ *probe.Client, t tool) (judged bool, problem string, err error) {
	for _, member := range []string{"inputSchema", "outputSchema"} {
		schema, ok := t.member(member).(map[string]any)
		if !ok {
			continue
		}
		judged = true
		if named, ok := schema["$schema"].(string); ok && !newest(named) {
			return true, fmt.Sprintf("%s is %s, want JSON Schema 2020-12 or no such member", t.at(member, "$schema"), probe.Show(named)), nil
		}
	}
	return judged, "", nil
}

// newest reports whether a dialect is 2020-12, however its address is written.
func newest(dialect string) bool {
	_, address, _ := strings.Cut(dialect, "://")
	return strings.TrimSuffix(address, "#") == "json-schema.org/draft/2020-12/schema"
}
