package html

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
)

// inapplicable is the status that the page gives to findings that do not apply.
const inapplicable = "inapplicable"

// known is the status that the page gives to failures that the baseline tolerates.
const known = "known"

// A gap lists the reasons of one kind for which cases were not judged.
type gap struct {
	Kind, Title, Says string
	Reasons           []reason
	Cases             int
}

// A reason is one thing that would have to change, and the cases that wait for it.
type reason struct {
	Key       string // of mcp-conform.yaml, or a flag
	Flag      bool
	Explain   []string // the command that tells more about the key
	BlockedBy string
	Blocker   string // anchor of the blocking case
	Text      string
	Findings  []finding
	Cases     int
}

// gaps groups the skips by reason: skips that concern the server, and the rest. Within a
// kind the reason with the most cases comes first.
func (b *builder) gaps() (applies, rest []gap) {
	type cause struct {
		kind reports.ReasonKind
		what string
	}
	at := map[cause]int{}
	reasons := map[reports.ReasonKind][]reason{}
	for _, g := range b.r.Groups(reports.Skip) {
		why := reports.Reason{Kind: reports.Undecided, Text: "no reason was given"}
		if g.Finding.Reason != nil {
			why = *g.Finding.Reason
		}
		c := cause{why.Kind, cmp.Or(why.Role, why.BlockedBy, why.Text)}
		i, known := at[c]
		if !known {
			i = len(reasons[why.Kind])
			at[c] = i
			reasons[why.Kind] = append(reasons[why.Kind], b.reason(why))
		}
		reasons[why.Kind][i].Findings = append(reasons[why.Kind][i].Findings, b.finding(g))
	}
	for _, kind := range kinds(reasons) {
		one := gap{Kind: key(string(kind)), Title: kindTitle(kind), Says: kindSays(kind), Reasons: reasons[kind]}
		for i := range one.Reasons {
			one.Reasons[i].Cases = cases(one.Reasons[i].Findings)
			one.Cases += one.Reasons[i].Cases
		}
		slices.SortStableFunc(one.Reasons, func(x, y reason) int { return cmp.Compare(y.Cases, x.Cases) })
		if kind.Applies() {
			applies = append(applies, one)
		} else {
			rest = append(rest, one)
		}
	}
	return applies, rest
}

// kinds lists the kinds in use: known kinds in their order, then others.
func kinds(seen map[reports.ReasonKind][]reason) []reports.ReasonKind {
	all := reports.ReasonKinds()
	var foreign []reports.ReasonKind
	for k := range seen {
		if !slices.Contains(all, k) {
			foreign = append(foreign, k)
		}
	}
	slices.Sort(foreign)
	return slices.DeleteFunc(append(all, foreign...), func(k reports.ReasonKind) bool { return len(seen[k]) == 0 })
}

func cases(findings []finding) int {
	var names []string
	for _, f := range findings {
		names = append(names, f.Case)
	}
	return len(unique(names))
}

func (b *builder) reason(why reports.Reason) reason {
	out := reason{Key: short(why.Role), Text: text(why.Detail()), BlockedBy: short(why.BlockedBy)}
	out.Flag = strings.HasPrefix(why.Role, "--")
	if name, isRole := strings.CutPrefix(why.Role, "roles."); isRole {
		name, _, _ = strings.Cut(name, ".")
		out.Explain = words("mcp-conform explain " + key(name))
	}
	if why.BlockedBy != "" {
		out.Blocker = key(why.BlockedBy)
	}
	return out
}

func kindTitle(k reports.ReasonKind) string {
	switch k {
	case reports.NoRole:
		return "Waiting for a key of mcp-conform.yaml"
	case reports.NotSeen:
		return "Not seen"
	case reports.OptIn:
		return "Only when you allow it"
	case reports.Blocked:
		return "Blocked by another case"
	case reports.ExpectedFailure:
		return "Known failures"
	case reports.SaidNone:
		return "None by the configuration"
	case reports.NotDeclared, reports.NotClaimed, reports.OtherTransport, reports.OtherRevision, reports.NotApplicable,
		reports.Undecided, reports.Deselected, reports.Interrupted:
	}
	words := short(k.Words())
	if words == "" {
		return "No reason"
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

func kindSays(k reports.ReasonKind) string {
	switch k {
	case reports.NoRole:
		return "The kit needs to know a tool, resource or prompt that behaves like this. Name one, and the cases run; write none if the server " +
			"has none."
	case reports.NotSeen:
		return "The server sent nothing that the rule is about."
	case reports.Undecided:
		return "What was seen allows no verdict."
	case reports.OptIn:
		return "The configuration has to allow what these cases do."
	case reports.Blocked:
		return "They need what the other case did not find. Fix that one first."
	case reports.Interrupted:
		return "The run ended before they had their turn."
	case reports.ExpectedFailure:
		return "Accepted by the baseline of mcp-conform.yaml. They are still broken."
	case reports.NotApplicable:
		return "The server does not do, or does not have, what the rule is about."
	case reports.SaidNone:
		return "The configuration says that the server has no such thing. That is the word of whoever wrote it: the kit did not see it."
	case reports.NotDeclared:
		return "The server does not declare the capability."
	case reports.NotClaimed:
		return "The server does not claim the extension proposal."
	case reports.OtherTransport:
		return "The rule is about a transport that this column does not use."
	case reports.OtherRevision:
		return "The rule is not part of the revision."
	case reports.Deselected:
		return "Left out by --suite, --case or --level."
	}
	return ""
}
