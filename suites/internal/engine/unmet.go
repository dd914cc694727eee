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
func (g *Gathering) unmet(s Spec) (why reports.Reason, unmet bool) {
	// First the claim: nobody has to fill a role for an extension that the
	// server does not have.
	if e := s.Suite.Extension.Name; e != "" {
		if _, claimed := g.surveys[s.Column].Claims[e]; !claimed {
			return reports.Reason{Kind: reports.NotClaimed, Text: "the server does not claim the extension " + e}, true
		}
	}
	for _, need := range s.Case.Needs {
		lack, lacking := g.lacks(s, need)
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

func (g *Gathering) lacks(s Spec, need suite.Need) (reports.Reason, bool) {
	for _, word := range need.Any {
		if g.holds(s, word) {
			return reports.Reason{}, false
		}
	}
	var wants []string
	for _, word := range need.Any {
		wants = append(wants, word.Value)
	}
	all := strings.Join(wants, " or ")
	switch need.Any[0].Kind {
	case suite.CapabilityKind:
		return reports.Reason{Kind: reports.NotDeclared, Text: "the server does not declare " + all}, true
	case suite.TransportKind:
		return reports.Reason{Kind: reports.OtherTransport, Text: "judged over " + all + " only"}, true
	case suite.RoleKind:
		key := roles.Key(need.Any[0].Value)
		return reports.Reason{Kind: reports.NoRole, Text: "nothing fills " + all + "; set " + key, Role: key}, true
	case suite.ClaimKind:
		return reports.Reason{Kind: reports.NotClaimed, Text: "the server does not claim " + all}, true
	case suite.OptInKind:
		return reports.Reason{Kind: reports.OptIn, Text: "runs only when asked for: " + all}, true
	default:
		return reports.Reason{Kind: reports.NotSeen, Text: "the server was not seen to be or to do this: " + all}, true
	}
}

// holds reports whether one word of a need is true of the column.
func (g *Gathering) holds(s Spec, word suite.Word) bool {
	survey, r := g.surveys[s.Column], g.rooms[s.Column]
	value := word.Value
	switch word.Kind {
	case suite.CapabilityKind:
		return declares(survey.Capabilities, value)
	case suite.TransportKind:
		return string(s.Column.Transport) == value
	case suite.RoleKind:
		return r.roles.Has(value)
	case suite.ClaimKind:
		_, ok := survey.Claims[value]
		return ok
	case suite.TraitKind:
		return survey.Traits[probe.Trait(value)]
	case suite.OptInKind:
		return g.optedIn(suite.Consent(value))
	default:
		return false
	}
}

func (g *Gathering) optedIn(what suite.Consent) bool {
	switch what {
	case suite.Stress:
		return g.plan.Config.Stress
	case suite.External:
		return g.plan.Config.External
	default:
		return false
	}
}

// declaredAt follows a dotted path through capabilities. After "extensions."
// the rest is one key, since extension names hold dots themselves.
func declaredAt(capabilities map[string]any, path string) bool {
	if rest, ok := strings.CutPrefix(path, "extensions."); ok {
		extensions, _ := capabilities["extensions"].(map[string]any)
		return present(extensions[rest])
	}
	var at any = capabilities
	for name := range strings.SplitSeq(path, ".") {
		o, ok := at.(map[string]any)
		if !ok {
			return false
		}
		at = o[name]
	}
	return present(at)
}

func present(v any) bool { return v != nil && v != false }
