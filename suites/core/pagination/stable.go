package pagination

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// stableCursors compares again before it reports a problem, because a list may change
// while it is read.
func stableCursors(c *probe.Client, l protocol.List) error {
	const attempts = 4
	var before comparison
	for range attempts {
		found := compare(c, l)
		switch {
		case found.missing:
			return once(c, l)
		case found.problem == nil:
			return nil
		case before.problem != nil && slices.Equal(before.ids, found.ids):
			return found.problem
		}
		before = found
	}
	c.Undecide("the list changed while it was read, each time")
	return nil
}

// A comparison is the outcome of fetching each page that has a cursor twice.
type comparison struct {
	ids     []string // the ids of all items, sorted
	problem error    // a *probe.Violation, or nil
	missing bool     // a cursor just received was refused
}

func compare(c *probe.Client, l protocol.List) comparison {
	var found comparison
	w := newWalk(c, l)
	places := map[string]*probe.Reply{} // the page of each item
	var overlap error
	for w.pages < c.Waits().Pages {
		cursor := w.cursor
		p := w.step()
		if !p.OK {
			found.missing = true
			return found
		}
		if cursor != nil && found.problem == nil { // without a cursor a list may begin anew, in another order
			found.problem = differ(p, probe.FetchPage(c, l, cursor))
		}
		if overlap == nil {
			overlap = overlapping(places, p)
		}
		found.ids = append(found.ids, ids(p)...)
		if w.over() {
			break
		}
		if w.cameBack() {
			if found.problem == nil {
				found.problem = w.endless()
			}
			break
		}
	}
	slices.Sort(found.ids)
	found.ids = slices.Compact(found.ids)
	// Pages that never end are bound to repeat items.
	if found.problem == nil && w.over() {
		found.problem = overlap
	}
	return found
}

// once looks on a connection of its own, where no case has followed a cursor, whether the
// server takes each cursor once only. Otherwise another case judges the page that is missing,
// unless the server gives that page at first and no more later on.
func once(c *probe.Client, l protocol.List) error {
	own := c.Opened()
	begin := probe.FetchPage(own, l, nil)
	if !begin.OK || !begin.More {
		missingPage(c, l)
	}
	first := probe.FetchPage(own, l, &begin.Next)
	again := probe.FetchPage(own, l, &begin.Next)
	if first.OK && again.OK {
		return noMore(c, l)
	}
	if !first.OK || !probe.FetchPage(own, l, nil).OK { // it may limit requests
		missingPage(c, l)
	}
	return differ(first, again)
}

// noMore judges cursors that are refused on this connection by now, although they have just come. A
// server that limits requests refuses the first page as well.
func noMore(c *probe.Client, l protocol.List) error {
	const times = 3
	var begin, next probe.Page
	for range times {
		if begin = probe.FetchPage(c, l, nil); begin.OK && begin.More {
			next = probe.FetchPage(c, l, &begin.Next)
		}
		if !begin.OK || !begin.More || next.OK {
			missingPage(c, l)
		}
	}
	if !probe.FetchPage(c, l, nil).OK {
		missingPage(c, l)
	}
	return probe.Shown(begin.Reply, next.Reply).Violation(
		"a cursor just received got %s, %d times, and the page on another connection, want the next page", next.Reply.Outcome(), times).
		Under(accepted).Unless(probe.Elsewhere{Case: "pagination/cursor-accepted-" + l.Name, Why: "a page is missing"})
}

// differ compares the items of two answers to the same cursor. It ignores the order
// within a page and the details of items.
func differ(first, again probe.Page) error {
	if !again.OK {
		return probe.Shown(first.Reply, again.Reply).Violation("the same cursor got %s the second time, want the same page",
			again.Reply.Outcome()).Under(stable)
	}
	a, b := ids(first), ids(again)
	slices.Sort(a)
	slices.Sort(b)
	if slices.Equal(a, b) {
		return nil
	}
	return probe.Shown(first.Reply, again.Reply).Violation("the same cursor gives %s first and %s the second time, want the same page",
		probe.Show(a), probe.Show(b)).Under(stable)
}

// overlapping finds an item that an earlier page held too. Two items are the same only if
// all their properties are equal; two items with one name break another rule.
func overlapping(places map[string]*probe.Reply, p probe.Page) error {
	for _, item := range p.Items {
		if !item.Keyed {
			continue // which the page of the list judges
		}
		text := probe.JSON(item.Value)
		if earlier := places[text]; earlier != nil && earlier != p.Reply {
			return probe.Shown(earlier, p.Reply).Violation("the item %s is on two pages, want each item on one", probe.Show(item.Value)).
				Under(stable)
		}
		places[text] = p.Reply
	}
	return nil
}
