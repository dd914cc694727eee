package reports

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Rules lists the texts of the requirements that findings name, in the order of their
// first appearance. Find looks one up in a catalogue.
func Rules(findings []Finding, find func(requirements.ID) (requirements.Requirement, bool)) []Rule {
	named := map[requirements.ID]bool{}
	for i := range findings {
		for _, id := range findings[i].Requirements {
			named[id] = true
		}
	}
	rules := slices.Grow([]Rule(nil), len(named))
	type wording struct {
		id    requirements.ID
		since requirements.Revision
	}
	at := make(map[wording]int, len(named))
	type place struct {
		id  requirements.ID
		rev requirements.Revision
	}
	seen := make(map[place]bool, len(named))
	for i := range findings {
		f := &findings[i]
		for _, id := range f.Requirements {
			if seen[place{id, f.Revision}] {
				continue
			}
			seen[place{id, f.Revision}] = true
			r, _ := find(id)
			cl, holds := r.At(f.Revision)
			if !holds {
				continue
			}
			i, known := at[wording{id, cl.Since}]
			if !known {
				i = len(rules)
				at[wording{id, cl.Since}] = i
				rules = append(rules, Rule{
					ID: id, Area: r.Area, Extension: r.Extension, Level: cl.Level, Basis: cl.Basis, Text: cl.Text, Source: cl.Source,
				})
			}
			rules[i].add(f.Revision, cl)
		}
	}
	return rules
}

func (r *Rule) add(rev requirements.Revision, cl requirements.Clause) {
	if slices.Contains(r.Revisions, rev) {
		return
	}
	r.Revisions = append(r.Revisions, rev)
	slices.SortFunc(r.Revisions, func(a, b requirements.Revision) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	r.Link = cl.Link(r.Revisions[len(r.Revisions)-1])
}
