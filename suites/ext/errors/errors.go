// Package errors holds the cases of the structured-errors proposal: what fails says
// so in the plain form of the protocol, and beside it in a record for programs.
package errors

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
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

// provoked is a case about a failure that the kit provokes.
func provoked(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error, needs ...suite.Need) suite.Case {
	return bench.Case("ext-structured-errors/"+slug, title, rule, fix, run, needs...)
}

// watched is a case about each record that the server tells, whatever provoked it.
func watched(slug, title string, rule requirements.ID, fix string, judge func(record) probe.Opinion) suite.Case {
	return suite.Case{
		ID:     "ext-structured-errors/" + slug,
		Title:  title,
		Checks: []requirements.ID{rule},
		Fix:    fix,
		Sees:   "a record of a failure",
		Watch:  onRecord(judge),
	}
}
