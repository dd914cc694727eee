// Package resources holds the cases of server/resources: what resources a server
// lists.
package resources

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/lists"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "resources",
		Title: "resources are listed as declared",
		Cases: slices.Concat(listCases()),
	}
}

// listCases judge what is listed.
func listCases() []suite.Case {
	return lists.Cases(protocol.Resources(), lists.Rules{
		Declared:      "resources-capability-declared",
		Answered:      []requirements.ID{"resources-list-answered", "resources-list-answered-legacy"},
		Schema:        lists.Schema{Rule: "resources-list-schema", Has: "a URI and a name", Give: "a uri and a name that are strings"},
		Unique:        []requirements.ID{"resources-uri-unique"},
		PerConnection: "resources-list-not-per-connection",
		NoSideEffects: "resources-list-no-side-effects",
	})
}
