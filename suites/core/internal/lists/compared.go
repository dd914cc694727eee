package lists

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// compared are the cases that compare lists with each other: in what order their
// items come, and whether they depend on who asks.
func (l list) compared(r Rules) []suite.Case {
	return []suite.Case{
		{
			ID:     l.id("list-order"),
			Title:  "an unchanged set of " + l.items() + " is listed in the same order every time",
			Checks: checks(r.Order),
			Needs:  l.declared(),
			Fix:    "sort the " + l.items() + ", or keep them in the order in which they were registered, instead of walking a map",
			Run:    l.order,
		},
		{
			ID:     l.id("list-per-connection"),
			Title:  "all connections are shown the same " + l.items(),
			Checks: checks(r.PerConnection),
			Needs:  l.declared(),
			Fix:    "list what the server has, whatever the connection: only credentials may make a difference",
			Run:    l.perConnection,
		},
	}
}

// rounds is how often both connections are read where they seem to differ.
const rounds = 3

// The order of two readings is compared only if nothing was added or taken
// away in between.
func (l list) order(c *probe.Client) error {
	here := l.inTurn(2, c)
	there := l.elsewhere(c)
	if compared, problem := sameOrder(append(here[0], there...)); compared && problem == nil && len(there) > 0 {
		return nil
	}
	readings := l.beside(rounds, c)
	compared, problem := sameOrder(append(readings[0], readings[1]...))
	switch {
	case problem != nil:
		return problem
	case !compared:
		c.Undecide("the set of " + l.items() + " changed from one listing to the next")
	}
	return nil
}

// sameOrder compares the readings of the same set with each other; compared is
// false where there are no two.
func sameOrder(all []reading) (compared bool, problem error) {
	for i, one := range all {
		for _, two := range all[i+1:] {
			if !one.sameSet(two) {
				continue
			}
			compared = true
			if place := difference(one.keys, two.keys); place >= 0 {
				return true, one.against(two).Violation(
					"%s %d of the same set is %s in one listing and %s in another, want the same order",
					one.of.Noun, place+1, probe.Show(one.keys[place]), probe.Show(two.keys[place]))
			}
		}
	}
	return compared, nil
}

// difference is the first place in which two lists of the same keys differ, or -1.
func difference(one, two []string) int {
	for i := range one {
		if one[i] != two[i] {
			return i
		}
	}
	return -1
}

func (l list) perConnection(c *probe.Client) error {
	if l.asElsewhere(c) {
		return nil
	}
	readings := l.beside(rounds, c)
	one, two := readings[0][0], readings[1][0]
	switch steady := steady(readings[0]) && steady(readings[1]); {
	case !steady:
		c.Undecide("the set of " + l.items() + " changed while it was compared")
	case one.sameSet(two):
		return nil
	}
	return one.against(two).Violation("%s, want the same %s on every connection", one.apart(two), l.items())
}
