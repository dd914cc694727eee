// Package elicitation holds the cases of client/elicitation: how a server asks
// the user of its client.
package elicitation

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "elicitation",
		Title: "a server asks the user what every client can show, never for a secret by form, and takes each answer",
		Cases: slices.Concat(declaredCases(), requestCases(), formCases(), secretCases(), urlCases(), completionCases(), visitCases(),
			answerCases(),
			userCases(),
			readOnlyCases()),
	}
}
