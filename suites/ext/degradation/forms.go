package degradation

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// forms judge how extensions are claimed. That keys have a prefix and values are
// objects is judged by lifecycle/extension-identifiers and -settings, where the
// protocol defines the map.
func forms() []suite.Case {
	const fix = "declare extensions as an object: a key with your own prefix, and an object of settings as its value"
	checks := []requirements.ID{"ext-degrade-capability-form"}
	return []suite.Case{
		{
			ID:        "ext-degradation/claims-as-map",
			Title:     "extensions are declared in an object",
			Checks:    checks,
			Revisions: protocol.Stateless(),
			Fix:       fix,
			Watch:     onClaims(asMap),
		},
		{
			ID:        "ext-degradation/claims-as-map-early",
			Title:     "where extensions are declared in advance of the revision that defines it, they are in an object",
			Checks:    checks,
			Revisions: protocol.Handshake(),
			Fix:       fix,
			Watch:     onClaims(early),
		},
		{
			ID:     "ext-degradation/claims-own-prefix",
			Title:  "extensions are not declared under a prefix that the protocol keeps for itself",
			Checks: checks,
			Fix:    "use the prefix of the proposal, or your own; those with mcp or modelcontextprotocol as their second part are reserved",
			Watch:  onClaims(ownPrefix),
		},
	}
}

const place = "/result/capabilities/extensions"

// onClaims makes watchers of what is declared as extensions.
func onClaims(judge func(a probe.Answer, declared any) probe.Opinion) func() probe.Watcher {
	return probe.OnResults([]string{"initialize", "server/discover"}, func(a probe.Answer) probe.Opinion {
		declared, ok := a.At(place)
		if !ok {
			return probe.Nothing()
		}
		return judge(a, declared)
	})
}

func asMap(a probe.Answer, declared any) probe.Opinion {
	if _, ok := declared.(map[string]any); !ok {
		return probe.Breaks("%s is %s, want an object", a.Where(place), probe.Show(declared))
	}
	return probe.Kept()
}

// early judges what claims an extension of the proposals alone: what else stands
// there, no revision up to then says.
func early(a probe.Answer, declared any) probe.Opinion {
	ours := proposal.Tokens()
	object, ok := declared.(map[string]any)
	if !ok {
		if slices.ContainsFunc(probe.Strings(declared), func(name string) bool { return slices.Contains(ours, name) }) {
			return probe.Breaks("%s is %s, want an object", a.Where(place), probe.Show(declared)).AtMostWarn()
		}
		return probe.Nothing()
	}
	said := probe.Nothing()
	for _, key := range slices.Sorted(maps.Keys(object)) {
		prefix, name, prefixed := strings.Cut(key, "/")
		_, settled := object[key].(map[string]any)
		switch {
		case !prefixed && slices.Contains(ours, key):
			said = said.And(probe.Breaks("%s has the key %s, want a prefix, a slash and a name", a.Where(place), probe.Show(key)).AtMostWarn())
		case prefixed && slices.Contains(ours, name) && prefix+"/" == protocol.ProposalPrefix && !settled:
			said = said.And(probe.Breaks("%s[%s] is %s, want an object", a.Where(place), probe.Show(key), probe.Show(object[key])).AtMostWarn())
		case prefixed && slices.Contains(ours, name):
			said = said.And(probe.Kept())
		}
	}
	return said
}

func ownPrefix(a probe.Answer, declared any) probe.Opinion {
	object, _ := declared.(map[string]any)
	ours := proposal.Tokens()
	said := probe.Nothing()
	for _, key := range slices.Sorted(maps.Keys(object)) {
		_, name, _ := strings.Cut(key, "/")
		switch {
		case !slices.Contains(ours, name):
		case protocol.Reserved(key):
			said = said.And(probe.Breaks("%s has the key %s, whose prefix the protocol keeps for itself, want %s",
				a.Where(place), probe.Show(key), probe.Show(protocol.ProposalPrefix+name)).AtMostWarn())
		default:
			said = said.And(probe.Kept())
		}
	}
	return said
}
