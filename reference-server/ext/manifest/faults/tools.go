package faults

import (
	"maps"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// tools breaks the entries of tools.
func tools() []fault.Fault {
	// The first revision has no rule for names.
	old := fault.OverStdio(requirements.R20241105)
	return []fault.Fault{
		{Breaks: "ext-manifest-tool-required", Each: []fault.Fault{{
			Name: "manifest-tool-without-description", Title: "a tool of the manifest has no description",
			Reply: entry(booking, func(tool map[string]any) { delete(tool, "description") }),
		}, {
			Name: "manifest-tool-without-schema", Title: "a tool of the manifest has no input_schema",
			Reply: entry(booking, func(tool map[string]any) { delete(tool, "input_schema") }),
		}, {
			Name: "manifest-tool-name-empty", Title: "a tool of the manifest has an empty name",
			Silent: []string{"ext-manifest/tools-equal-list", "ext-manifest/scopes-resolve"}, Reply: member(booking, "name", ""),
		}, {
			Name: "manifest-tool-core-spelling", Title: "a tool of the manifest has inputSchema instead of input_schema",
			Reply: entry(booking, func(tool map[string]any) {
				tool["inputSchema"] = tool["input_schema"]
				delete(tool, "input_schema")
			}),
		}}},
		{Breaks: "ext-manifest-tool-name-pattern", Each: []fault.Fault{
			{In: old, Each: []fault.Fault{
				{Name: "manifest-tool-name-space", Title: "the name of a tool has a space", Domain: offering("winter rates")},
				{Name: "manifest-tool-name-letter", Title: "the name of a tool has a letter outside ASCII", Domain: offering("hafengebühr")},
				{Name: "manifest-tool-name-capitals", Title: "the name of a tool has capitals, in tools/list too", Domain: offering("winterRates")},
			}},
			{
				Name: "manifest-tool-renamed", Title: "the manifest writes the names of tools with hyphens",
				May:   []string{"ext-manifest/tools-equal-list", "ext-manifest/scopes-resolve"},
				Reply: member("tide_heights", "name", "tide-heights"),
			},
		}},
		{Breaks: "ext-manifest-tool-names-unique", Each: []fault.Fault{
			{Name: "manifest-tool-twice", Title: "the manifest lists a tool twice", Reply: listedTwice(func(map[string]any) {})},
			{
				Name: "manifest-tools-share-name", Title: "two tools of the manifest have the same name",
				May: []string{"ext-manifest/schemas-agree"},
				Reply: listedTwice(func(tool map[string]any) {
					tool["description"], tool["input_schema"] = "Book a crane.", map[string]any{"type": "object"}
				}),
			},
		}},
		{Breaks: "ext-manifest-tool-flags-boolean", Each: []fault.Fault{
			{Name: "manifest-flag-word", Title: "supports_streaming is a string", Reply: member(booking, "supports_streaming", "yes")},
			{Name: "manifest-flag-number", Title: "idempotent is a number", Reply: member(booking, "idempotent", 1)},
			{
				Name: "manifest-required-scopes-string", Title: "required_scopes is a string",
				Reply: member(booking, "required_scopes", "write:harbour"),
			},
		}},
	}
}

// offering adds a tool that changes nothing.
func offering(name string) func(fault.Registry) {
	return func(r fault.Registry) {
		r.AddTool(fault.Message{
			"name": name, "description": "Says what a stay costs in winter.",
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{}},
		}, func(map[string]any) string { return "Half of the summer rates." })
	}
}

// listedTwice lists a tool a second time, changed or not.
func listedTwice(change func(tool map[string]any)) fault.Change {
	return document(func(manifest fault.Message) {
		for _, tool := range entries(manifest) {
			if tool["name"] == booking {
				second := maps.Clone(tool)
				change(second)
				manifest["tools"] = append(list(manifest, "tools"), second)
			}
		}
	})
}
