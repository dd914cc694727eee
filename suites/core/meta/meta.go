// Package meta holds the cases of basic/index#meta: the contents of _meta, and how a
// server treats the metadata of a client.
package meta

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "meta",
		Title: "metadata is kept apart from what it describes",
		Cases: slices.Concat(keyCases(), toleranceCases(), requiredCases(), identityCases(), undeclaredCases(), listenCases()),
	}
}
