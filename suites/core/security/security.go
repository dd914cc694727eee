// Package security holds the cases of what the pages ask of every server for safety:
// hostile input does no harm, and logs reveal no secrets.
package security

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases about input, and then the cases about logs.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "security",
		Title: "hostile input does no harm, and logs give nothing away",
		Cases: slices.Concat(inputCases(), logCases()),
	}
}
