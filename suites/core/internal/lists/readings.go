package lists

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A reading is one reading of the list: the keys in their order, and the pages
// they stood on.
type reading struct {
	of    protocol.List
	keys  []string
	pages []*probe.Reply
}

// A reader reads a list of the protocol, on one connection or on several.
type reader struct{ protocol.List }

// items is the plural of what the list holds.
func (l reader) items() string { return l.Noun + "s" }

func (l reader) read(c *probe.Client) reading {
	items := probe.ListAnew(c, l.List)
	items.MustBeRead()
	r := reading{of: l.List, pages: items.Pages}
	for _, i := range items.All {
		if i.Keyed {
			r.keys = append(r.keys, i.Key)
		}
	}
	return r
}

// set is the keys whatever their order.
func (r reading) set() []string { return slices.Sorted(slices.Values(r.keys)) }

func (r reading) sameSet(other reading) bool { return slices.Equal(r.set(), other.set()) }

// against is the pages of both readings on which they begin to differ.
func (r reading) against(other reading) probe.Evidence {
	if len(r.pages) == 0 || len(other.pages) == 0 {
		return nil // a remembered reading has no pages; a reading that is shown is made anew
	}
	for i := range min(len(r.pages), len(other.pages)) {
		one, _ := r.pages[i].At("/result/" + r.of.Items)
		two, _ := other.pages[i].At("/result/" + r.of.Items)
		if !probe.Same(one, two) {
			return probe.Shown(r.pages[i], other.pages[i])
		}
	}
	return probe.Shown(r.pages[0], other.pages[0])
}

// apart says in which keys two readings differ.
func (r reading) apart(other reading) string {
	missing := func(from, in []string) []string {
		return slices.DeleteFunc(slices.Clone(from), func(key string) bool { return slices.Contains(in, key) })
	}
	first, second := missing(r.set(), other.set()), missing(other.set(), r.set())
	switch {
	case len(first) > 0 && len(second) > 0:
		return fmt.Sprintf("only the first connection is shown %s, and only the second %s", probe.Show(first), probe.Show(second))
	case len(first) > 0:
		return fmt.Sprintf("only the first connection is shown %s", probe.Show(first))
	case len(second) > 0:
		return fmt.Sprintf("only the second connection is shown %s", probe.Show(second))
	}
	return "the connections are shown the same " + r.of.KeyNoun + "s, but not as often"
}

// steady reports whether readings show the same set each time.
func steady(readings []reading) bool {
	for _, r := range readings[1:] {
		if !r.sameSet(readings[0]) {
			return false
		}
	}
	return true
}

// inTurn reads the list on connections in turn, so that a change over time does
// not look like a difference between them.
func (l reader) inTurn(rounds int, clients ...*probe.Client) [][]reading {
	readings := make([][]reading, len(clients))
	for range rounds {
		for i, c := range clients {
			readings[i] = append(readings[i], l.read(c))
		}
	}
	return readings
}

// beside reads the list in turn on the connection and on a new one.
func (l reader) beside(rounds int, c *probe.Client) [][]reading {
	return l.inTurn(rounds, c, c.Opened())
}

// elsewhere is what a second connection shows on which nothing but the list was
// asked for. Over stdio a second connection is another process, so it is opened once
// for the column, and only keys are kept of it: a case that finds a difference looks
// again on a connection that is still there. elsewhere is empty where the list could
// not be read.
func (l reader) elsewhere(c *probe.Client) []reading {
	known := c.Learn(l.Name+":elsewhere", func() string {
		var readings []reading
		if c.Try(func() { readings = l.aside(c) }) != nil {
			return ""
		}
		var keys [][]string
		for _, r := range readings {
			keys = append(keys, r.keys)
		}
		return probe.JSON(keys)
	})
	if known == "" {
		return nil
	}
	var keys [][]string
	c.Must(json.Unmarshal([]byte(known), &keys))
	all := make([]reading, len(keys))
	for i := range keys {
		all[i] = reading{of: l.List, keys: keys[i]}
	}
	return all
}

// aside reads the list twice on a connection that ends with that.
func (l reader) aside(c *probe.Client) []reading {
	other := c.Opened()
	readings := l.inTurn(2, other)
	other.Close()
	return readings[0]
}

// asElsewhere reports whether the connection is shown the items that other
// connections are shown.
func (l reader) asElsewhere(c *probe.Client) bool {
	there, here := l.elsewhere(c), l.read(c)
	for _, r := range there {
		if !r.sameSet(here) {
			return false
		}
	}
	return len(there) > 0
}

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
