package tools

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
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
			Lane:   suite.Fresh,
			Run:    listOrder,
		},
		{
			ID:     "tools/list-per-connection",
			Title:  "all connections are shown the same tools",
			Checks: []requirements.ID{"tools-list-not-per-connection"},
			Needs:  declared(),
			Fix:    "list what the server has, whatever the connection: only credentials may make a difference",
			Lane:   suite.Fresh,
			Run:    listPerConnection,
		},
	}
}

// A listing is one reading of the list: the names in their order, and the
// pages they stood on.
type listing struct {
	names []string
	pages []*probe.Reply
}

func namesOf(ctx context.Context, c *probe.Client) (listing, error) {
	all, err := read(ctx, c)
	if err != nil {
		return listing{}, err
	}
	l := listing{pages: all.replies}
	if err := all.readable(); err != nil {
		return listing{}, err
	}
	for _, t := range all.tools {
		if name, ok := t.name(); ok {
			l.names = append(l.names, name)
		}
	}
	return l, nil
}

// set is the names whatever their order.
func (l listing) set() []string { return slices.Sorted(slices.Values(l.names)) }

func (l listing) sameSet(other listing) bool { return slices.Equal(l.set(), other.set()) }

// evidence is the pages of both listings on which they begin to differ.
func (l listing) evidence(other listing) []frame.Frame {
	for i := range min(len(l.pages), len(other.pages)) {
		one, _ := l.pages[i].At("/result/tools")
		two, _ := other.pages[i].At("/result/tools")
		if !probe.Same(one, two) {
			return append(l.pages[i].Evidence(), other.pages[i].Evidence()...)
		}
	}
	return append(l.pages[0].Evidence(), other.pages[0].Evidence()...)
}

// The order of two listings is compared only if nothing was added or taken
// away in between.
func listOrder(ctx context.Context, c *probe.Client) error {
	readings, err := alternately(ctx, c, 2)
	if err != nil {
		return err
	}
	all := slices.Concat(readings[0], readings[1])
	compared := false
	for i, one := range all {
		for _, two := range all[i+1:] {
			if !one.sameSet(two) {
				continue
			}
			compared = true
			if place := difference(one.names, two.names); place >= 0 {
				return probe.Broken(one.evidence(two), "tool %d of the same set is %s in one listing and %s in another, want the same order",
					place+1, probe.Show(one.names[place]), probe.Show(two.names[place]))
			}
		}
	}
	if !compared {
		return probe.Undecide("the set of tools changed from one listing to the next")
	}
	return nil
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

// alternately reads the list on two connections in turn, so that a change over
// time does not look like a difference between them.
func alternately(ctx context.Context, c *probe.Client, rounds int) (readings [2][]listing, err error) {
	other, err := c.Opened(ctx)
	if err != nil {
		return readings, err
	}
	for range rounds {
		for i, client := range []*probe.Client{c, other} {
			l, err := namesOf(ctx, client)
			if err != nil {
				return readings, err
			}
			readings[i] = append(readings[i], l)
		}
	}
	return readings, nil
}

func listPerConnection(ctx context.Context, c *probe.Client) error {
	readings, err := alternately(ctx, c, 3)
	if err != nil {
		return err
	}
	steady := true
	for _, each := range readings {
		for _, l := range each[1:] {
			steady = steady && l.sameSet(each[0])
		}
	}
	one, two := readings[0][0], readings[1][0]
	switch {
	case one.sameSet(two) && steady:
		return nil
	case !steady:
		return probe.Undecide("the set of tools changed while it was compared")
	}
	return probe.Broken(one.evidence(two), "%s, want the same tools on every connection", apart(one, two))
}

// apart says in which names two listings differ.
func apart(one, two listing) string {
	missing := func(from, in []string) []string {
		return slices.DeleteFunc(slices.Clone(from), func(n string) bool { return slices.Contains(in, n) })
	}
	first, second := missing(one.set(), two.set()), missing(two.set(), one.set())
	switch {
	case len(first) > 0 && len(second) > 0:
		return fmt.Sprintf("the first connection alone is shown %s, the second alone %s", probe.Show(first), probe.Show(second))
	case len(first) > 0:
		return fmt.Sprintf("the first connection alone is shown %s", probe.Show(first))
	case len(second) > 0:
		return fmt.Sprintf("the second connection alone is shown %s", probe.Show(second))
	}
	return "the connections are shown the same names, but not as often"
}
