// Package needs decides whether a server meets the needs of a case, and says in words
// what the server lacks.
package needs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Ground holds the facts that the needs of one revision over one transport are checked
// against.
type Ground struct {
	Transport requirements.Transport
	Survey    *probe.Survey
	Roles     roles.Set    // the filled roles
	Refused   []roles.Name // given, with arguments that the schemas of their tools refuse here
	Given     config.Config
	Chosen    string // why another tool than the first fills roles.read-only-tool; empty where the first does
}

// Unmet reports the first need of a case that is not met, as the reason for the skip. A
// reason why the rule does not apply comes before a setting that the operator could add,
// since only a missing setting is a gap.
func (g Ground) Unmet(of suite.Extension, needs []suite.Need) (why reports.Reason, unmet bool) {
	// The claim comes first: the operator need not fill a role for an extension that the
	// server does not have.
	if _, claimed := g.Survey.Claims[of.Name]; of.Name != "" && !claimed {
		return unclaimed(of.Name), true
	}
	for _, need := range needs {
		lack, lacking := g.Lacks(need)
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

// Lacks reports whether a need is not met, and why.
func (g Ground) Lacks(need suite.Need) (reports.Reason, bool) {
	if slices.ContainsFunc(need.Any, g.Holds) {
		return reports.Reason{}, false
	}
	all := wanted(need)
	switch first := need.Any[0]; first.Kind {
	case suite.CapabilityKind:
		return reports.Reason{Kind: reports.NotDeclared, Text: "the server does not declare " + all}, true
	case suite.TransportKind:
		return reports.Reason{Kind: reports.OtherTransport, Text: "judged over " + all}, true
	case suite.RoleKind:
		if why, none := g.None(need); none {
			return why, true
		}
		if why, none := g.unlisted(need); none {
			return why, true
		}
		return g.unfilled(first.Value, need), true
	case suite.ClaimKind:
		return unclaimed(all), true
	case suite.OptInKind:
		return reports.Reason{Kind: reports.OptIn, Text: "runs only with " + all + " in the configuration"}, true
	default:
		return reports.Reason{Kind: reports.NotSeen, Text: g.unseen(need)}, true
	}
}

// wanted joins the words of a need for the operator, who has to fulfil one of them. A role
// that would do in place of a capability is not worth a word: the server has neither.
func wanted(need suite.Need) string {
	var wants []string
	for _, word := range need.Any {
		switch {
		case word.Kind == suite.RoleKind && need.Any[0].Kind == suite.CapabilityKind:
		case word.Kind == suite.OptInKind: // a consent is a key of the configuration
			wants = append(wants, word.Value+": true")
		case word.Kind == suite.TraitKind && probe.Trait(word.Value) == probe.Durable:
			wants = append(wants, "with target.durable: true")
		default:
			wants = append(wants, word.Value)
		}
	}
	if len(wants) == 1 && need.Any[0].Kind == suite.TransportKind {
		return wants[0] + " only"
	}
	return strings.Join(wants, " or ")
}

func unclaimed(extensions string) reports.Reason {
	return reports.Reason{Kind: reports.NotClaimed, Text: "the server does not claim the extension " + extensions}
}

// unfilled is the reason for an unfilled role. Reports show the key of the role before the
// text; the text says what the key is for.
func (g Ground) unfilled(path string, need suite.Need) reports.Reason {
	why := reports.Reason{Kind: reports.NoRole, Role: roles.Key(path)}
	if name, t := g.principal(path); t.Refused {
		why.Text = g.notAccepted(name, t)
		return why
	}
	role, _, _ := strings.Cut(strings.TrimPrefix(path, "role:"), ".")
	if slices.Contains(g.Refused, roles.Name(role)) {
		why.Text = "its arguments do not fit the input schema of its tool at this revision"
		return why
	}
	if g.Given.Roles.Has(path) {
		why.Text = "it names a tool that the server does not list at this revision"
		return why
	}
	var uses []string
	for i, word := range need.Any {
		field, known := roles.Find(g.Given.Roles.Specs(), word.Value)
		switch {
		case !known || field.Text == "":
		case i == 0:
			uses = append(uses, field.Text)
		default:
			uses = append(uses, roles.Key(word.Value)+", "+field.Text)
		}
	}
	why.Text = cmp.Or(strings.Join(uses, "; or "), "a role that nothing fills")
	return why
}

// None reports whether the configuration says that the server has nothing for each role of
// a need, and says so.
func (g Ground) None(need suite.Need) (why reports.Reason, none bool) {
	for _, word := range need.Any {
		if word.Kind != suite.RoleKind {
			continue
		}
		n, said := g.Given.SaysNone(word.Value)
		if !said {
			return reports.Reason{}, false
		}
		if !none {
			why.Kind, none = reports.SaidNone, true
			why.Text = fmt.Sprintf("%s:%d says %s: none", g.Given.File, n.Line, n.Key)
			if field, known := roles.Find(g.Given.Roles.Specs(), strings.TrimPrefix(n.Key, "roles.")); known && field.Text != "" {
				why.Text += " (" + field.Text + ")"
			}
		}
	}
	return why, none
}

// unseen names the traits that the server did not show.
func (g Ground) unseen(need suite.Need) string {
	var lists, wants []string
	for _, word := range need.Any {
		if method, ok := strings.CutPrefix(word.Value, "paginates:"); ok {
			lists = append(lists, method)
		} else {
			wants = append(wants, g.trait(probe.Trait(word.Value)))
		}
	}
	if len(lists) > 0 {
		wants = append(wants, strings.Join(lists, " or ")+" in several pages")
	}
	return strings.Join(wants, ", or ")
}

// trait describes a trait, or the behaviour of a server without the trait. A trait that
// the kit does not know is described by its name.
func (g Ground) trait(t probe.Trait) string {
	const unguarded = "the refusal of a request without credentials"
	words := map[probe.Trait]string{
		probe.Modern: "an answer without a handshake, as from 2026-07-28 on", probe.Legacy: "a handshake, as before 2026-07-28",
		probe.DualEra:    "both a handshake, as before 2026-07-28, and answers without one",
		probe.ModernOnly: "a server that supports 2026-07-28 and nothing else",
		probe.Launched:   "a server that the kit started", probe.Durable: "state that outlives the process",
		probe.Sessions: "an Mcp-Session-Id", probe.AnyPaginates: "a list in several pages",
		probe.ResourceTemplates: "a resource template", probe.FileResources: "a resource that is a file, or a template of files",
		probe.PromptWithRequiredArguments: "a prompt with a required argument",
		probe.Guarded:                     unguarded,
		probe.AuthorizationFramework:      unguarded,
	}
	if t == probe.AuthorizationFramework && g.Survey.Traits[probe.Guarded] {
		return "a refusal without credentials as the authorization pages of MCP describe it; authorization/framework-followed judges that"
	}
	if alike := g.alike("first"); alike != "" && words[t] == unguarded {
		return unguarded + "; " + alike
	}
	return cmp.Or(words[t], string(t))
}

// Holds reports whether one word of a need is true.
func (g Ground) Holds(word suite.Word) bool {
	switch word.Kind {
	case suite.CapabilityKind:
		return g.Survey.Declares(word.Value)
	case suite.TransportKind:
		return string(g.Transport) == word.Value
	case suite.RoleKind:
		_, treated := g.principal(word.Value)
		return g.Roles.Has(word.Value) && !treated.Refused
	case suite.ClaimKind:
		_, ok := g.Survey.Claims[word.Value]
		return ok
	case suite.TraitKind:
		return g.Survey.Traits[probe.Trait(word.Value)]
	case suite.OptInKind:
		return map[suite.Consent]bool{suite.Stress: g.Given.Stress, suite.External: g.Given.External}[suite.Consent(word.Value)]
	default: // there is always an opening
		return true
	}
}
