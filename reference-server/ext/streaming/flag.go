package streaming

import (
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// flag marks in tools/list the tools that stream their results. It marks a copy, since
// all requests share the items.
func (e *extension) flag(t *core.Turn, run next) (fault.Message, *core.Error) {
	result, failure := run()
	listed, ok := result["tools"].([]fault.Message)
	if failure != nil || !ok || t.Exchange().Method != "tools/list" {
		return result, failure
	}
	listed = slices.Clone(listed)
	for i, tool := range listed {
		name, _ := tool["name"].(string)
		if slices.Contains(e.tools, name) && e.faults.Unflagged != name {
			marked := maps.Clone(tool)
			marked["supports_streaming"] = true
			listed[i] = marked
		}
	}
	result["tools"] = listed
	return result, nil
}

// describe marks the same tools in the manifest.
func (e *extension) describe(_ *core.Turn, manifest fault.Message) {
	entries, _ := manifest["tools"].([]any)
	for _, entry := range entries {
		tool, _ := entry.(map[string]any)
		name, _ := tool["name"].(string)
		if slices.Contains(e.tools, name) && e.faults.Unflagged != name {
			tool["supports_streaming"] = true
		}
	}
}
