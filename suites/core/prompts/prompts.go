// Package prompts holds the cases of server/prompts: what prompts a server lists.
package prompts

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
		Name:  "prompts",
		Title: "prompts are listed as declared",
		Cases: slices.Concat(listCases()),
	}
}

// listCases judge what is listed.
func listCases() []suite.Case {
	return lists.Cases(protocol.Prompts(), lists.Rules{
		Declared:      "prompts-capability-declared",
		Answered:      []requirements.ID{"prompts-list-answered", "prompts-list-answered-legacy"},
		Schema:        lists.Schema{Rule: "prompts-list-schema", Has: "a name", Give: "a name that is a string"},
		Unique:        []requirements.ID{"prompts-name-unique"},
		PerConnection: "prompts-list-not-per-connection",
		NoSideEffects: "prompts-list-no-side-effects",
		// With a handshake lifecycle/negotiated-capabilities judges it, by a rule that is no weaker.
		ChangedDeclared: []requirements.ID{"prompts-respect-capabilities"},
		ChangedIn:       protocol.Stateless(),
	})
}
