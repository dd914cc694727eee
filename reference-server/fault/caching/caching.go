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
	return []fault.Fault{
		{Silent: []string{"meta/undeclared-unused-resource"}, Each: []fault.Fault{{
			Name: "caching-discover-no-scope", Title: "the server/discover result has no cacheScope",
			Breaks: "caching-hints-discover", Reply: fault.Drop("server/discover", "/result/cacheScope"),
		}, {
			Name: "caching-tools-no-ttl", Title: "the pages of tools/list have no ttlMs", Breaks: "caching-hints-tools-list",
			Reply: fault.Drop("tools/list", "/result/ttlMs"),
		}, {
			Name: "caching-prompts-no-hints", Title: "the pages of prompts/list have no caching hints",
			Breaks: "caching-hints-prompts-list", Reply: fault.Drop("prompts/list", "/result/ttlMs", "/result/cacheScope"),
		}, {
			Name: "caching-resources-no-hints", Title: "the pages of resources/list have no caching hints",
			Breaks: "caching-hints-resources-list", Reply: fault.Drop("resources/list", "/result/ttlMs", "/result/cacheScope"),
		}, {
			Name: "caching-templates-no-hints", Title: "the pages of resources/templates/list have no caching hints",
			Breaks: "caching-hints-resource-templates-list",
			Reply:  fault.Drop("resources/templates/list", "/result/ttlMs", "/result/cacheScope"),
		}, {
			Name: "caching-read-no-hints", Title: "the results of resources/read have no caching hints",
			Breaks: "caching-hints-resources-read", Reply: fault.Drop("resources/read", "/result/ttlMs", "/result/cacheScope"),
		}}},
		{
			Name: "caching-last-page-no-scope", Title: "the last page of tools/list has no cacheScope",
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
	return []fault.Fault{
		{Breaks: "caching-ttl-valid", Each: []fault.Fault{
			{Name: "caching-ttl-negative", Title: "ttlMs is -1 where nothing may be kept", Reply: fault.Set("prompts/list", "/result/ttlMs", -1)},
			{Name: "caching-ttl-text", Title: "ttlMs is a string", Reply: fault.Set("prompts/list", "/result/ttlMs", "60000")},
			{Name: "caching-ttl-fraction", Title: "ttlMs has a fraction", Reply: fault.Set("prompts/list", "/result/ttlMs", 0.5)},
		}},
		{Breaks: "caching-scope-valid", Each: []fault.Fault{
			{
				Name: "caching-scope-unknown", Title: "cacheScope is shared, as in HTTP",
				Reply: fault.Set("prompts/list", "/result/cacheScope", "shared"),
			},
			{Name: "caching-scope-null", Title: "cacheScope is null", Reply: fault.Set("prompts/list", "/result/cacheScope", nil)},
		}},
		{
			Name: "caching-hints-on-question", Title: "a result that asks for input has a ttlMs",
			Breaks: "caching-none-on-interim", Silent: []string{"lifecycle/capabilities-not-remembered"},
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
			Breaks: "caching-scope-same-on-all-pages", Kills: []string{"caching/pages-" + l.slug},
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
			Name: "caching-public-differs-" + l.slug, Title: l.method + " shows a pilot fewer entries, and says public to all",
			Breaks: "caching-public-means-identical", Kills: []string{"caching/public-" + l.slug}, In: modern,
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
		Name: "caching-public-differs-contents", Title: "resources/read answers a pilot with another text, and says public to all",
		Breaks: "caching-public-means-identical", Kills: []string{"caching/public-contents"}, In: modern,
		Reply: func(x fault.Exchange, m fault.Message) {
			result, ok := m.Result()
			contents, _ := result["contents"].([]any)
			if !ok || x.Method != "resources/read" {
				return
			}
			result["cacheScope"] = "public"
			if first, _ := contents[0].(map[string]any); x.Header.Get("Authorization") == pilot && first["text"] != nil {
				first["text"] = "For pilots: the tide is late."
			}
		},
	}, fault.Fault{
		Name: "caching-private-for-all", Title: "a guest is served a resource that only others may read; it says private",
		Breaks: "caching-scope-not-access-control", May: []string{"resources/access-controlled"}, In: modern,
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
