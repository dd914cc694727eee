// Package cancellation holds the cases of basic/utilities/cancellation, which is
// basic/patterns/cancellation since 2026-07-28: what a server makes of requests that its
// client gives up, and what it gives up itself.
package cancellation

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const method = "notifications/cancelled"

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "cancellation",
		Title: "a cancelled request ends, and nothing else does",
		Cases: slices.Concat(workCases(), []suite.Case{falsyCase()}, ignoredCases(), othersCases(), serverCases(), disconnectCases()),
	}
}
