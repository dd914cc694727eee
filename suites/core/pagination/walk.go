package pagination

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

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
	if w.pages == 0 && !p.OK {
		w.client.Undecide(w.list.Method + " gives no first page")
	}
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

// ids are the identities of the items of a page, in their order.
func ids(p probe.Page) []string {
	ids := make([]string, len(p.Items))
	for i, item := range p.Items {
		ids[i] = item.ID()
	}
	return ids
}

// endless ends a case where the rule on the end of lists reports the problem.
func endless(c *probe.Client, l protocol.List) {
	c.Undecide(fmt.Sprintf("the pages do not end, which pagination/terminates-%s judges", l.Name))
}

// missingPage ends a case where the rule on cursors just received reports the problem.
func missingPage(c *probe.Client, l protocol.List) {
	c.Undecide(fmt.Sprintf("a page is missing, which pagination/cursor-accepted-%s judges", l.Name))
}
