// Package lifecycle holds the cases of basic/lifecycle, basic/versioning and the
// statelessness section of basic/index: how a conversation is opened and which revision
// binds it.
package lifecycle

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification pages.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "lifecycle",
		Title: "conversations are opened in a revision that both sides support",
		Cases: slices.Concat(
			initializationCases(), negotiationCases(), schemaCases(), operationCases(), errorCases(),
			versioningCases(), statelessCases(), compatibilityCases(), extensionCases(),
		),
	}
}
