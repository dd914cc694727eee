// Package permissions holds the cases of the permissions proposal: a client learns
// before a call whether it would be allowed, and works in sessions with the scopes
// that it asked for.
package permissions

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-permissions",
		Title:     "what a call needs is known before it is made, and scopes come with an end",
		Extension: proposal.Extension("permissions"),
		Cases: slices.Concat(
			checks(), denials(), questions(), agreements(), refusals(), []suite.Case{scopesPerTool()},
			negotiations(), partitions(), sessions(), tokens(),
		),
	}
}

// checked are the needs of cases that rest on there being a check at all, which
// check-available proves.
func checked(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Claim("permissions")}, more...)
}

// claimed is a case about a server that answers checks.
func claimed(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error, more ...suite.Need) suite.Case {
	return bench.Case("ext-permissions/"+slug, title, rule, fix, run, checked(more...)...)
}

// negotiable is a case that has names of scopes to ask for.
func negotiable(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error, more ...suite.Need) suite.Case {
	return claimed(slug, title, rule, fix, run, append([]suite.Need{suite.Role(roles.Scopes, "grantable")}, more...)...)
}
