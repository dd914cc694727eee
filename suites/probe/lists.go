package probe

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// ListsAtOnce reads several lists. It asks for the first page of all of them at once, so
// that lists without an answer take no longer than one of them. A server may ignore a
// request while another one is open: where some lists were answered, it asks for the
// others once more, one after the other.
func ListsAtOnce(c *Client, lists ...protocol.List) []Items {
	until := time.Now().Add(c.patience())
	pending := make([]*Pending, len(lists))
	for i, l := range lists {
		pending[i] = c.Start(l.Method, nil)
	}
	all := make([]Items, len(lists))
	first := make([]Page, len(lists))
	var slowest time.Duration
	for i, l := range lists {
		all[i] = Items{Of: l}
		all[i].Trouble = c.Try(func() { first[i] = page(l, pending[i].replyUntil(until)) })
		if r := first[i].Reply; r != nil {
			slowest = max(slowest, took(r))
		}
	}
	for i, l := range lists {
		if all[i].Trouble == nil {
			all[i].Trouble = c.Try(func() {
				if first[i].Reply.Silent() && slowest > 0 {
					first[i] = page(l, c.Call(l.Method, nil, Within(min(max(10*slowest, time.Second), c.Waits().Answer))))
				}
				all[i].follow(c, first[i])
			})
		}
	}
	return all
}

// replyUntil is Reply with a time after which nothing is awaited.
func (p *Pending) replyUntil(end time.Time) *Reply {
	p.until = end
	return p.Reply()
}

// took is the time until the answer; 0 without one.
func took(r *Reply) time.Duration {
	if r.got == nil || r.sent == nil {
		return 0
	}
	return max(r.got.At-r.sent.At, 1)
}
