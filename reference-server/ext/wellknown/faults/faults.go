// Package faults breaks the rules of the well-known document.
package faults

import (
	"maps"
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/wellknown"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults in the order of the document.
func Faults() []fault.Fault {
	return slices.Concat(serving(), properties(), features(), leaks(), visits())
}

// serving breaks how the document is found. Where nothing of its shape is served, the
// server claims the extension by name.
func serving() []fault.Fault {
	claimed := func(f fault.Fault, s wellknown.Switches) fault.Fault {
		f.Breaks, f.Reply, f.Ext = "ext-wk-served", declares("well-known"), s
		return f
	}
	return []fault.Fault{
		claimed(fault.Fault{Name: "well-known-login", Title: "the document is served to callers with credentials only"}, answering(
			func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(http.StatusUnauthorized) })),
		claimed(fault.Fault{Name: "well-known-array", Title: "the document is an array"}, answering(
			func(w http.ResponseWriter, _ *http.Request, document []byte) {
				wellknown.Answer(w, "application/json", slices.Concat([]byte("["), document, []byte("]")))
			})),
		claimed(fault.Fault{Name: "well-known-below", Title: "the document is served under the path of the endpoint only"},
			wellknown.Switches{Below: "/mcp"}),
		{
			Name: "well-known-html", Title: "the document is sent as text/html", Breaks: "ext-wk-served",
			May: []string{"ext-well-known/other-methods"},
			Ext: answering(func(w http.ResponseWriter, _ *http.Request, document []byte) {
				wellknown.Answer(w, "text/html", document)
			}),
		},
	}
}

// answering lets the page answer every request in another way.
func answering(with func(w http.ResponseWriter, r *http.Request, document []byte)) wellknown.Switches {
	return wellknown.Switches{Serve: func(w http.ResponseWriter, r *http.Request, document []byte) bool {
		with(w, r, document)
		return true
	}}
}

// declares adds the extension to the capabilities.
func declares(name string) fault.Change {
	claim := func(result fault.Message) {
		capabilities := result.Object("capabilities")
		extensions := maps.Clone(map[string]any(capabilities.Object("extensions")))
		extensions["io.github.mcp-extension-proposals/"+name] = map[string]any{}
		capabilities["extensions"] = extensions
	}
	return fault.Changes(fault.OnResult("initialize", claim), fault.OnResult("server/discover", claim))
}

func with(name string, value any) wellknown.Switches {
	return changed(func(document map[string]any) { document[name] = value })
}

func without(name string) wellknown.Switches {
	return changed(func(document map[string]any) { delete(document, name) })
}

func changed(change func(document map[string]any)) wellknown.Switches {
	return wellknown.Switches{Change: func(document map[string]any, _ int) { change(document) }}
}

// properties breaks what the document says of the server.
func properties() []fault.Fault {
	commit := func(value any) wellknown.Switches {
		return changed(func(d map[string]any) { d["git"].(map[string]any)["commitSHA"] = value })
	}
	return []fault.Fault{
		{Breaks: "ext-wk-required", Each: []fault.Fault{
			{Name: "well-known-no-version", Title: "the document has no schemaVersion", Ext: without("schemaVersion")},
			{Name: "well-known-no-features", Title: "the document has no features", Ext: without("features")},
			{Name: "well-known-no-git", Title: "the document has no git", Ext: without("git")},
			{Name: "well-known-name-null", Title: "name of the document is null", Ext: with("name", nil)},
			{Name: "well-known-languages", Title: "language of the document is an array", Ext: with("language", []any{"go"})},
		}},
		{Breaks: "ext-wk-schema-version", Each: []fault.Fault{
			{Name: "well-known-version-number", Title: "schemaVersion is a number", Ext: with("schemaVersion", 1)},
			{Name: "well-known-version-null", Title: "schemaVersion is null", Ext: with("schemaVersion", nil)},
			{Name: "well-known-version-of-its-own", Title: "schemaVersion is the version of the document", Ext: with("schemaVersion", "1.2")},
		}},
		{Breaks: "ext-wk-transport", Each: []fault.Fault{
			{Name: "well-known-transport-string", Title: "transport is a string", Ext: with("transport", "streamable-http")},
			{Name: "well-known-transport-empty", Title: "transport is an empty array", Ext: with("transport", []any{})},
			{Name: "well-known-transport-number", Title: "transport has a number", Ext: with("transport", []any{"streamable-http", 2})},
			{Name: "well-known-transport-http", Title: "transport has http alone", Ext: with("transport", []any{"http"})},
		}},
		{Breaks: "ext-wk-authentication", Each: []fault.Fault{
			{Name: "well-known-login-string", Title: "authentication is a string", Ext: with("authentication", "oauth2")},
			{
				Name: "well-known-login-empty", Title: "authentication is empty, and the endpoint demands tokens",
				Ext: with("authentication", []any{}), Auth: &fault.Auth{}, Since: requirements.R20250326,
			},
		}},
		{Breaks: "ext-wk-git", Each: []fault.Fault{
			{Name: "well-known-commit-branch", Title: "commitSHA is the name of a branch", Ext: commit("main")},
			{Name: "well-known-commit-number", Title: "commitSHA is a number", Ext: commit(3518512)},
			{Name: "well-known-commit-short", Title: "commitSHA has seven digits", Ext: commit("3b18e51")},
			{
				Name: "well-known-no-repository", Title: "git has no repository",
				Ext: changed(func(d map[string]any) { delete(d["git"].(map[string]any), "repository") }),
			},
		}},
	}
}

// listed changes the feature with a name.
func listed(name string, change func(f map[string]any)) wellknown.Switches {
	return changed(func(document map[string]any) {
		for _, one := range document["features"].([]any) {
			if f, ok := one.(map[string]any); ok && f["name"] == name {
				change(f)
			}
		}
	})
}

func said(name string, value any) wellknown.Switches {
	return listed("tide_table", func(f map[string]any) { f[name] = value })
}

// added lets the document have one more feature.
func added(f map[string]any) wellknown.Switches {
	return changed(func(document map[string]any) { document["features"] = append(document["features"].([]any), f) })
}

// features breaks what the document says of tools, prompts and resources.
func features() []fault.Fault {
	without := func(name string) wellknown.Switches {
		return listed("tide_table", func(f map[string]any) { delete(f, name) })
	}
	return []fault.Fault{
		{Breaks: "ext-wk-feature-required", Each: []fault.Fault{
			{Name: "well-known-feature-untyped", Title: "a feature has no type", Ext: without("type")},
			{Name: "well-known-feature-unnamed", Title: "a feature has no name", Ext: without("name")},
			{Name: "well-known-feature-number", Title: "description of a feature is a number", Ext: said("description", 5)},
			{Name: "well-known-feature-undescribed", Title: "a feature has no description, and its tool has one", Ext: without("description")},
			{Name: "well-known-feature-blank", Title: "description of a feature is empty, and its tool has one", Ext: said("description", "")},
			{Name: "well-known-feature-kind", Title: "type of a feature is Tool", Ext: said("type", "Tool")},
		}},
		{Breaks: "ext-wk-feature-schemas", Each: []fault.Fault{
			{Name: "well-known-schema-string", Title: "inputSchema of a feature is a string", Ext: said("inputSchema", "object")},
			{
				Name: "well-known-schema-properties", Title: "properties of a schema is an array",
				May: []string{"ext-well-known/features-match"},
				Ext: said("outputSchema", map[string]any{"type": "object", "properties": []any{}}),
			},
			{Name: "well-known-annotations-string", Title: "annotations of a feature is a string", Ext: said("annotations", "read-only")},
			{Name: "well-known-no-schema", Title: "a feature that is a tool has no inputSchema", Ext: without("inputSchema")},
		}},
		{Breaks: "ext-wk-features-match", Each: []fault.Fault{
			{Name: "well-known-lacks-tool", Title: "the document lacks a tool that is listed", Ext: changed(func(document map[string]any) {
				document["features"] = slices.DeleteFunc(document["features"].([]any), func(one any) bool {
					return one.(map[string]any)["name"] == "tide_table"
				})
			})},
			{
				Name: "well-known-invents-tool", Title: "the document has a tool that is not listed",
				Ext: added(map[string]any{"name": "drain_dock", "type": "tool", "description": "Drains a dock.",
					"inputSchema": map[string]any{"type": "object"}}),
			},
			{Name: "well-known-stale", Title: "description of a feature is an older one", Ext: said("description", "Gives the tides.")},
		}},
	}
}

// leaks breaks what does not belong into a public document.
func leaks() []fault.Fault {
	return []fault.Fault{{Breaks: "ext-wk-no-secrets", Each: []fault.Fault{
		{
			Name: "well-known-secret", Title: "the URL of the repository has a password", Ext: changed(func(d map[string]any) {
				d["git"].(map[string]any)["repository"] = "https://builder:hunter2@git.example/harbour/office"
			}),
		},
		{
			Name: "well-known-internal-host", Title: "the description names an internal host",
			Ext: with("description", "Asks https://berths.harbour.internal/api."),
		},
	}}}
}

// visits breaks how the page answers.
func visits() []fault.Fault {
	only := func(method string, status int) wellknown.Switches {
		return wellknown.Switches{Serve: func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
			if r.Method == method {
				w.WriteHeader(status)
			}
			return r.Method == method
		}}
	}
	return []fault.Fault{{Breaks: "ext-wk-stable-cacheable", Each: []fault.Fault{
		{
			Name: "well-known-unsteady", Title: "each request gets another description", Kills: []string{"ext-well-known/stable"},
			Ext: wellknown.Switches{Change: func(document map[string]any, nth int) {
				document["description"] = "Plans berths. Asked for " + string(rune('a'+nth%26)) + " times."
			}},
		},
		{
			Name: "well-known-no-head", Title: "a request by HEAD is rejected", Kills: []string{"ext-well-known/head"},
			Ext: only(http.MethodHead, http.StatusMethodNotAllowed),
		},
		{
			Name: "well-known-takes-post", Title: "a request by POST is accepted", Kills: []string{"ext-well-known/other-methods"},
			Ext: only(http.MethodPost, http.StatusAccepted),
		},
	}}}
}
