// Package completion holds the cases of server/utilities/completion: what a server
// suggests for an argument while it is typed.
package completion

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "completion",
		Title: "suggestions for an argument are few and in the shape that clients expect",
		Cases: slices.Concat([]suite.Case{valuesMaxCase()}),
	}
}
