// Package resources holds the ways to break the list of resources.
package resources

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/lists"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault { return slices.Concat(list()) }

// list are faults of the list.
func list() []fault.Fault {
	const uri, name, text = "harbour://cranes/1", "A crane", "The crane lifts a vessel."
	return lists.Faults(
		lists.List{
			Area: "resources", Method: "resources/list", Noun: "resource", Key: "uri", Word: "URI", Taken: "test://static-text",
			Spare: fault.Message{"uri": uri, "name": name, "description": text},
			Add:   func(r fault.Registry, mark string) { r.AddResource(uri+mark, name, text) },
		},
		lists.Rules{
			Declared:      "resources-capability-declared",
			Unknown:       "resources-list-answered-legacy",
			Null:          "resources-list-answered",
			Schema:        "resources-list-schema",
			Unique:        "resources-uri-unique",
			PerConnection: "resources-list-not-per-connection",
			NoSideEffects: "resources-list-no-side-effects",
		},
	)
}
