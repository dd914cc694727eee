// Package faults holds the ways to break the server discovery extension.
package faults

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

const method = "recommend_servers"

// asked selects questions for the capability that the office knows servers for.
func asked(x fault.Exchange) bool {
	return x.Method == method && x.Param("capability_needed") == "weather"
}

// entry changes the first recommendation.
func entry(change func(entry map[string]any)) fault.Change {
	return fault.When(asked).Result(func(result fault.Message) {
		if all, _ := result["recommendations"].([]any); len(all) > 0 {
			change(all[0].(map[string]any))
		}
	})
}

func set(name string, value any) fault.Change {
	return entry(func(e map[string]any) { e[name] = value })
}

// Faults lists the faults in the order of the cases.
func Faults() []fault.Fault {
	strange := fault.When(func(x fault.Exchange) bool {
		word, ok := x.Param("capability_needed").(string)
		return x.Method == method && ok && len(word) > len("no-such-") && word[:len("no-such-")] == "no-such-"
	})
	untold := fault.When(func(x fault.Exchange) bool {
		_, ok := x.Param("capability_needed").(string)
		return x.Method == method && !ok
	})
	all := []any{map[string]any{"capability": "weather", "server_name": "tide-mcp"}}
	catalogue := map[string]any{"resultType": "complete", "recommendations": all}
	params := []string{"ext-server-discovery/no-capability", "ext-server-discovery/capability-number"}
	manifest := []string{"ext-manifest/claims-truthful-recommendations"}
	agrees := []string{"ext-server-discovery/manifest-agrees"}
	return []fault.Fault{
		{Breaks: "ext-discovery-method", Each: []fault.Fault{
			{
				Name: "discovery-unknown", Title: "the extension is claimed, and recommend_servers is an unknown method", May: manifest,
				Inbound: fault.On(method).Refuse(-32601, "unknown method"),
			},
			{
				Name: "discovery-object", Title: "recommendations is an object",
				Reply: fault.Set(method, "/result/recommendations", map[string]any{"tide-mcp": "high"}),
			},
			{
				Name: "discovery-echo", Title: "the answer names another capability",
				Reply: fault.When(asked).Set("/result/capability_needed", "customs"),
			},
		}},
		{Breaks: "ext-discovery-entry", Each: []fault.Fault{
			{
				Name: "discovery-unnamed", Title: "a recommendation names no server", Reply: entry(func(e map[string]any) { delete(e, "server_name") }),
			},
			{Name: "discovery-name-empty", Title: "the name of a recommended server is empty", Reply: set("server_name", "")},
			{Name: "discovery-capability-number", Title: "the capability of a recommendation is a number", Reply: set("capability", 7)},
		}},
		{Breaks: "ext-discovery-registry-url", Each: []fault.Fault{
			{Name: "discovery-url-word", Title: "registry_url is a word", Reply: set("registry_url", "figma")},
			{Name: "discovery-url-relative", Title: "registry_url has no scheme", Reply: set("registry_url", "//registry/figma")},
			{Name: "discovery-flow-object", Title: "auth_flow is an object", Reply: set("auth_flow", map[string]any{"type": "api_key"})},
		}},
		{Breaks: "ext-discovery-confidence", Each: []fault.Fault{
			{Name: "discovery-confidence-percent", Title: "match_confidence is a percentage", Reply: set("match_confidence", "92%")},
			{Name: "discovery-confidence-five", Title: "match_confidence is 5", Reply: set("match_confidence", 5)},
			{Name: "discovery-confidence-capital", Title: "match_confidence is High", Reply: set("match_confidence", "High")},
		}},
		{Name: "discovery-worst-first", Title: "the worst match comes first", Breaks: "ext-discovery-order", Reply: fault.When(asked).
			Result(func(result fault.Message) {
				all, _ := result["recommendations"].([]any)
				slices.Reverse(all)
			})},
		{Breaks: "ext-discovery-no-match", Each: []fault.Fault{
			{
				Name: "discovery-nothing-internal", Title: "a capability that nobody has gets an internal error",
				Inbound: strange.Refuse(-32603, "nothing found"),
			},
			{
				Name: "discovery-nothing-all", Title: "a capability that nobody has gets every server",
				Reply: strange.Set("/result/recommendations", all),
			},
			{
				Name: "discovery-nothing-null", Title: "recommendations is null where there are none",
				Reply: strange.Set("/result/recommendations", nil),
			},
		}},
		{Breaks: "ext-discovery-missing-param", Kills: params, Each: []fault.Fault{
			{Name: "discovery-unasked-all", Title: "a question without a capability gets every server", Inbound: untold.Answer(catalogue)},
			{
				Name: "discovery-unasked-internal", Title: "a question without a capability gets an internal error",
				Inbound: untold.Refuse(-32603, "nil capability"),
			},
		}},
		{Breaks: "ext-discovery-manifest-list", Each: []fault.Fault{
			{
				Name: "discovery-manifest-bare", Title: "a recommendation of the manifest names no capability",
				Kills: []string{"ext-server-discovery/manifest-entries"},
				Reply: fault.Drop("get_manifest", "/result/recommendations/0/capability"),
			}, {
				Name: "discovery-manifest-object", Title: "the recommendations of the manifest are an object, and not an array",
				Kills: []string{"ext-server-discovery/manifest-entries"},
				Reply: fault.Set("get_manifest", "/result/recommendations", map[string]any{}),
			}, {
				Name: "discovery-manifest-other", Title: "the manifest recommends another server than the method", Kills: agrees,
				Reply: fault.Set("get_manifest", "/result/recommendations/0/server_name", "storm-mcp"),
			},
		}},
	}
}
