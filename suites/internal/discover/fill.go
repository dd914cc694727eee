package discover

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Fill fills the roles of a column: first from the configuration, then with fixtures that
// the kit knows by name, then with tools that say that they are safe. If everything is
// allowed, every tool counts as safe whose arguments the kit can make up.
func Fill(given roles.Set, s *probe.Survey, modern, everything bool) roles.Set {
	fixtures := roles.Fixtures(given.Specs(), roles.Offer{
		Tools:     names(slices.DeleteFunc(slices.Clone(tools(s)), warns), "name"),
		Prompts:   names(s.Lists["prompts/list"], "name"),
		Resources: names(s.Lists["resources/list"], "uri"),
		Modern:    modern,
	})
	found := roles.NewSet(given.Specs(), safe(s, everything)...)
	return given.Over(fixtures).Over(found)
}

func names(items []any, member string) []string {
	var all []string
	for _, item := range items {
		if name, ok := probe.ObjectOf(item)[member].(string); ok {
			all = append(all, name)
		}
	}
	return all
}

// byName puts tools into the order of their names. Some servers list them in another order
// each time, and a run that is made again has to call the same ones.
func byName(tools []any) []any {
	return slices.SortedStableFunc(slices.Values(tools), func(a, b any) int {
		return strings.Compare(probe.TextOf(probe.ObjectOf(a)["name"]), probe.TextOf(probe.ObjectOf(b)["name"]))
	})
}

// byTrouble puts the tools that suit most cases first, and keeps the order among equals.
func byTrouble(tools []any) []any {
	var of [most + 1][]any
	for _, tool := range tools {
		ill := trouble(probe.ObjectOf(tool))
		of[ill] = append(of[ill], tool)
	}
	return slices.Concat(of[:]...)
}

// warns reports whether a tool says that it is destructive. The kit does not call such a
// tool, even if its name is known from test servers.
func warns(item any) bool {
	return probe.ObjectOf(probe.ObjectOf(item)["annotations"])["destructiveHint"] == true
}

// acting gives the names of the tools that do not say that they are read-only. A name that
// is listed twice is acting if one of the two tools is: a call may reach either.
func acting(tools []any) map[string]bool {
	names := map[string]bool{}
	for _, item := range tools {
		tool := probe.ObjectOf(item)
		if probe.ObjectOf(tool["annotations"])["readOnlyHint"] != true {
			names[probe.TextOf(tool["name"])] = true
		}
	}
	return names
}

// safe fills the roles that one read-only tool can fill, with the handiest tool.
func safe(s *probe.Survey, everything bool) []roles.Filled {
	var filled []roles.Filled
	var tasking map[string]any
	var reading, refusing, texting candidate
	headers := roles.Fields{}
	structured := map[string]candidate{}
	harmful := acting(tools(s))
	for _, item := range byName(tools(s)) {
		tool := probe.ObjectOf(item)
		name := probe.TextOf(tool["name"])
		if name == "" || !everything && harmful[name] {
			continue
		}
		schema := probe.ObjectOf(tool["inputSchema"])
		if _, ok := Arguments(schema); !ok {
			continue
		}
		if support := taskSupport(tool); support == "optional" || support == "required" {
			if tasking == nil || demands(tool) < demands(tasking) {
				tasking = tool
			}
			if support == "required" {
				continue // a plain call is refused
			}
		}
		putMirrored(headers, tool)
		one := candidate{tool, trouble(tool)}
		if yields, ok := tool["outputSchema"].(map[string]any); ok {
			field := outputField(yields)
			if one.handier(structured[field]) {
				structured[field] = one
			}
		}
		if one.handier(reading) {
			reading = one
		}
		if _, ok := bend(schema, firm()...); ok && one.easier(refusing) {
			refusing = one
		}
		if _, ok := bend(schema, "string"); ok && one.easier(texting) {
			texting = one
		}
	}
	if reading.tool != nil {
		fields := call(reading.tool)
		maps.Copy(fields, headers)
		filled = append(filled, roles.Filled{Name: roles.ReadOnlyTool, Source: roles.Discovered, Fields: fields})
	}
	if tasking != nil {
		fields := call(tasking)
		if taskSupport(tasking) == "required" {
			fields["required"] = call(tasking)
		}
		filled = append(filled, roles.Filled{Name: roles.TaskTool, Source: roles.Discovered, Fields: fields})
	}
	if len(structured) > 0 {
		fields := roles.Fields{}
		for field, one := range structured {
			fields[field] = call(one.tool)
		}
		filled = append(filled, roles.Filled{Name: roles.Content, Source: roles.Discovered, Fields: fields})
	}
	kinds := firm()
	if refusing.tool == nil {
		refusing, kinds = texting, []string{"string"}
	}
	if refusing.tool != nil {
		fields := call(refusing.tool)
		fields["invalid-arguments"], _ = bend(probe.ObjectOf(refusing.tool["inputSchema"]), kinds...)
		filled = append(filled, roles.Filled{Name: roles.InvalidInput, Source: roles.Discovered, Fields: fields})
	}
	return filled
}

// outputField names the field of the role for a tool with this output schema.
func outputField(schema map[string]any) string {
	if kind, ok := schema["type"].(string); ok && kind != "object" {
		return "non-object"
	}
	return "structured"
}

// taskSupport is what a tool of 2025-11-25 says of being called as a task.
func taskSupport(tool map[string]any) string {
	return probe.TextOf(probe.ObjectOf(tool["execution"])["taskSupport"])
}

// ReadOnly gives a call of each tool that says that it is read-only, if the kit can make
// up arguments for the tool and the tool takes plain calls. Tools that say that they are slow,
// ask the client or fail come last: some cases stop at the first tool that does not answer.
func ReadOnly(tools []any) []roles.Call {
	var calls []roles.Call
	harmful := acting(tools)
	unfit := func(item any) bool {
		tool := probe.ObjectOf(item)
		name := probe.TextOf(tool["name"])
		return name == "" || warns(item) || harmful[name] || taskSupport(tool) == "required"
	}
	for _, item := range byTrouble(slices.DeleteFunc(byName(tools), unfit)) {
		tool := probe.ObjectOf(item)
		name := probe.TextOf(tool["name"])
		if arguments, ok := Arguments(probe.ObjectOf(tool["inputSchema"])); ok {
			calls = append(calls, roles.Call{Tool: name, Arguments: arguments})
		}
	}
	return calls
}

func call(tool map[string]any) roles.Fields {
	arguments, _ := Arguments(probe.ObjectOf(tool["inputSchema"]))
	return roles.Fields{"tool": tool["name"], "arguments": literal(arguments)}
}

func demands(tool map[string]any) int {
	return len(probe.ArrayOf(probe.ObjectOf(tool["inputSchema"])["required"]))
}

// firm are the types that take no other value. Some servers take anything for a string, so
// a tool with strings alone comes last.
func firm() []string { return []string{"number", "integer", "boolean"} }

// bend makes arguments that the schema excludes: a required member is missing, or an
// object stands in place of a value of one of the types.
func bend(schema map[string]any, kinds ...string) (map[string]any, bool) {
	arguments, ok := Arguments(schema)
	if !ok {
		return nil, false
	}
	for _, required := range probe.ArrayOf(schema["required"]) {
		name := probe.TextOf(required)
		if _, there := arguments[name]; there {
			delete(arguments, name)
			return literal(arguments), true
		}
	}
	properties := probe.ObjectOf(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(kinds, probe.TextOf(probe.ObjectOf(properties[name])["type"])) {
			arguments[name] = map[string]any{"mcp-conform": "an object"}
			return literal(arguments), true
		}
	}
	return nil, false
}

// literal keeps the texts of a server, at any depth, from being read as placeholders.
func literal(arguments map[string]any) map[string]any {
	plain := make(map[string]any, len(arguments))
	for name, value := range arguments {
		plain[name] = literalValue(value)
	}
	return plain
}

func literalValue(v any) any {
	switch v := v.(type) {
	case string:
		return roles.Literal(v)
	case map[string]any:
		return literal(v)
	case []any:
		plain := make([]any, len(v))
		for i, item := range v {
			plain[i] = literalValue(item)
		}
		return plain
	default:
		return v
	}
}
