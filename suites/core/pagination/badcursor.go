package pagination

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// unissued are cursors that no server has issued: one of letters and digits, like encoded
// bytes, and one that no encoding yields.
func unissued(c *probe.Client) []string {
	const times = 16
	return []string{strings.Repeat(c.Nonce(), times), "~ never issued " + c.Nonce()}
}

// invalidHandled asks for the first page before: without an answer to that, the answer to
// a bad cursor shows nothing.
func invalidHandled(c *probe.Client, l protocol.List) error {
	p := probe.FetchPage(c, l, nil)
	c.UndecideIf(!p.Reply.Answered() && !p.Reply.Refused(), l.Method+" is not answered without a cursor either")
	for _, cursor := range unissued(c) {
		p = probe.FetchPage(c, l, &cursor)
		if !p.Reply.Answered() && !p.Reply.Refused() {
			return p.Reply.Violation("an unknown cursor got %s, want an error or a page", p.Reply.Outcome())
		}
	}
	return nil
}

func invalidCode(c *probe.Client, l protocol.List) error {
	for _, cursor := range unissued(c) {
		c.Must(rejects(c, l, cursor))
	}
	return startsOver(c, l)
}

// startsOver sends a cursor that is no text at all. Which error it gets is not judged: the
// schema refuses it before anybody looks for a page. A number may be read as the text of it.
func startsOver(c *probe.Client, l protocol.List) error {
	if !c.Survey().Traits[probe.Paginates(l)] {
		return nil
	}
	reply := c.Call(l.Method, probe.Object{"cursor": probe.Object{"page": c.Nonce()}})
	if items, _ := reply.At("/result/" + l.Items); len(probe.ArrayOf(items)) > 0 {
		return reply.Violation("a cursor that is an object got a page of the list, want error %d", protocol.InvalidParams)
	}
	return nil
}

func rejects(c *probe.Client, l protocol.List, cursor string) error {
	p := probe.FetchPage(c, l, &cursor)
	code, _ := p.Reply.Code()
	switch {
	case code == protocol.MethodNotFound:
		c.NotSeen("the server does not know " + l.Method)
	case p.OK && !c.Survey().Traits[probe.Paginates(l)]:
		c.Note("the list has one page only, and a cursor for it is ignored")
		return nil
	case p.OK:
		if keyed := takesKeys(c, l, cursor, p); keyed {
			return nil
		}
	case !p.Reply.Answered() && !p.Reply.Refused():
		return p.Reply.Violation("an unknown cursor got %s, want error %d", p.Reply.Outcome(), protocol.InvalidParams).
			Unless(probe.Elsewhere{Case: "pagination/invalid-cursor-handled-" + l.Name, Why: "an unknown cursor gets no answer"})
	}
	return p.Reply.WantError(protocol.InvalidParams)
}

// takesKeys reports whether the server takes any text for a cursor, because its cursors
// are keys of the items: the page for a text begins after it in their order. It is empty
// for a text behind all of them, but not for one before them too. A server that starts over
// may fit by chance the first time, but not again with a text just after its own first item.
func takesKeys(c *probe.Client, l protocol.List, cursor string, p probe.Page) bool {
	if isEmptyLast(p) {
		low := "!" + c.Nonce()
		if isEmptyLast(probe.FetchPage(c, l, &low)) {
			return false // nothing lies behind the first text of an order either
		}
		c.Note("an unknown cursor gets an empty last page")
		return true
	}
	if !behind(p, cursor) {
		return false
	}
	within := p.Items[0].Key + "~" + c.Nonce()
	again := probe.FetchPage(c, l, &within)
	if !again.OK || len(again.Items) > 0 && !behind(again, within) {
		return false
	}
	c.Note("an unknown cursor gets the items that sort behind it, as if it were the key of one")
	return true
}

func isEmptyLast(p probe.Page) bool { return p.Array && len(p.Items) == 0 && !p.More }

// behind reports whether all items of a page sort after a text.
func behind(p probe.Page, text string) bool {
	for _, item := range p.Items {
		exact, folded := item.Key > text, strings.ToLower(item.Key) > strings.ToLower(text)
		if !item.Keyed || !exact && !folded {
			return false
		}
	}
	return len(p.Items) > 0
}

func alteredHandled(c *probe.Client, l protocol.List) error {
	p := probe.FetchPage(c, l, nil)
	c.UndecideIf(!p.More, l.Method+" no longer gives a cursor")
	return survives(c, l, p.Next+"~")
}

func foreignHandled(c *probe.Client, l protocol.List) error {
	for _, other := range otherLists(l) {
		if !c.Survey().Traits[probe.Paginates(other)] {
			continue
		}
		p := probe.FetchPage(c, other, nil)
		if p.More {
			return survives(c, l, p.Next)
		}
	}
	c.Undecide("no other list gives a cursor any more")
	return nil
}

// survives sends a cursor and judges only whether the server still answers, because the
// server may lawfully serve such a cursor.
func survives(c *probe.Client, l protocol.List, cursor string) error {
	p := probe.FetchPage(c, l, &cursor)
	after := c.Barrier()
	if after.Answered() || after.Refused() {
		return nil
	}
	if p.Reply.Died() {
		return p.Reply.Violation("the cursor got %s, want the server to keep running", p.Reply.Outcome())
	}
	return probe.Shown(p.Reply, after).Violation("the request after the cursor got %s, want an answer", after.Outcome())
}
