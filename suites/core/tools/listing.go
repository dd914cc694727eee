package tools

import (
	"github.com/mcp-conform/mcp-conform/suites/core/internal/lists"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// listCases judge whether there is a list, and what its entries are.
func listCases() []suite.Case {
	return lists.Cases(protocol.Tools(), lists.Rules{
		Declared: "tools-capability-declared",
		Answered: []requirements.ID{"tools-list-answered", "tools-list-answered-legacy"},
		Schema: lists.Schema{
			Rule: "tools-list-schema",
			Has:  "a name and an input schema",
			Give: "a name that is a string and an inputSchema that is an object",
		},
		Unique: []requirements.ID{"tools-name-unique", "tools-name-unique-legacy"},
	})
}

// comparedCases compare lists with each other: in what order they come, and whether
// they depend on who asks and on what was asked before.
func comparedCases() []suite.Case {
	return lists.Cases(protocol.Tools(), lists.Rules{
		Order:         "tools-list-stable-order",
		PerConnection: "tools-list-not-per-connection",
		NoSideEffects: "tools-list-no-side-effects",
	})
}

// changedCases judge notifications that the list has changed, whatever made it
// change.
func changedCases() []suite.Case {
	return lists.Cases(protocol.Tools(), lists.Rules{
		ChangedSchema:   "tools-list-changed-schema",
		ChangedDeclared: []requirements.ID{"tools-list-changed-declared"},
	})
}
