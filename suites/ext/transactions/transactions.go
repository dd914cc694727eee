// Package transactions holds the cases of the transactions proposal: calls that
// belong together are steps of a transaction, and are taken back together.
package transactions

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
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

// offered are the needs of cases that rest on transactions being there at all, which
// begin proves: what comes after it would only say the same again.
func offered(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Claim(extension)}, more...)
}

// runnable are the needs of cases that have steps to run, and perhaps a field of the
// role beside them.
func runnable(fields ...string) []suite.Need {
	needs := offered(suite.Role(roles.Transaction, "steps"))
	for _, field := range fields {
		needs = append(needs, suite.Role(roles.Transaction, field))
	}
	return needs
}

// claimed is a case about the methods alone.
func claimed(slug, title string, rule requirements.ID, fix string, run func(b *bench.Bench) error) suite.Case {
	return bench.Case("ext-transactions/"+slug, title, rule, fix, on(run), offered()...)
}

// stepped is a case that runs steps.
func stepped(slug, title string, rule requirements.ID, fix string, run func(b *bench.Bench) error, fields ...string) suite.Case {
	return bench.Observing(roles.Transaction, bench.Case("ext-transactions/"+slug, title, rule, fix, on(run), runnable(fields...)...))
}
