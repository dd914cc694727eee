package tools

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A listing is one reading of the list: the names in their order, and the
// pages they stood on.
type listing struct {
	names []string
	pages []*probe.Reply
}

func read(c *probe.Client) listing {
	tools := probe.ListAnew(c, protocol.Tools())
	tools.MustBeRead()
	l := listing{pages: tools.Pages}
	for _, t := range tools.All {
		if t.Keyed {
			l.names = append(l.names, t.Key)
		}
	}
	return l
}

// set is the names whatever their order.
func (l listing) set() []string { return slices.Sorted(slices.Values(l.names)) }

func (l listing) sameSet(other listing) bool { return slices.Equal(l.set(), other.set()) }

// against is the pages of both listings on which they begin to differ.
func (l listing) against(other listing) probe.Evidence {
	if len(l.pages) == 0 || len(other.pages) == 0 {
		return nil // one that was remembered; those that are shown are read anew
	}
	for i := range min(len(l.pages), len(other.pages)) {
		one, _ := l.pages[i].At("/result/tools")
		two, _ := other.pages[i].At("/result/tools")
		if !probe.Same(one, two) {
			return probe.Shown(l.pages[i], other.pages[i])
		}
	}
	return probe.Shown(l.pages[0], other.pages[0])
}

// apart says in which names two listings differ.
func apart(one, two listing) string {
	missing := func(from, in []string) []string {
		return slices.DeleteFunc(slices.Clone(from), func(n string) bool { return slices.Contains(in, n) })
	}
	first, second := missing(one.set(), two.set()), missing(two.set(), one.set())
	switch {
	case len(first) > 0 && len(second) > 0:
		return fmt.Sprintf("only the first connection is shown %s, and only the second %s", probe.Show(first), probe.Show(second))
	case len(first) > 0:
		return fmt.Sprintf("only the first connection is shown %s", probe.Show(first))
	case len(second) > 0:
		return fmt.Sprintf("only the second connection is shown %s", probe.Show(second))
	}
	return "the connections are shown the same names, but not as often"
}

// inTurn reads the list on connections in turn, so that a change over time does
// not look like a difference between them.
func inTurn(rounds int, clients ...*probe.Client) [][]listing {
	readings := make([][]listing, len(clients))
	for range rounds {
		for i, c := range clients {
			l := read(c)
			readings[i] = append(readings[i], l)
		}
	}
	return readings
}

// beside reads the list in turn on the connection and on a new one.
func beside(rounds int, c *probe.Client) [][]listing {
	other := c.Opened()
	return inTurn(rounds, c, other)
}

// elsewhere is what a second connection shows on which nothing but the list was
// asked for. Over stdio that is another process, so it is opened once for the
// column, and only names are kept of it: whoever finds a difference looks again
// on a connection that is still there. It is empty where it could not be read.
func elsewhere(c *probe.Client) []listing {
	known := c.Learn("tools:elsewhere", func() string {
		var readings []listing
		if c.Try(func() { readings = aside(c) }) != nil {
			return ""
		}
		var names [][]string
		for _, l := range readings {
			names = append(names, l.names)
		}
		return probe.JSON(names)
	})
	if known == "" {
		return nil
	}
	var names [][]string
	if err := json.Unmarshal([]byte(known), &names); err != nil {
		c.Stop(err)
	}
	all := make([]listing, len(names))
	for i := range names {
		all[i].names = names[i]
	}
	return all
}

// aside reads the list twice on a connection that ends with that.
func aside(c *probe.Client) []listing {
	other := c.Opened()
	readings := inTurn(2, other)
	other.Close()
	return readings[0]
}

// asElsewhere reports whether the connection is shown the tools that others are
// shown.
func asElsewhere(c *probe.Client) bool {
	there, here := elsewhere(c), read(c)
	for _, l := range there {
		if !l.sameSet(here) {
			return false
		}
	}
	return len(there) > 0
}
