package main

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// uses tells whether a case needs a role, or watches changes that need the role.
func uses(c suite.Case, name roles.Name) bool {
	return c.Observes == name || c.Disturbs == name || slices.ContainsFunc(c.Needs, func(n suite.Need) bool { return n.Asks(name) })
}

// usersOf lists the selected cases that use a role.
func usersOf(name roles.Name, all []suite.Suite, pick selection) []string {
	var ids []string
	for _, s := range all {
		for _, c := range s.Cases {
			if uses(c, name) && (pick == nil || pick(s, c)) {
				ids = append(ids, c.ID)
			}
		}
	}
	return ids
}

// idle lists the roles of the file that no judged case used, each with the most frequent
// reason: somebody took the trouble to write them.
func idle(cfg config.Config, all []suite.Suite, pick selection, r reports.Report) []string {
	var lines []string
	if len(r.Findings) == 0 {
		return nil // the report already says that nothing was judged
	}
	for _, filled := range cfg.Roles.All() {
		users := usersOf(filled.Name, all, pick)
		if cfg.File == "" || filled.Source != roles.Config || len(users) == 0 {
			continue
		}
		if why, nothing := unused(users, r); nothing {
			lines = append(lines, fmt.Sprintf("%s: 0 of %s, %s", roles.Key(string(filled.Name)), plural(len(users), "case"), why))
		}
	}
	return lines
}

// unused tells whether no case applied, and the most frequent reason.
func unused(cases []string, r reports.Report) (why string, nothing bool) {
	counts := map[string]int{}
	most := "none of them exists at the judged revisions"
	for _, f := range r.Findings {
		if !slices.Contains(cases, f.Case) {
			continue
		}
		if f.Status != reports.Skip || f.Reason == nil || !inapplicable(f.Reason.Kind) {
			return "", false
		}
		why := f.Reason.Text
		if f.Reason.Kind == reports.NoRole {
			why = f.Reason.String()
		}
		if counts[why]++; counts[why] > counts[most] {
			most = why
		}
	}
	return most, true
}

// inapplicable tells whether the kit can give the reason before it sends anything.
func inapplicable(k reports.ReasonKind) bool {
	switch k {
	case reports.NotDeclared, reports.NotClaimed, reports.OtherTransport, reports.OtherRevision, reports.NotApplicable, reports.SaidNone,
		reports.NoRole, reports.OptIn:
		return true
	default:
		return false
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
