// Package tools holds the cases of server/tools: what tools a server lists and
// how it answers their calls. Only tools that a role names, tools that are
// annotated as read-only, and names that no tool has, are ever called.
package tools

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "tools",
		Title: "tools are listed, and calls answered, as declared",
		Cases: slices.Concat(
			listCases(), nameCases(), schemaCases(), shapeCases(), comparedCases(),
			mirroredCases(), callCases(), resultCases(), contentCases(), structuredCases(),
			unknownCases(), malformedCases(), argumentCases(), failureCases(),
			sturdyCases(), guardedCases(), changedCases(),
		),
	}
}

// declared is what every case needs that looks at the list.
func declared() []suite.Need { return []suite.Need{suite.Capability("tools")} }

// The roles that most cases need which call a tool.
const (
	readOnly     = roles.ReadOnlyTool
	invalidInput = roles.InvalidInput
)

// usable is the list for cases that look at some of its tools.
func usable(c *probe.Client) probe.Items {
	tools := probe.List(c, protocol.Tools())
	tools.MustHaveSome()
	return tools
}
