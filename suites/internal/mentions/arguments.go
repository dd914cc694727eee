package mentions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Refused finds arguments in the configuration that the tool's own schema refuses in each
// column that lists the tool: a case that used them would blame the server for the mistake. hide takes secrets out
// of a text.
func Refused(cfg config.Config, columns []Column, hide func(string) string) error {
	for _, m := range cfg.Mentions() {
		arguments, ok := sample(m)
		if !ok {
			continue
		}
		var at []string
		var first schemas.Fault
		var known []string
		for _, col := range columns {
			schema := schemaOf(col.Survey, m.Name)
			if schema == nil {
				continue
			}
			faults := misfits(schema, arguments)
			if len(faults) == 0 {
				at = nil
				break
			}
			if first == (schemas.Fault{}) {
				first, known = faults[0], properties(schema)
			}
			if revision := string(col.Revision); !slices.Contains(at, revision) {
				at = append(at, revision)
			}
		}
		if len(at) > 0 {
			message := fmt.Sprintf("%s refuses these arguments at %s: arguments%s is %s, want %s",
				m.Name, strings.Join(at, ", "), first.Pointer, first.Got, first.Want)
			return cfg.Refused(m, hide(message), known) // arguments may hold secrets
		}
	}
	return nil
}

// Fitting is the roles of the configuration that a column can use, and the names of those
// whose arguments only the schemas of this column refuse.
func Fitting(cfg config.Config, survey *probe.Survey) (set roles.Set, refused []roles.Name) {
	for _, m := range cfg.Mentions() {
		arguments, ok := sample(m)
		schema := schemaOf(survey, m.Name)
		if !ok || schema == nil || len(misfits(schema, arguments)) == 0 {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(m.Key, "roles."), ".")
		refused = append(refused, roles.Name(name))
	}
	kept := slices.DeleteFunc(cfg.Roles.All(), func(f roles.Filled) bool { return slices.Contains(refused, f.Name) })
	known, whole := Listed([]Column{{Survey: survey}}, protocol.Tools())
	// A list that was not read to its end may have any tool.
	listed := func(tool string) bool { return !whole || slices.Contains(known, tool) }
	return roles.NewSet(cfg.Roles.Specs(), kept...).Only(listed), refused
}

// sample are the arguments of a mention as a case would send them. It reports false for
// arguments that only a case can complete, and for calls that are meant to fail.
func sample(m config.Mention) (map[string]any, bool) {
	if m.Kind != roles.KindTool || m.Arguments == nil || meantToFail(m.Key) {
		return nil, false
	}
	call, err := roles.Call{Tool: m.Name, Arguments: m.Arguments}.Expand(roles.Vars{Nonce: "0a1b2c3d4e"})
	return call.Arguments, err == nil
}

// meantToFail reports whether a key is that of a call which may be refused by its schema.
// Nothing is known of the roles of third parties.
func meantToFail(key string) bool {
	path, below := strings.CutPrefix(key, "roles.")
	if _, known := roles.Find(roles.Known(), path); !below || !known {
		return true
	}
	return strings.HasPrefix(path, string(roles.Failure)+".") ||
		strings.Contains(path, ".failing") || strings.Contains(path, ".protocol-error")
}

// schemaOf is the input schema that a column lists for a tool; nil where it lists none,
// or several.
func schemaOf(survey *probe.Survey, tool string) map[string]any {
	var found map[string]any
	for _, item := range survey.Lists[protocol.Tools().Method] {
		o := probe.ObjectOf(item)
		if o["name"] != tool {
			continue
		}
		if found != nil {
			return nil
		}
		found, _ = o["inputSchema"].(map[string]any)
	}
	return found
}

// misfits are the places where arguments surely do not fit a schema.
func misfits(schema map[string]any, arguments map[string]any) []schemas.Fault {
	compiled, err := schemas.Compile(schema)
	if err != nil {
		return nil
	}
	faults, undecided := compiled.Validate(frame.Read([]byte(probe.JSON(arguments))).Value)
	if undecided {
		return nil
	}
	return faults
}

func properties(schema map[string]any) []string {
	return slices.Sorted(maps.Keys(probe.ObjectOf(schema["properties"])))
}
