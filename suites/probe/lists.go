package probe

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// ListsAtOnce reads several lists. It asks for the first page of all of them at once, so
// that lists without an answer take no longer than one of them. A server may ignore a
// request while another one is open: where some lists were answered, it soon asks for the
// others once more, one after the other.
func ListsAtOnce(c *Client, lists ...protocol.List) []Items {
	began, full := time.Now(), c.patience()
	a := asked{c: c, from: c.Mark(), over: map[int]bool{}}
	for _, l := range lists {
		a.pending = append(a.pending, c.Start(l.Method, nil))
	}
	soon := full
	_ = c.Try(func() { // each list tells what went wrong
		if len(lists) > 0 && a.await(full, 1) {
			soon = min(full, max(10*time.Since(began), time.Second))
			a.await(soon, len(lists))
		}
	})
	all := make([]Items, len(lists))
	for i, l := range lists {
		all[i] = Items{Of: l}
		all[i].Trouble = c.Try(func() {
			first := (*Reply)(nil)
			if !a.over[i] && len(a.over) > 0 {
				first = c.Call(l.Method, nil, Within(soon))
			}
			if first == nil || first.Silent() {
				first = a.pending[i].replyUntil(began.Add(full))
			}
			all[i].follow(c, page(l, first))
		})
	}
	return all
}

// asked are requests that were sent at once.
type asked struct {
	c       *Client
	from    Mark
	pending []*Pending
	over    map[int]bool // those that were answered, or that nothing will answer
}

// await waits until so many requests are over.
func (a *asked) await(atMost time.Duration, n int) bool {
	_, there := a.c.Await(a.from, atMost, func(s Seen) bool {
		for i, p := range a.pending {
			if p.Answers(s) || s.Kind == frame.KindEnd && s.Exchange == p.reply.exchange {
				a.over[i] = true
			}
		}
		return len(a.over) >= n
	})
	return there
}

// replyUntil is Reply with a time after which nothing is awaited.
func (p *Pending) replyUntil(end time.Time) *Reply {
	p.until = end
	return p.Reply()
}
