package pagination

import (
	"context"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// stableCursors looks again before it speaks: a list may change while it is
// read, and then its pages may as well.
func stableCursors(ctx context.Context, c *probe.Client, l list) error {
	const looks = 4
	var before comparison
	for range looks {
		found, err := l.compare(ctx, c)
		switch {
		case err != nil || found.problem == nil:
			return err
		case before.problem != nil && slices.Equal(before.names, found.names):
			return found.problem
		}
		before = found
	}
	return probe.Undecide("the list changes all the time")
}

// A comparison is what fetching each page twice has shown.
type comparison struct {
	names   []string // all that is on the list, sorted
	problem error    // a *probe.Violation; nil when there is none
}

func (l list) compare(ctx context.Context, c *probe.Client) (comparison, error) {
	var found comparison
	w := l.walk(c)
	places := map[string]*probe.Reply{} // by item: the page it stood on
	var overlap error
	for w.pages < c.Waits().Pages {
		cursor := w.cursor
		p, err := w.step(ctx)
		if err != nil {
			return found, err
		}
		if !p.ok {
			return found, unserved(l)
		}
		again, err := l.fetch(ctx, c, cursor)
		if err != nil {
			return found, err
		}
		if found.problem == nil {
			found.problem = l.differ(p, again)
		}
		if overlap == nil {
			overlap = overlapping(places, p)
		}
		found.names = append(found.names, l.names(p.items)...)
		if w.over() {
			break
		}
		if w.again() {
			return found, endless(l)
		}
	}
	slices.Sort(found.names)
	found.names = slices.Compact(found.names)
	// Pages that never end are bound to repeat themselves.
	if found.problem == nil && w.over() {
		found.problem = overlap
	}
	return found, nil
}

// differ compares two answers to the same cursor, by what is on them: order
// within a page and the details of items are no matter of cursors.
func (l list) differ(first, again page) error {
	if !again.ok {
		return probe.Broken(evidence(first.reply, again.reply),
			"the same cursor is met with %s the second time, want the same page", again.reply.Outcome())
	}
	a, b := l.names(first.items), l.names(again.items)
	slices.Sort(a)
	slices.Sort(b)
	if slices.Equal(a, b) {
		return nil
	}
	return probe.Broken(evidence(first.reply, again.reply),
		"the same cursor gives %s first and %s then, want the same page", probe.Show(a), probe.Show(b))
}

// overlapping finds an item that an earlier page held too. Only items equal in
// all their members are the same: two with one name are another matter.
func overlapping(places map[string]*probe.Reply, p page) error {
	for _, item := range p.items {
		text := probe.JSON(item)
		if earlier := places[text]; earlier != nil && earlier != p.reply {
			return probe.Broken(evidence(earlier, p.reply), "the item %s is on two pages, want each item on one", probe.Show(item))
		}
		places[text] = p.reply
	}
	return nil
}
