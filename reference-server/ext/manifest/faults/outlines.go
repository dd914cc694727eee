package faults

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// access breaks the request for the manifest.
func access() []fault.Fault {
	kills := []string{"ext-manifest/available"}
	asks := func(x fault.Exchange) bool {
		return slices.Contains([]string{method, "manifest/get", "capabilities"}, x.Method)
	}
	return []fault.Fault{
		{Breaks: "ext-manifest-available", Each: []fault.Fault{{
			Name: "manifest-unknown", Title: "the manifest is claimed, and get_manifest is an unknown method", Kills: kills,
			In: fault.OverStdio(requirements.R20251125), Inbound: fault.When(asks).Refuse(-32601, "unknown method"),
		}, {
			Name: "manifest-array", Title: "get_manifest is answered with an array",
			Kills: []string{"jsonrpc/result-is-object"}, Silent: kills, In: fault.OverStdio(requirements.R20251125),
			Reply: func(x fault.Exchange, m fault.Message) {
				if result, ok := m.Result(); ok && x.Method == method {
					m["result"] = []any{map[string]any(result)}
				}
			},
		}, {
			Name: "manifest-prose", Title: "get_manifest is answered with a description in words", Kills: kills,
			Reply: document(func(manifest fault.Message) {
				for _, name := range []string{"manifest_version", "server", "tools", "auth", "rate_limits", "supported_extensions"} {
					delete(manifest, name)
				}
				manifest["text"] = "A harbour office with tools for berths, tides and fees."
			}),
		}, {
			Name: "manifest-hidden-tool", Title: "the manifest is the answer of a tool that tools/list does not have",
			Kills: []string{"ext-manifest/available-form"},
			May:   []string{"ext-manifest/tools-equal-list", "ext-manifest/content-complete"},
			In:    fault.OverStdio(requirements.R20251125),
			Inbound: func(x fault.Exchange) fault.Verdict {
				switch {
				case asks(x):
					return fault.Refuse(x, -32601, "unknown method")
				case x.Tool() == method:
					return fault.Answer(x, map[string]any{"content": fault.Text(short)})
				}
				return fault.Verdict{}
			},
		}, {
			Name: "manifest-after-tools", Title: "get_manifest is rejected until a tool has been called", Kills: kills,
			In:      fault.OverStdio(requirements.R20251125),
			Inbound: fault.When(func(x fault.Exchange) bool { return asks(x) && !x.After("tools/call") }).Refuse(-32600, "call a tool first"),
		}}},
	}
}

// short is a manifest of the office without any tools.
const short = `{"manifest_version":"0.1.0","server":{"name":"harbour-office","version":"1.0.0","mcp_spec_version":"2025-11-25"},
"tools":[],"auth":{"methods":["none"],"scopes":[]},"rate_limits":{}}`

// outlines breaks the three mandatory properties of a manifest.
func outlines() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-manifest-required-fields", Each: []fault.Fault{
			{Name: "manifest-without-version", Title: "the manifest has no manifest_version", Reply: fault.Drop(method, "/result/manifest_version")},
			{Name: "manifest-without-server", Title: "the manifest has no server", Reply: fault.Drop(method, "/result/server")},
			{Name: "manifest-without-tools", Title: "the manifest has no tools", Reply: fault.Drop(method, "/result/tools")},
			{
				Name: "manifest-tools-by-name", Title: "tools of the manifest is an object whose properties are the names",
				Reply: document(func(manifest fault.Message) {
					named := map[string]any{}
					for _, tool := range entries(manifest) {
						name, _ := tool["name"].(string)
						named[name] = tool
					}
					manifest["tools"] = named
				}),
			},
		}},
		{Breaks: "ext-manifest-version-const", Each: []fault.Fault{
			{Name: "manifest-version-later", Title: "manifest_version is 0.2.0", Reply: fault.Set(method, "/result/manifest_version", "0.2.0")},
			{
				Name: "manifest-version-number", Title: "manifest_version is the number 0.1",
				Reply: fault.Set(method, "/result/manifest_version", 0.1),
			},
			{Name: "manifest-version-prefixed", Title: "manifest_version is v0.1.0", Reply: fault.Set(method, "/result/manifest_version", "v0.1.0")},
		}},
	}
}
