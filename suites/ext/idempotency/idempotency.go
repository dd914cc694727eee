// Package idempotency holds the cases of the idempotency proposal: a call that
// carries a key has its effect once, however often it is repeated.
package idempotency

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

// keys are the needs of cases that rest on keys doing anything at all: first-runs and
// no-second-effect prove the claim, and what comes after them would only say the same again.
func keys(more ...suite.Need) []suite.Need {
	return counted(append([]suite.Need{suite.Claim("idempotency")}, more...)...)
}

// keyed is a case about calls with a key.
func keyed(slug, title string, rule requirements.ID, fix string, run func(b *bench.Bench) error, more ...suite.Need) suite.Case {
	return bench.Observing(roles.StateChange, bench.Case("ext-idempotency/"+slug, title, rule, fix, on(run), keys(more...)...))
}
