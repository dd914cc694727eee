package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// allNeeds are the needs of a case with the claim of its suite, without which none of its
// cases is judged.
func allNeeds(s suite.Suite, c suite.Case) []suite.Need {
	if s.Extension.Name == "" {
		return c.Needs
	}
	claim := suite.Claim(s.Extension.Name)
	if slices.Contains(words(c.Needs), claim.String()) {
		return c.Needs
	}
	return append([]suite.Need{claim}, c.Needs...)
}

// A group is cases that have the same needs.
type group struct {
	needs string
	cases []string
}

// usersByNeeds groups the cases that use a role by what they need beside it.
func usersByNeeds(l *library, name roles.Name) []group {
	var all []group
	for _, s := range l.suites {
		for _, c := range s.Cases {
			if !slices.ContainsFunc(c.Needs, func(n suite.Need) bool { return n.Asks(name) }) {
				continue
			}
			further := slices.DeleteFunc(words(allNeeds(s, c)), func(word string) bool { return word == suite.Role(name).String() })
			slices.SortStableFunc(further, func(a, b string) int { return cmp.Compare(order(a), order(b)) })
			needs := strings.Join(further, ", ")
			i := slices.IndexFunc(all, func(g group) bool { return g.needs == needs })
			if i < 0 {
				i = len(all)
				all = append(all, group{needs: needs})
			}
			all[i].cases = append(all[i].cases, c.ID)
		}
	}
	return all
}

// order puts claims first: where an extension is not claimed, nothing else matters.
func order(need string) int {
	if strings.HasPrefix(need, string(suite.ClaimKind)) {
		return 0
	}
	return 1
}

// users lists the cases that need a role, under what they need beside it.
func (p *page) users(groups []group) {
	var needs []string
	for i, g := range groups {
		if i == 0 {
			p.text += "\ncases that need it\n"
		}
		p.line("with " + cmp.Or(g.needs, "nothing else"))
		for _, id := range g.cases {
			p.below(id)
		}
		needs = append(needs, g.needs)
	}
	p.part("what they need beside it", meanings(strings.Join(needs, " "))...)
}

// meanings say where the words of needs are filled in.
func meanings(needs string) []string {
	var lines []string
	for _, row := range [][2]string{
		{"claim:", "claim:X is the extension X: the server declares it, or the configuration names it, as in claims: [X]"},
		{"opt-in:", "opt-in:X is X: true in the configuration"},
		{"role:", "role:X is roles.X of the configuration, or what the kit finds for it by itself"},
		{"capability:", "capability:X is what the server declares among its capabilities"},
		{"transport:", "transport:X is how the server is reached"},
		{"server:", "server:X is what the kit learns of the server"},
	} {
		if strings.Contains(needs, row[0]) {
			lines = append(lines, row[1])
		}
	}
	return lines
}
