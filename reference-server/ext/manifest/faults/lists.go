package faults

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// lists breaks the agreement between the manifest and tools/list.
func lists() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-manifest-tools-equal-list", Each: []fault.Fault{
			{
				Name: "manifest-shows-guests-more", Title: "a caller with few rights finds a tool in the manifest that its list does not have",
				Kills: []string{"ext-manifest/tools-equal-list"}, In: fault.OverHTTP(requirements.R20251125),
				Reply: fault.When(func(x fault.Exchange) bool {
					return x.Method == method && strings.HasSuffix(x.Header.Get("Authorization"), "guest")
				}).Set("/result/tools/-", map[string]any{
					"name": "raise_bridge", "description": "Raises the bridge.", "input_schema": map[string]any{"type": "object"},
				}),
			},
			{Name: "manifest-lacks-tool", Title: "the manifest leaves a tool out", Reply: withoutTool("tide_heights")},
			{
				Name: "manifest-lacks-granted-tool", Title: "the manifest leaves a tool out that one of its scopes grants",
				Kills: []string{"ext-manifest/tools-equal-list"}, Silent: []string{"ext-manifest/scopes-resolve"},
				Reply: document(func(manifest fault.Message) {
					manifest["tools"] = slices.DeleteFunc(slices.Clone(list(manifest, "tools")), func(one any) bool {
						tool, _ := one.(map[string]any)
						return tool["name"] == booking
					})
				}),
			},
			{
				Name: "manifest-extra-tool", Title: "the manifest lists a tool that does not exist",
				May: []string{"ext-cost-latency/declared-per-tool"},
				Reply: fault.Set(method, "/result/tools/-", map[string]any{
					"name": "raise_bridge", "description": "Raises the bridge.", "input_schema": map[string]any{"type": "object"},
				}),
			}, {
				Name: "manifest-first-page", Title: "the manifest lists only the tools of the first page of tools/list",
				Reply: document(func(manifest fault.Message) {
					var page []any // as many tools as on a page of tools/list
					for _, tool := range entries(manifest)[:15] {
						page = append(page, tool["name"])
					}
					reduce(manifest, func(tool string) bool { return slices.Contains(page, any(tool)) })
				}),
			},
		}},
		{
			Name:   "manifest-idempotent-contradicts",
			Title:  "the manifest calls a tool idempotent whose annotations say that it is not",
			Breaks: "ext-manifest-idempotent-agrees", Reply: member(booking, "idempotent", true),
		},
	}
}

// runtime breaks that the manifest describes the current moment.
func runtime() []fault.Fault {
	current := []string{"ext-manifest/runtime-current"}
	return []fault.Fault{
		{Breaks: "ext-manifest-runtime-current", Each: []fault.Fault{{
			Name: "manifest-of-start", Title: "the manifest stays the one from the start of the server", Kills: current,
			In: fault.OverStdio(requirements.R20251125, requirements.R20260728), Reply: withoutTool(winterTool),
		}, {
			Name: "manifest-keeps-removed-tool", Title: "the manifest keeps a tool that was removed", Kills: current,
			In: fault.OverStdio(requirements.R20251125),
			Reply: func(x fault.Exchange, m fault.Message) {
				changes := 0
				for _, asked := range x.Past {
					if toolOf(asked.Params) == "test_trigger_tool_change" {
						changes++
					}
				}
				result, ok := m.Result()
				there := slices.ContainsFunc(entries(result), func(tool map[string]any) bool { return tool["name"] == winterTool })
				if ok && x.Method == method && changes > 1 && !there {
					result["tools"] = append(list(result, "tools"), map[string]any{
						"name": winterTool, "description": "Says where vessels stay in winter.", "input_schema": map[string]any{"type": "object"},
					})
				}
			},
		}, {
			Name:  "manifest-changes-by-itself",
			Title: "the description of the server counts how often the manifest was asked for",
			Kills: []string{"ext-manifest/runtime-stable"},
			Reply: func(x fault.Exchange, m fault.Message) {
				if result, ok := m.Result(); ok && x.Method == method {
					result.Object("server")["description"] = words(x.Nth)
				}
			},
		}}},
	}
}

// winterTool is the tool that the server adds and removes.
const winterTool = "winter_storage"
