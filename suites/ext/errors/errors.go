// Package errors holds the cases of the structured-errors proposal: what fails says
// so in the plain form of the protocol, and beside it in a record for programs.
package errors

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	scanner := proposal.NewScanner()
	return suite.Suite{
		Name:      "ext-structured-errors",
		Title:     "failures tell programs what went wrong and whether to try again",
		Extension: proposal.Extension("structured-errors"),
		Cases: slices.Concat(
			carriers(), required(), codes(), optional(), retries(), leaks(scanner), failures(), intact(), undeclared(),
		),
	}
}
