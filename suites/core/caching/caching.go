// Package caching holds the cases of server/utilities/caching: how long, and by whom, a
// result may be kept.
package caching

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "caching",
		Title: "results say how long and by whom they may be kept",
		Cases: slices.Concat(hintCases(), valueCases(), pageCases(), callerCases()),
	}
}
