package pagination

import (
	"context"
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// patience is how many times the usual number of pages a list may have as long
// as new items come with them.
const patience = 25

func cursorAccepted(ctx context.Context, c *probe.Client, l list) error {
	w := l.walk(c)
	for w.pages < c.Waits().Pages {
		before := w.last.reply
		p, err := w.step(ctx)
		if err != nil {
			return err
		}
		if !p.ok {
			return probe.Broken(evidence(before, p.reply), "a cursor just received is met with %s, want the next page", p.reply.Outcome())
		}
		if w.over() || w.again() {
			return nil
		}
	}
	return nil
}

// A cursor that comes back shows that the walk never ends. New cursors may go
// on for long in a long list, and pages without items may lie between others.
func terminates(ctx context.Context, c *probe.Client, l list) error {
	w := l.walk(c)
	most := c.Waits().Pages
	known := map[string]bool{}
	stale := 0
	for w.pages < patience*most && stale < most {
		p, err := w.step(ctx)
		if err != nil {
			return err
		}
		switch {
		case !p.ok:
			return unserved(l)
		case w.over():
			if p.more {
				c.Note("the list ends with an empty cursor")
			}
			return nil
		case w.again():
			return p.reply.Violation("$.result.nextCursor of page %d is %s for the second time, want the pages to end", w.pages, probe.Show(p.next))
		}
		stale++
		for _, name := range l.names(p.items) {
			if !known[name] {
				known[name] = true
				stale = 0
			}
		}
	}
	if stale >= most {
		return w.last.reply.Violation("$.result.nextCursor is still given by page %d, and the last %d pages held no new item, want the pages to end", w.pages, stale)
	}
	return probe.Undecide(fmt.Sprintf("the list goes on with new items after %d pages; raise limits.pages to see its end", w.pages))
}

// emptyCursor follows a cursor that is the empty string. That it is one makes
// it no end, so a further page has to come, and an end later on.
func emptyCursor(ctx context.Context, c *probe.Client, l list) error {
	w := l.walk(c)
	known := map[string]bool{}
	for w.pages < c.Waits().Pages {
		p, err := w.step(ctx)
		switch {
		case err != nil:
			return err
		case !p.ok:
			return unserved(l)
		case !p.more:
			return probe.NotSeen("no cursor of this list is empty")
		}
		for _, name := range l.names(p.items) {
			known[name] = true
		}
		if p.next == "" {
			return l.beyond(ctx, c, w, known)
		}
		if w.again() {
			return endless(l)
		}
	}
	return probe.NotSeen("no cursor of the first pages is empty")
}

// beyond goes on behind an empty cursor.
func (l list) beyond(ctx context.Context, c *probe.Client, w *walk, known map[string]bool) error {
	before := w.last.reply
	p, err := w.step(ctx)
	if err != nil {
		return err
	}
	if !p.ok {
		return probe.Broken(evidence(before, p.reply), "the empty cursor is met with %s, want a further page", p.reply.Outcome())
	}
	fresh := len(p.items) == 0
	for _, name := range l.names(p.items) {
		fresh = fresh || !known[name]
	}
	if !fresh {
		return probe.Broken(evidence(before, p.reply), "the empty cursor leads back to items that came before, want a further page")
	}
	for w.pages < c.Waits().Pages {
		switch {
		case !p.more:
			return nil
		case p.next == "" || w.again():
			return p.reply.Violation("$.result.nextCursor of page %d is %s for the second time, want the pages to end", w.pages, probe.Show(p.next))
		}
		if p, err = w.step(ctx); err != nil {
			return err
		}
		if !p.ok {
			return unserved(l)
		}
	}
	return nil
}
