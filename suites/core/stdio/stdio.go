// Package stdio holds the cases of basic/transports#stdio: how messages travel over
// standard input and output, and how a server ends when its input ends.
package stdio

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification pages.
func Suite() suite.Suite {
	cases := slices.Concat(framingCases(), garbageCases(), readingCases(), receivingCases())
	for i := range cases {
		cases[i].Needs = append(cases[i].Needs, suite.Over(requirements.Stdio))
	}
	return suite.Suite{
		Name:  "stdio",
		Title: "messages travel over standard input and output, one per line",
		Cases: cases,
	}
}
