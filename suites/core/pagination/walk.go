package pagination

import (
	"context"
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A page is one answer to a request for a list.
type page struct {
	reply *probe.Reply
	ok    bool // it is a page at all
	items []any
	next  string
	more  bool // next is a cursor
}

// fetch asks for a page; without a cursor it is the first one.
func (l list) fetch(ctx context.Context, c *probe.Client, cursor *string) (page, error) {
	params := probe.Object(nil)
	if cursor != nil {
		params = probe.Object{"cursor": *cursor}
	}
	reply, err := c.Call(ctx, l.method, params)
	if err != nil {
		return page{}, err
	}
	p := page{reply: reply}
	result, ok := reply.Result()
	p.ok = ok
	p.items, _ = result[l.member].([]any)
	p.next, p.more = result["nextCursor"].(string)
	return p, nil
}

// A walk follows the cursors of one list and remembers where it was. An empty
// cursor is the end of it: whether it may be that is judged by a case of its
// own.
type walk struct {
	list   list
	client *probe.Client
	cursor *string // of the page that comes next
	seen   map[string]bool
	pages  int
	last   page
}

func (l list) walk(c *probe.Client) *walk {
	return &walk{list: l, client: c, seen: map[string]bool{}}
}

// step fetches the next page.
func (w *walk) step(ctx context.Context) (page, error) {
	p, err := w.list.fetch(ctx, w.client, w.cursor)
	if err != nil {
		return p, err
	}
	if w.pages == 0 && !p.ok {
		return p, probe.Undecide(w.list.method + " gives no first page")
	}
	w.pages++
	w.last, w.cursor = p, &p.next
	return p, nil
}

// over reports whether no page follows.
func (w *walk) over() bool { return !w.last.more || w.last.next == "" }

// again reports whether the walk has come back to a cursor it followed before.
func (w *walk) again() bool {
	before := w.seen[w.last.next]
	w.seen[w.last.next] = true
	return before
}

// names tells the items of a page apart, in the order they have.
func (l list) names(items []any) []string {
	names := make([]string, len(items))
	for i, item := range items {
		o, _ := item.(map[string]any)
		name, ok := o[l.key].(string)
		if !ok {
			name = probe.JSON(item)
		}
		names[i] = name
	}
	return names
}

// evidence is the frames of several exchanges in order.
func evidence(replies ...*probe.Reply) []frame.Frame {
	var frames []frame.Frame
	for _, r := range replies {
		frames = append(frames, r.Evidence()...)
	}
	return frames
}

// endless says that the rule on the end of lists speaks, and not this one.
func endless(l list) error {
	return probe.Undecide(fmt.Sprintf("the pages do not end, which pagination/terminates-%s judges", l.name))
}

// unserved says that the rule on cursors just received speaks.
func unserved(l list) error {
	return probe.Undecide(fmt.Sprintf("a page is not given, which pagination/cursor-accepted-%s judges", l.name))
}
