// Package faults breaks the rules of the manifest in the sent document: the extension
// makes the document from the server's registry.
package faults

import (
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Faults lists the faults in the order of the proposal.
func Faults() []fault.Fault {
	return slices.Concat(
		access(), outlines(), servers(), tools(), lists(), schemas(), claims(), backing(), auth(), limits(), contents(), runtime(),
	)
}

const method = "get_manifest"

// document changes the manifest.
func document(change func(manifest fault.Message)) fault.Change {
	return fault.OnResult(method, change)
}

// entry changes one tool of the manifest.
func entry(name string, change func(tool map[string]any)) fault.Change {
	return document(func(manifest fault.Message) {
		for _, tool := range entries(manifest) {
			if tool["name"] == name {
				change(tool)
			}
		}
	})
}

// member puts a value into one tool of the manifest.
func member(tool, name string, value any) fault.Change {
	return entry(tool, func(t map[string]any) { t[name] = value })
}

// entries lists the tools of a manifest.
func entries(manifest fault.Message) []map[string]any {
	var all []map[string]any
	listed, _ := manifest["tools"].([]any)
	for _, one := range listed {
		if tool, ok := one.(map[string]any); ok {
			all = append(all, tool)
		}
	}
	return all
}

// withoutTool removes one tool.
func withoutTool(name string) fault.Change {
	return document(func(manifest fault.Message) { reduce(manifest, func(tool string) bool { return tool != name }) })
}

// reduce removes the unwanted tools, also from the scopes that grant them.
func reduce(manifest fault.Message, wanted func(tool string) bool) {
	manifest["tools"] = slices.DeleteFunc(slices.Clone(list(manifest, "tools")), func(one any) bool {
		tool, _ := one.(map[string]any)
		name, _ := tool["name"].(string)
		return !wanted(name)
	})
	for _, one := range list(manifest.Object("auth"), "scopes") {
		scope, _ := one.(map[string]any)
		scope["grants"] = slices.DeleteFunc(slices.Clone(list(scope, "grants")), func(name any) bool { return !wanted(name.(string)) })
	}
}

// list is an array of the document. Other extensions may use a []string.
func list(object map[string]any, name string) []any {
	switch all := object[name].(type) {
	case []any:
		return all
	case []string:
		values := make([]any, len(all))
		for i, one := range all {
			values[i] = one
		}
		return values
	default:
		return nil
	}
}

// declares adds an extension to the capabilities.
func declares(token string) fault.Change {
	claim := func(result fault.Message) {
		capabilities := result.Object("capabilities")
		extensions := maps.Clone(map[string]any(capabilities.Object("extensions")))
		extensions[prefix+token] = map[string]any{}
		capabilities["extensions"] = extensions
	}
	return fault.Changes(fault.OnResult("initialize", claim), fault.OnResult("server/discover", claim))
}

const prefix = "io.github.mcp-extension-proposals/"

// booking is the tool that most faults change.
const booking = "book_berth"
