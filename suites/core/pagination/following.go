package pagination

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// patience is how many times the usual number of pages a list may have while new items
// come with them.
const patience = 25

func cursorAccepted(c *probe.Client, l protocol.List) error {
	w := newWalk(c, l)
	for w.pages < c.Waits().Pages {
		before := w.last.Reply
		p := w.step()
		if !p.OK {
			return probe.Shown(before, p.Reply).Violation("a cursor just received got %s, want the next page", p.Reply.Outcome())
		}
		if w.over() || w.cameBack() {
			return nil
		}
	}
	return nil
}

// terminates follows the cursors twice, because some servers keep the position of a client, and do
// not end the list from the second time on. Only a short list is followed again.
func terminates(c *probe.Client, l protocol.List) error {
	pages, err := toTheEnd(c, l, false)
	if err == nil && pages <= c.Waits().Pages {
		_, err = toTheEnd(c, l, true)
	}
	return err
}

// toTheEnd fails a cursor that comes back, because then the walk never ends. A long
// list may have many new cursors, and pages without items may lie between others.
func toTheEnd(c *probe.Client, l protocol.List, again bool) (pages int, err error) {
	w := newWalk(c, l)
	most := c.Waits().Pages
	known := map[string]bool{}
	stale := 0
	for w.pages < patience*most && stale < most {
		p := w.step()
		switch {
		case !p.OK && again:
			return w.pages, nil
		case !p.OK:
			missingPage(c, l)
		case w.over():
			if p.More && !again {
				c.Note("the list ends with an empty cursor")
			}
			return w.pages, nil
		case w.cameBack():
			return w.pages, w.repeated()
		}
		stale++
		for _, id := range ids(p) {
			if !known[id] {
				known[id] = true
				stale = 0
			}
		}
	}
	if stale >= most {
		return w.pages, w.last.Reply.Violation("page %d still has a nextCursor, and the last %d pages had no new item, want the pages to end",
			w.pages, stale)
	}
	c.Undecide(fmt.Sprintf("the list still has new items after %d pages; raise limits.pages to see its end", w.pages))
	return w.pages, nil
}

// emptyCursor follows a cursor that is the empty string. An empty cursor does not end the
// list, so a further page has to come, and an end later on.
func emptyCursor(c *probe.Client, l protocol.List) error {
	w := newWalk(c, l)
	known := map[string]bool{}
	for w.pages < c.Waits().Pages {
		p := w.step()
		switch {
		case !p.OK:
			missingPage(c, l)
			return nil
		case !p.More:
			c.NotSeen("no cursor of this list is empty")
		}
		for _, id := range ids(p) {
			known[id] = true
		}
		if p.Next == "" {
			return beyond(w, known)
		}
		if w.cameBack() {
			return w.endless()
		}
	}
	c.NotSeen("no cursor of the first pages is empty")
	return nil
}

// beyond follows an empty cursor and the cursors after it.
func beyond(w *walk, known map[string]bool) error {
	before := w.last.Reply
	p := w.step()
	if !p.OK {
		return probe.Shown(before, p.Reply).Violation("the empty cursor got %s, want a further page", p.Reply.Outcome()).
			Under(further)
	}
	fresh := len(p.Items) == 0
	for _, id := range ids(p) {
		fresh = fresh || !known[id]
	}
	if !fresh {
		return probe.Shown(before, p.Reply).Violation("the empty cursor leads back to items of earlier pages, want a further page").
			Under(further)
	}
	for w.pages < w.client.Waits().Pages {
		switch {
		case !p.More:
			return nil
		case p.Next == "" || w.cameBack():
			return probe.Under(w.repeated(), further)
		}
		p = w.step()
		if !p.OK {
			missingPage(w.client, w.list)
			return nil
		}
	}
	return nil
}

// A walk follows the cursors of one list and remembers them. It ends at an empty cursor,
// which another case judges.
type walk struct {
	list   protocol.List
	client *probe.Client
	cursor *string // the cursor of the next page
	seen   map[string]bool
	pages  int
	last   probe.Page
}

func newWalk(c *probe.Client, l protocol.List) *walk {
	return &walk{list: l, client: c, seen: map[string]bool{}}
}

// step fetches the next page.
func (w *walk) step() probe.Page {
	p := probe.FetchPage(w.client, w.list, w.cursor)
	w.client.UndecideIf(w.pages == 0 && !p.OK, w.list.Method+" gives no first page")
	w.pages++
	w.last, w.cursor = p, &p.Next
	return p
}

// over reports whether no page follows.
func (w *walk) over() bool { return !w.last.More || w.last.Next == "" }

// cameBack reports whether the walk has come back to a cursor it followed before.
func (w *walk) cameBack() bool {
	before := w.seen[w.last.Next]
	w.seen[w.last.Next] = true
	return before
}

// repeated is the violation by a cursor that has come back, so that the pages do not end.
func (w *walk) repeated() error {
	return w.last.Reply.Violation("$.result.nextCursor of page %d is %s for the second time, want the pages to end",
		w.pages, probe.Show(w.last.Next))
}

// endless is repeated for a case of another rule. The case on the end of lists may have followed
// cursors that did end.
func (w *walk) endless() error {
	return probe.Unless(probe.Under(w.repeated(), terminal),
		probe.Elsewhere{Case: "pagination/terminates-" + w.list.Name, Why: "the pages do not end"})
}

// ids are the identities of the items of a page, in their order.
func ids(p probe.Page) []string {
	ids := make([]string, len(p.Items))
	for i, item := range p.Items {
		ids[i] = item.ID()
	}
	return ids
}

// missingPage ends a case where the rule on cursors just received reports the problem.
func missingPage(c *probe.Client, l protocol.List) {
	c.Undecide(fmt.Sprintf("a page is missing, which pagination/cursor-accepted-%s judges", l.Name))
}
