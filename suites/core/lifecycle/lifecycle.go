// Package lifecycle holds the cases of basic/lifecycle and basic/versioning:
// how a conversation is opened and which revision it is held in.
package lifecycle

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification pages.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "lifecycle",
		Title: "conversations are opened in a revision both sides speak",
		Grade: suite.Core,
		Cases: slices.Concat(
			openingCases(), malformedCases(), versionCases(), contentCases(), operationCases(),
			unsupportedCases(), statelessCases(), eraCases(), extensionCases(),
		),
	}
}

// Two revisions that nobody ever had.
const (
	bygone    = "1900-01-01"
	yetToCome = "2099-12-31"
)

// A list is a method that lists what a capability offers.
type list struct{ capability, method, member string }

func lists() []list {
	return []list{
		{"tools", "tools/list", "tools"},
		{"resources", "resources/list", "resources"},
		{"prompts", "prompts/list", "prompts"},
	}
}

// plainest is a request that the server should serve in any case: a list of
// something it declares, or discovery.
func plainest(c *probe.Client) list {
	for _, l := range lists() {
		if c.Survey().Capabilities[l.capability] != nil {
			return l
		}
	}
	return list{method: "server/discover", member: "supportedVersions"}
}
