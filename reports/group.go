package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Group is one problem in all its columns: the finding of the first column stands for
// the others.
type Group struct {
	Finding Finding
	Places  []Place
	Others  []Finding // findings of the places after the first, each with its own frames
}

// Groups joins the findings of a status that have one case and one problem, in the order
// of their first appearance.
func (r Report) Groups(s Status) []Group {
	joined := joiner{at: map[same]int{}}
	for _, f := range r.Findings {
		if f.Status != s {
			continue
		}
		key := same{caseID: f.Case, problem: f.Problem, level: f.Level}
		if f.Reason != nil {
			key.reason = string(f.Reason.Kind) + "\x00" + f.Reason.Text
		}
		joined.add(f, key)
	}
	return joined.groups
}

// A Gap is a set of cases that were not judged for the same reason.
type Gap struct {
	Kind      ReasonKind
	Role      string // the config key that would close the gap, if there is one
	BlockedBy string // the case whose failure is the root cause, if there is one
	Text      string // the reason in words, as the first case gives it
	Cases     []string
	Findings  int // of these cases, one for each column
}

// Enabling is the gap whose config key lets most cases be judged. Where a MUST was left
// open, only a key for such a case counts: other keys would leave the verdict as it is.
// If no key helps, the role is empty.
func (r Report) Enabling() Gap {
	open := r.Untested()
	var best Gap
	for _, g := range r.Gaps() {
		helps := len(open) == 0 || slices.ContainsFunc(g.Cases, func(id string) bool { return slices.Contains(open, id) })
		if g.Kind == NoRole && g.Role != "" && helps && len(g.Cases) > len(best.Cases) {
			best = g
		}
	}
	return best
}

// LoginKey is the key of the configuration for servers that let nobody in without a token.
const LoginKey = "principals.first.token"

// Locked counts the cases of a report that wait for a token, where the server let the kit in without
// one to nothing else: no other key helps before that one.
func Locked(r Report) int {
	gaps, n := r.Gaps(), 0
	for _, locked := range gaps {
		if locked.Kind != NoRole || locked.Role != LoginKey {
			continue
		}
		n += len(locked.Cases)
		for _, g := range gaps {
			if g.Kind == Blocked && slices.Contains(locked.Cases, g.BlockedBy) {
				n += len(g.Cases)
			}
		}
	}
	return n
}

// RateKey is the key of the configuration for servers that limit how often they are asked.
const RateKey = "limits.rate"

// Slowed tells whether the verdict says that the server refused requests for their number or
// its load: no other key helps before that one.
func (v Verdict) Slowed() bool { return strings.Contains(v.Text, "set "+RateKey+" ") }

// Gaps lists the cases that concern the server and were not judged, by reason in the
// order of ReasonKinds, the widest gap of a reason first. A case counts once, in however
// many columns it was skipped.
func (r Report) Gaps() []Gap {
	type cause struct {
		kind ReasonKind
		what string
	}
	var gaps []Gap
	at := map[cause]int{}
	listed := map[cause]map[string]bool{}
	for _, f := range r.Findings {
		if f.Status != Skip || f.Reason == nil || !f.Reason.Kind.Applies() {
			continue
		}
		why := *f.Reason
		key := cause{why.Kind, cmp.Or(why.Role, why.BlockedBy, why.Text)}
		i, known := at[key]
		if !known {
			i = len(gaps)
			at[key], listed[key] = i, map[string]bool{}
			gaps = append(gaps, Gap{Kind: why.Kind, Role: why.Role, BlockedBy: why.BlockedBy, Text: why.Detail()})
		}
		gaps[i].Findings++
		if !listed[key][f.Case] {
			listed[key][f.Case] = true
			gaps[i].Cases = append(gaps[i].Cases, f.Case)
		}
	}
	kinds := ReasonKinds()
	slices.SortStableFunc(gaps, func(a, b Gap) int {
		return cmp.Or(
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			cmp.Compare(len(b.Cases), len(a.Cases)),
		)
	})
	return gaps
}

// GapTitle counts the cases of gaps: those that were not judged, as the verdict counts them
// too, and apart from them those whose failure is known.
func GapTitle(gaps []Gap) string {
	open, known, findings := map[string]bool{}, map[string]bool{}, 0
	for _, g := range gaps {
		in := open
		if g.Kind == ExpectedFailure {
			in = known
		} else {
			findings += g.Findings
		}
		for _, c := range g.Cases {
			in[c] = true
		}
	}
	var parts []string
	if len(open) > 0 {
		part := "not judged: " + cases(len(open))
		if findings > len(open) {
			part += fmt.Sprintf(" (%d in all columns)", findings)
		}
		parts = append(parts, part)
	}
	if len(known) > 0 {
		parts = append(parts, "known failures: "+cases(len(known)))
	}
	return strings.Join(parts, ", ")
}

// An Omission is the number of findings that were skipped for one reason because their
// cases do not concern the server in their column.
type Omission struct {
	Kind     ReasonKind
	Findings int
}

// Inapplicable says in words which cases do not concern the server in their column.
func (r Report) Inapplicable() string {
	what := map[ReasonKind]string{
		NotDeclared: "of capabilities that the server does not declare", NotClaimed: "of extension proposals that the server does not claim",
		OtherTransport: "of another transport", OtherRevision: "of another revision", Deselected: "left out by the selection",
		NotApplicable: "about what the server does not do or does not have", NotSeen: "about messages that the server did not send",
		SaidNone: "about what the configuration says that the server does not have",
	}
	var parts []string
	for _, o := range r.Omissions() {
		parts = append(parts, strconv.Itoa(o.Findings)+" "+cmp.Or(what[o.Kind], o.Kind.Words()))
	}
	return strings.Join(parts, ", ")
}

// Omissions counts such findings by reason, in the order of ReasonKinds.
func (r Report) Omissions() []Omission {
	counts := map[ReasonKind]int{}
	for _, f := range r.Findings {
		if f.Status == Skip && f.Reason != nil && !f.Reason.Kind.Applies() {
			counts[f.Reason.Kind]++
		}
	}
	var all []Omission
	for _, k := range ReasonKinds() {
		if counts[k] > 0 {
			all = append(all, Omission{k, counts[k]})
		}
	}
	return all
}

func cases(n int) string {
	if n == 1 {
		return "1 case"
	}
	return strconv.Itoa(n) + " cases"
}
