// Package progress holds the cases of basic/utilities/progress, which is
// basic/patterns/progress since 2026-07-28: what a server reports of a request that takes
// its time.
package progress

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "progress",
		Title: "progress is reported to the clients that ask for it, under their token, and it grows",
		Cases: slices.Concat(tokenCases(), valueCases(), askingCases()),
	}
}
