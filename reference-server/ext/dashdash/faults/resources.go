package faults

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const (
	resources = "resources/list"
	text      = "Static text"
)

// Resources lists the faults of the objects of resources.
func Resources() []fault.Fault {
	return []fault.Fault{
		{
			Name: "dashdash-resource-text", Title: "dashdash of a resource is a string", Breaks: "ext-dd-res-object",
			List: entry(resources, text, func(_ map[string]any, item fault.Message) { item["dashdash"] = "berth" }),
		},
		{Breaks: "ext-dd-res-types", Each: []fault.Fault{
			{Name: "dashdash-refreshable-string", Title: "refreshable is a string", List: property(resources, text, "refreshable", "no")},
			{Name: "dashdash-cache-words", Title: "cacheDuration is a string", List: property(resources, text, "cacheDuration", "5m")},
			{Name: "dashdash-cache-negative", Title: "cacheDuration is below zero", List: property(resources, text, "cacheDuration", -1)},
			{
				Name: "dashdash-resource-untyped", Title: "resourceType is missing",
				List: entry(resources, text, func(object map[string]any, _ fault.Message) { delete(object, "resourceType") }),
			},
		}},
		{Breaks: "ext-dd-res-equivalents", Each: []fault.Fault{
			{Name: "dashdash-web-path", Title: "webEquivalent is a path", List: property(resources, text, "webEquivalent", "/app/x")},
			{
				Name: "dashdash-api-no-method", Title: "apiEquivalent has no method", List: property(resources, text, "apiEquivalent", "/v1/berths/A4"),
			},
		}},
		{
			Name: "dashdash-cache-disagrees", Title: "cacheDuration is 300 and ttlMs is 0", Breaks: "ext-dd-res-cache-agrees",
			In: fault.OverStdio(requirements.R20260728), List: property(resources, text, "cacheDuration", 300),
		}, {
			Name: "dashdash-fixed-changes", Title: "a resource that is not refreshable changes", Breaks: "ext-dd-res-refreshable-true",
			Reply: func(x fault.Exchange, m fault.Message) {
				if x.Method != "resources/read" || x.Param("uri") != "test://static-text" {
					return
				}
				contents, _ := m.Object("result")["contents"].([]any)
				for _, each := range contents {
					if content, ok := each.(map[string]any); ok {
						content["text"] = fmt.Sprintf("This is the content, which is read as no. %05d.", x.Nth) // as long as the usual one
					}
				}
			},
		},
	}
}
