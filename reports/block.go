package reports

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Block joins the findings of one status about one requirement where the server
// behaved in one way: mostly they have one cause. The first finding shows the evidence
// for all of them.
type Block struct {
	Group
	Also []Group // the others, joined where one case has one problem in several columns
}

// Blocks joins the findings of a status, in the order of their first appearance. What the
// author of the server can mend comes before what an SDK writes.
// An error says nothing about a requirement, so errors are joined by their
// problem.
func (r Report) Blocks(s Status) []Block {
	var keys []cause
	within := map[cause]*joiner{}
	lead := r.Leads()
	for _, f := range r.Findings {
		if f.Status != s {
			continue
		}
		key := causeOf(f, lead)
		if within[key] == nil {
			keys = append(keys, key)
			within[key] = &joiner{at: map[same]int{}}
		}
		within[key].add(f, same{caseID: f.Case, problem: withoutIDs(f.Problem)})
	}
	blocks := make([]Block, len(keys))
	for i, key := range keys {
		all := within[key].groups
		blocks[i] = Block{Group: all[0], Also: all[1:]}
	}
	slices.SortStableFunc(blocks, func(a, b Block) int { return a.theirs() - b.theirs() })
	return blocks
}

// theirs is 1 where an SDK wrote all that the block shows, and 0 elsewhere.
func (b Block) theirs() int {
	own := func(g Group) bool { return g.Finding.SDK == "" }
	if own(b.Group) || slices.ContainsFunc(b.Also, own) {
		return 0
	}
	return 1
}

// A cause is the key by which the findings of one block are joined.
type cause struct {
	rule    requirements.ID
	level   requirements.Level
	how     behaviour
	problem string
}

func causeOf(f Finding, lead func(Finding) requirements.ID) cause {
	if f.Status == Error {
		return cause{problem: withoutIDs(f.Problem)}
	}
	return cause{rule: lead(f), level: f.Level, how: behaviourIn(f)}
}

// A behaviour is a way in which a server shows that it breaks a rule.
type behaviour int

const (
	saidNothing behaviour = iota
	saidSomething
	ended
)

func behaviourIn(f Finding) behaviour {
	how := saidNothing
	for _, frame := range f.Frames {
		switch {
		case frame.Kind == EndFrame:
			return ended
		case frame.Dir != "sent":
			how = saidSomething
		}
	}
	return how
}

// Leads finds the requirement that a finding is about: a case that checks several
// names all of them, and the finding has the rule of the one that decided.
func (r Report) Leads() func(Finding) requirements.ID {
	type wording struct {
		id   requirements.ID
		text string
	}
	known := map[wording]bool{}
	for _, rule := range r.Rules {
		known[wording{rule.ID, rule.Text}] = true
	}
	return func(f Finding) requirements.ID {
		for _, id := range f.Requirements {
			if known[wording{id, f.Rule}] {
				return id
			}
		}
		if len(f.Requirements) > 0 {
			return f.Requirements[0]
		}
		return requirements.ID(f.Case)
	}
}

// idOfMessage is how a problem names the id of a message.
var idOfMessage = regexp.MustCompile(`\bid (-?[0-9]+|"[^"]*")`)

// withoutIDs removes the ids of messages from a problem: an id depends on the number of
// messages sent before.
func withoutIDs(problem string) string {
	if !strings.Contains(problem, "id ") { // spares the search through a text of megabytes
		return problem
	}
	return idOfMessage.ReplaceAllString(problem, "id")
}

// same is the key by which findings of one case are joined.
type same struct {
	caseID, problem, reason string
	level                   requirements.Level
}

// A joiner collects groups in the order of their first appearance.
type joiner struct {
	groups []Group
	at     map[same]int
}

func (j *joiner) add(f Finding, key same) {
	i, known := j.at[key]
	if !known {
		i = len(j.groups)
		j.at[key] = i
		j.groups = append(j.groups, Group{Finding: f})
	}
	if g := &j.groups[i]; !slices.Contains(g.Places, f.Place()) {
		g.Places = append(g.Places, f.Place())
		if known {
			g.Others = append(g.Others, f)
		}
	}
}
