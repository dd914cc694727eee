package permissions

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// partitions are about which scopes are granted and which are denied.
func partitions() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, title, fix string
		look             func(a proposal.Answer, requested, granted, denied []string) error
	}{
		{
			"granted-requested", "only scopes that were requested are granted",
			"grant the requested scopes that the caller may have, and no others", grantedRequested,
		},
		{
			"granted-not-denied", "a scope is not both granted and denied",
			"put each requested scope into exactly one of granted_scopes and denied_scopes", grantedNotDenied,
		},
		{
			"granted-or-denied", "each requested scope is either granted or denied",
			"put each requested scope that is not granted into denied_scopes", grantedOrDenied,
		},
	} {
		cases = append(cases, negotiable(row.slug, row.title, "ext-scopes-granted-subset", row.fix, func(c *probe.Client) error {
			requested, a := negotiated(c)
			var denied []string
			entries, _ := a.Object["denied_scopes"].([]any)
			for _, entry := range entries {
				if scope, ok := object(entry)["scope"].(string); ok {
					denied = append(denied, scope)
				}
			}
			return row.look(a, requested, probe.Strings(a.Object["granted_scopes"]), denied)
		}))
	}
	return cases
}

// besides are the scopes of one list that others do not have.
func besides(scopes []string, others ...[]string) []string {
	all := slices.Concat(others...)
	return slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return slices.Contains(all, scope) })
}

func grantedRequested(a proposal.Answer, requested, granted, _ []string) error {
	if extra := besides(granted, requested); len(extra) > 0 {
		return a.Violation("granted_scopes has %s, want requested scopes only", strings.Join(extra, ", "))
	}
	return nil
}

func grantedNotDenied(a proposal.Answer, _, granted, denied []string) error {
	if once := besides(granted, denied); len(once) < len(granted) {
		return a.Violation("%s is in granted_scopes and in denied_scopes, want it in one of them", strings.Join(besides(granted, once), ", "))
	}
	return nil
}

func grantedOrDenied(a proposal.Answer, requested, granted, denied []string) error {
	if lost := besides(requested, granted, denied); len(lost) > 0 {
		return a.Violation("%s is neither in granted_scopes nor in denied_scopes, want it in one of them", strings.Join(lost, ", ")).AtMostWarn()
	}
	return nil
}
