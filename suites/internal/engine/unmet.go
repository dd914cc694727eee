package engine

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// unmet reports the first need of a case that the column does not fulfil, as
// the reason for the skip. What keeps the rule from applying goes before what
// the operator could add, since only the latter is a gap.
func (c *column) unmet(s Spec) (why reports.Reason, unmet bool) {
	if s.missing != nil {
		return *s.missing, true
	}
	if c.server.locked && !s.Case.Access {
		return c.lockedOut(s), true
	}
	// First the claim: nobody has to fill a role for an extension that the
	// server does not have.
	if e := s.Suite.Extension.Name; e != "" {
		if _, claimed := c.survey.Claims[e]; !claimed {
			return reports.Reason{Kind: reports.NotClaimed, Text: "the server does not claim the extension " + e}, true
		}
	}
	for _, need := range s.Case.Needs {
		lack, lacking := c.lacks(need)
		switch {
		case !lacking:
		case lack.Kind != reports.NoRole && lack.Kind != reports.OptIn:
			return lack, true
		case !unmet:
			why, unmet = lack, true
		}
	}
	return why, unmet
}

func (c *column) lacks(need suite.Need) (reports.Reason, bool) {
	var wants []string
	for _, word := range need.Any {
		if c.holds(word) {
			return reports.Reason{}, false
		}
		wants = append(wants, word.Value)
	}
	all := strings.Join(wants, " or ")
	switch first := need.Any[0]; first.Kind {
	case suite.CapabilityKind:
		return reports.Reason{Kind: reports.NotDeclared, Text: "the server does not declare " + all}, true
	case suite.TransportKind:
		return reports.Reason{Kind: reports.OtherTransport, Text: "judged over " + all + " only"}, true
	case suite.RoleKind:
		key := roles.Key(first.Value)
		if c.server.run.plan.Config.Roles.Has(first.Value) {
			return reports.Reason{Kind: reports.NoRole, Text: key + " names a tool that the server does not list at this revision", Role: key}, true
		}
		return reports.Reason{Kind: reports.NoRole, Text: "nothing fills " + all + "; set " + key, Role: key}, true
	case suite.ClaimKind:
		return reports.Reason{Kind: reports.NotClaimed, Text: "the server does not claim " + all}, true
	case suite.OptInKind:
		return reports.Reason{Kind: reports.OptIn, Text: "runs only when asked for: " + all}, true
	default:
		return reports.Reason{Kind: reports.NotSeen, Text: unseen(need)}, true
	}
}

// unseen says in words which facts the server did not show.
func unseen(need suite.Need) string {
	var wants []string
	for _, word := range need.Any {
		text := word.Value
		if method, ok := strings.CutPrefix(text, "paginates:"); ok {
			text = method + " in several pages"
		} else if text == string(probe.AnyPaginates) {
			text = "a list in several pages"
		}
		wants = append(wants, text)
	}
	return "not seen on this server: " + strings.Join(wants, ", or ")
}

// holds reports whether one word of a need is true of the column.
func (c *column) holds(word suite.Word) bool {
	switch word.Kind {
	case suite.CapabilityKind:
		return c.survey.Declares(word.Value)
	case suite.TransportKind:
		return string(c.Transport) == word.Value
	case suite.RoleKind:
		return c.roles.Has(word.Value)
	case suite.ClaimKind:
		_, ok := c.survey.Claims[word.Value]
		return ok
	case suite.TraitKind:
		return c.survey.Traits[probe.Trait(word.Value)]
	case suite.OptInKind:
		cfg := c.server.run.plan.Config
		return map[suite.Consent]bool{suite.Stress: cfg.Stress, suite.External: cfg.External}[suite.Consent(word.Value)]
	default: // every column has an opening
		return true
	}
}
