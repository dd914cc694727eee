// Package errors holds the cases of basic/index#error-codes: which codes an error
// may have, and what methods that are not there are answered with.
package errors

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "errors",
		Title: "errors have codes that mean what they say",
		Cases: slices.Concat(codeCases(), messageCases(), absentCases(), removedCases()),
	}
}
