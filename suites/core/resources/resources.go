// Package resources holds the cases of server/resources: what resources a server lists,
// how it reads them, and how it tells of their changes.
package resources

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/lists"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page. The subscriptions of
// 2026-07-28 have a page of their own, but are mostly about resources.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "resources",
		Title: "resources are listed, read and watched as declared",
		Cases: slices.Concat(
			listCases(), uriCases(), templateCases(), readingCases(), contentCases(),
			missingCases(), requestCases(), guardedCases(),
			subscribingCases(), changedCases(), listenCases(), filterCases(), deliveryCases(), closingCases(),
		),
	}
}

const read = "resources/read"

// declared is what every case needs that looks at the lists.
func declared() []suite.Need { return []suite.Need{suite.Capability("resources")} }

// readAt reads the resource with a URI.
func readAt(c *probe.Client, uri string) *probe.Reply { return c.Call(read, probe.Object{"uri": uri}) }

// contentsOf are the contents in an answer; nil where it has none.
func contentsOf(r *probe.Reply) []any {
	contents, _ := r.At("/result/contents")
	return probe.ArrayOf(contents)
}

// listCases judge what is listed.
func listCases() []suite.Case {
	return slices.Concat(
		lists.Cases(protocol.Resources(), lists.Rules{
			Declared:      "resources-capability-declared",
			Answered:      []requirements.ID{"resources-list-answered", "resources-list-answered-legacy"},
			Schema:        lists.Schema{Rule: "resources-list-schema", Has: "a URI and a name", Give: "a uri and a name that are strings"},
			Unique:        []requirements.ID{"resources-uri-unique"},
			PerConnection: "resources-list-not-per-connection",
			NoSideEffects: "resources-list-no-side-effects",
		}),
		lists.Cases(protocol.Templates(), lists.Rules{
			Schema: lists.Schema{
				Rule: "resources-templates-schema", Has: "a URI template and a name", Give: "a uriTemplate and a name that are strings",
			},
		}),
	)
}

// changedCases judge that a change of the list is announced.
func changedCases() []suite.Case {
	return lists.Cases(protocol.Resources(), lists.Rules{ChangedSent: "resources-list-changed-sent"})
}
