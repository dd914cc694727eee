// Package security holds the cases of what the pages ask of every server for the sake of
// safety: input that means harm does no harm, and logs give nothing away.
package security

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the input first, and then what comes of it.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "security",
		Title: "hostile input does no harm, and logs give nothing away",
		Cases: slices.Concat(inputCases(), logCases()),
	}
}
