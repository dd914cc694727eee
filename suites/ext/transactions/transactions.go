// Package transactions holds the cases of the transactions proposal: calls that
// belong together are steps of a transaction, and are taken back together.
package transactions

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-transactions",
		Title:     "calls that belong together are undone together",
		Extension: proposal.Extension("transactions"),
		Cases: slices.Concat(
			beginnings(), compensations(), stepIDs(), outcomes(), incompleteSteps(), strangeSteps(), commits(), strangeCommits(),
			rollbacks(), strangeRollbacks(), failingCompensations(), timeouts(), careful(), gates(),
		),
	}
}

// claimed rests on transactions being there at all, which begin proves: what comes
// after it would only say the same again.
func claimed(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Claim("transactions")}, more...)
}

// stepped has steps to run, and perhaps a field of the role beside them.
func stepped(fields ...string) []suite.Need {
	needs := claimed(suite.Role(roles.Transaction, "steps"))
	for _, field := range fields {
		needs = append(needs, suite.Role(roles.Transaction, field))
	}
	return needs
}
