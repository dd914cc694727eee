// Package idempotency holds the cases of the idempotency proposal: a call that
// carries a key has its effect once, however often it is repeated.
package idempotency

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-idempotency",
		Title:     "a call with a key has its effect once",
		Extension: proposal.Extension("idempotency"),
		Cases: slices.Concat(
			replays(), stores(), timestamps(), charset(), malformedKeys(), lifetimes(), malformedLifetimes(),
			conflicts(), independent(), []suite.Case{optional()}, headers(), callers(),
		),
	}
}

// counted is a state-changing tool whose effects can be counted.
func counted(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Role(roles.StateChange, "observe")}, more...)
}

// keyed rests on keys doing anything at all: first-runs and no-second-effect
// prove the claim, and what comes after them would only say the same again.
func keyed(more ...suite.Need) []suite.Need {
	return counted(append([]suite.Need{suite.Claim("idempotency")}, more...)...)
}
