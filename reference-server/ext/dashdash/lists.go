package dashdash

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// list adds an object to each tool and each resource.
func list(t *core.Turn, method string, items []fault.Message) {
	for _, item := range items {
		switch method {
		case "tools/list":
			item["dashdash"] = tool(t, item)
		case "resources/list":
			item["dashdash"] = resource(item)
		}
	}
}

// tool describes a tool by its annotations and schemas, so that these cannot disagree.
func tool(t *core.Turn, item fault.Message) map[string]any {
	name, _ := item["name"].(string)
	hints := t.Annotations(name)
	object := map[string]any{
		"category": category(name), "operationType": "read", "idempotent": isTrue(hints.IdempotentHint),
		"cliEquivalent": "harbour " + name + placeholders(item["inputSchema"]), "apiEquivalent": "GET /v1/" + name,
		"examples": []any{map[string]any{
			"description": "A usual call", "input": sample(item["inputSchema"], true), "output": sample(item["outputSchema"], false),
		}},
		"errors": []any{map[string]any{
			"code": "INVALID_INPUT", "description": "An argument does not fit.", "resolution": "Compare the arguments with inputSchema.",
		}},
	}
	if isTrue(hints.ReadOnlyHint) {
		return object
	}
	object["operationType"], object["apiEquivalent"] = "write", "POST /v1/"+name
	if isTrue(hints.DestructiveHint) {
		object["operationType"], object["apiEquivalent"] = "delete", "DELETE /v1/"+name
	}
	object["sideEffects"] = []any{"changes what the office keeps"}
	object["idempotentWithKey"] = slices.ContainsFunc(t.Extensions(), func(e core.Extension) bool { return e.Name == "idempotency" })
	if reverse := map[string]string{"book_berth": "release_berth", "order_pilot": "cancel_pilot"}[name]; reverse != "" && t.HasTool(reverse) {
		object["reversible"], object["reverseMethod"] = true, reverse
	}
	return object
}

func isTrue(hint *bool) bool { return hint != nil && *hint }

func category(tool string) string {
	for _, one := range []struct{ word, category string }{
		{"test_", "tests"}, {"berth", "berths"}, {"booking", "berths"}, {"log", "logbook"}, {"pilot", "services"}, {"crane", "services"},
	} {
		if strings.Contains(tool, one.word) {
			return one.category
		}
	}
	return "office"
}

// placeholders names the required arguments of a tool in a command.
func placeholders(schema any) string {
	all := ""
	for _, name := range required(object(schema)) {
		all += fmt.Sprintf(" --%s {%s}", name, name)
	}
	return all
}

func required(schema map[string]any) []string {
	var names []string
	all, _ := schema["required"].([]any)
	for _, one := range all {
		if name, ok := one.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

func object(value any) map[string]any {
	o, _ := value.(map[string]any)
	return o
}

// sample makes a value that fits a schema of this server.
func sample(value any, empty bool) any {
	schema := object(value)
	for _, keyword := range []string{"examples", "enum"} {
		if all, ok := schema[keyword].([]any); ok && len(all) > 0 {
			return all[0]
		}
	}
	if given, ok := schema["default"]; ok {
		return given
	}
	switch schema["type"] {
	case "object":
		made, properties, wanted := map[string]any{}, object(schema["properties"]), required(schema)
		alternative, _ := schema["else"].(map[string]any) // the condition does not hold for an empty object
		wanted = append(wanted, required(alternative)...)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if slices.Contains(wanted, name) {
				made[name] = sample(properties[name], false)
			}
		}
		return made
	case "array":
		return []any{sample(schema["items"], false)}
	case "integer", "number":
		return number(schema)
	case "boolean":
		return true
	}
	if empty {
		return map[string]any{}
	}
	pattern, _ := schema["pattern"].(string)
	if pattern == "" {
		return word(schema)
	}
	return strings.NewReplacer("^", "", "$", "", "[0-9]+", "17").Replace(pattern)
}

// word is a string of no more than the maximum length.
func word(schema map[string]any) string {
	const usual = "north"
	most, limited := schema["maxLength"].(json.Number)
	if n, err := most.Int64(); limited && err == nil && n >= 0 && n < int64(len(usual)) {
		return usual[:n]
	}
	return usual
}

func number(schema map[string]any) any {
	if least, ok := schema["minimum"].(json.Number); ok {
		return least
	}
	return 1
}

// resource describes a resource. Its answers are not to be cached, as ttlMs says too.
// fixedText is the name of a resource that never changes.
const fixedText = "Static text"

func resource(item fault.Message) map[string]any {
	uri, _ := item["uri"].(string)
	name, _ := item["name"].(string)
	kind := "notice"
	switch {
	case strings.HasPrefix(uri, "file:"):
		kind = "chart"
	case strings.HasPrefix(uri, "harbour:"):
		kind = "berth"
	}
	page := strings.ReplaceAll(strings.ToLower(name), " ", "-")
	return map[string]any{
		"resourceType": kind, "refreshable": name != fixedText, "cacheDuration": 0,
		"webEquivalent": home + "/app/" + page, "apiEquivalent": "GET /v1/resources/" + page,
	}
}
