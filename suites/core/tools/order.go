package tools

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// orderCases compare lists with each other: in what order they come, and
// whether they depend on who asks.
func orderCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/list-order",
			Title:  "an unchanged set of tools is listed in the same order every time",
			Checks: []requirements.ID{"tools-list-stable-order"},
			Needs:  declared(),
			Fix:    "sort the tools, or keep them in the order in which they were registered, instead of walking a map",
			Run:    listOrder,
		},
		{
			ID:     "tools/list-per-connection",
			Title:  "all connections are shown the same tools",
			Checks: []requirements.ID{"tools-list-not-per-connection"},
			Needs:  declared(),
			Fix:    "list what the server has, whatever the connection: only credentials may make a difference",
			Run:    listPerConnection,
		},
	}
}

// rounds is how often both connections are read where they seem to differ.
const rounds = 3

// The order of two listings is compared only if nothing was added or taken
// away in between.
func listOrder(c *probe.Client) error {
	here := inTurn(2, c)
	there := elsewhere(c)
	if compared, problem := sameOrder(append(here[0], there...)); compared && problem == nil && len(there) > 0 {
		return nil
	}
	readings := beside(rounds, c)
	compared, problem := sameOrder(append(readings[0], readings[1]...))
	switch {
	case problem != nil:
		return problem
	case !compared:
		c.Undecide("the set of tools changed from one listing to the next")
	}
	return nil
}

// sameOrder compares the listings of the same set with each other; compared is
// false where there are no two.
func sameOrder(all []listing) (compared bool, problem error) {
	for i, one := range all {
		for _, two := range all[i+1:] {
			if !one.sameSet(two) {
				continue
			}
			compared = true
			if place := difference(one.names, two.names); place >= 0 {
				return true, one.against(two).Violation(
					"tool %d of the same set is %s in one listing and %s in another, want the same order",
					place+1, probe.Show(one.names[place]), probe.Show(two.names[place]))
			}
		}
	}
	return compared, nil
}

// difference is the first place in which two lists of the same names differ,
// or -1.
func difference(one, two []string) int {
	for i := range one {
		if one[i] != two[i] {
			return i
		}
	}
	return -1
}

func listPerConnection(c *probe.Client) error {
	if asElsewhere(c) {
		return nil
	}
	readings := beside(rounds, c)
	one, two := readings[0][0], readings[1][0]
	switch steady := steady(readings[0]) && steady(readings[1]); {
	case !steady:
		c.Undecide("the set of tools changed while it was compared")
	case one.sameSet(two):
		return nil
	}
	return one.against(two).Violation("%s, want the same tools on every connection", apart(one, two))
}

func steady(readings []listing) bool {
	for _, l := range readings[1:] {
		if !l.sameSet(readings[0]) {
			return false
		}
	}
	return true
}
