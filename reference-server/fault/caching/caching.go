// Package caching holds the ways to break what results say about keeping them.
package caching

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault { return slices.Concat(missing(), values(), pages(), callers()) }

// A list of the server, and the name that its cases have for it.
type list struct{ slug, method, member string }

func lists() []list {
	return []list{
		{"resources", "resources/list", "resources"},
		{"templates", "resources/templates/list", "resourceTemplates"},
		{"prompts", "prompts/list", "prompts"},
		{"tools", "tools/list", "tools"},
	}
}

func missing() []fault.Fault {
	without := func(name, title, rule, slug, method string, hints ...string) fault.Fault {
		return fault.Fault{
			Name:   name,
			Title:  title,
			Breaks: requirements.ID(rule),
			Kills:  []string{"caching/hints-" + slug},
			Beside: []string{"meta/undeclared-unused-resource"},
			Reply: fault.OnResult(method, func(result fault.Message) {
				for _, hint := range hints {
					delete(result, hint)
				}
			}),
		}
	}
	both := []string{"ttlMs", "cacheScope"}
	return []fault.Fault{
		without("caching-discover-no-scope", "the server/discover result has no cacheScope",
			"caching-hints-discover", "discover", "server/discover", "cacheScope"),
		without("caching-tools-no-ttl", "the pages of tools/list have no ttlMs",
			"caching-hints-tools-list", "tools-list", "tools/list", "ttlMs"),
		without("caching-prompts-no-hints", "the pages of prompts/list have no caching hints",
			"caching-hints-prompts-list", "prompts-list", "prompts/list", both...),
		without("caching-resources-no-hints", "the pages of resources/list have no caching hints",
			"caching-hints-resources-list", "resources-list", "resources/list", both...),
		without("caching-templates-no-hints", "the pages of resources/templates/list have no caching hints",
			"caching-hints-resource-templates-list", "templates-list", "resources/templates/list", both...),
		without("caching-read-no-hints", "the results of resources/read have no caching hints",
			"caching-hints-resources-read", "resources-read", "resources/read", both...),
		{
			Name:   "caching-last-page-no-scope",
			Title:  "the last page of tools/list has no cacheScope",
			Breaks: "caching-hints-tools-list",
			Reply: fault.OnResult("tools/list", func(result fault.Message) {
				if _, more := result["nextCursor"]; !more {
					delete(result, "cacheScope")
				}
			}),
		},
	}
}

func values() []fault.Fault {
	with := func(name, title, rule, kills, hint string, value any) fault.Fault {
		return fault.Fault{
			Name:   name,
			Title:  title,
			Breaks: requirements.ID(rule),
			Kills:  []string{kills},
			Reply:  fault.OnResult("prompts/list", func(result fault.Message) { result[hint] = value }),
		}
	}
	return []fault.Fault{
		with("caching-ttl-negative", "ttlMs is -1 where nothing may be kept", "caching-ttl-valid", "caching/ttl", "ttlMs", -1),
		with("caching-ttl-text", "ttlMs is a string", "caching-ttl-valid", "caching/ttl", "ttlMs", "60000"),
		with("caching-ttl-fraction", "ttlMs has a fraction", "caching-ttl-valid", "caching/ttl", "ttlMs", 0.5),
		with("caching-scope-unknown", "cacheScope is shared, as in HTTP", "caching-scope-valid", "caching/scope", "cacheScope", "shared"),
		with("caching-scope-null", "cacheScope is null", "caching-scope-valid", "caching/scope", "cacheScope", nil),
		{
			Name:   "caching-hints-on-question",
			Title:  "a result that asks for input has a ttlMs",
			Breaks: "caching-none-on-interim",
			Beside: []string{"lifecycle/capabilities-not-remembered"},
			Reply: func(_ fault.Exchange, m fault.Message) {
				if result, ok := m.Result(); ok && result["resultType"] == "input_required" {
					result["ttlMs"] = 0
				}
			},
		},
	}
}

func pages() []fault.Fault {
	var all []fault.Fault
	for _, l := range lists() {
		all = append(all, fault.Fault{
			Name:   "caching-last-page-private-" + l.slug,
			Title:  "the last page of " + l.method + " is private, the others are public",
			Breaks: "caching-scope-same-on-all-pages",
			Kills:  []string{"caching/pages-" + l.slug},
			Reply: fault.OnResult(l.method, func(result fault.Message) {
				if _, more := result["nextCursor"]; !more {
					result["cacheScope"] = "private"
				}
			}),
		})
	}
	return all
}

// The identities of the reference configuration that may do less.
const (
	pilot = "Bearer key-of-the-harbour-pilot"
	guest = "Bearer key-of-the-harbour-guest"
)

func callers() []fault.Fault {
	modern := fault.OverHTTP(requirements.R20260728)
	var all []fault.Fault
	for _, l := range lists() {
		all = append(all, fault.Fault{
			Name:   "caching-public-differs-" + l.slug,
			Title:  l.method + " shows a pilot fewer entries, and says public to all",
			Breaks: "caching-public-means-identical",
			Kills:  []string{"caching/public-" + l.slug},
			In:     modern,
			Reply: func(x fault.Exchange, m fault.Message) {
				result, ok := m.Result()
				if listed, _ := result[l.member].([]fault.Message); ok && x.Method == l.method && len(listed) > 0 &&
					x.Header.Get("Authorization") == pilot {
					result[l.member] = listed[1:]
				}
			},
		})
	}
	return append(all, fault.Fault{
		Name:   "caching-private-for-all",
		Title:  "a guest is served a resource that only others may read; it says private",
		Breaks: "caching-scope-not-access-control",
		In:     modern,
		Inbound: func(x fault.Exchange) fault.Verdict {
			uri, _ := x.Param("uri").(string)
			if x.Method != "resources/read" || !strings.HasSuffix(uri, "/safety") || x.Header.Get("Authorization") != guest {
				return fault.Verdict{}
			}
			return fault.Answer(x, map[string]any{
				"contents":   []any{map[string]any{"uri": uri, "mimeType": "text/plain", "text": "All is in order."}},
				"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
			})
		},
	})
}
