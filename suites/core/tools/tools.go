// Package tools holds the cases of server/tools: what tools a server lists and
// how it answers their calls. Only tools that a role names, and names that no
// tool has, are ever called.
package tools

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "tools",
		Title: "tools are listed, and calls answered, as declared",
		Grade: suite.Core,
		Cases: slices.Concat(
			listCases(), nameCases(), schemaCases(), shapeCases(), orderCases(), effectCases(),
			callCases(), unknownCases(), malformedCases(), argumentCases(), failureCases(), sturdyCases(), changedCases(),
		),
	}
}

// declared is what every case needs that looks at the list.
func declared() []suite.Need { return []suite.Need{suite.Capability("tools")} }
