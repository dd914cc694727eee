// Package meta holds the cases of basic/index#meta: what stands in _meta, and what a
// server makes of what a client puts there.
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
