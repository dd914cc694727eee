package pagination

import (
	"context"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// unissued are cursors that no server has handed out: one of letters and digits,
// as encoded bytes might look, and one that no encoding yields.
func unissued(c *probe.Client) []string {
	const times = 16
	return []string{strings.Repeat(c.Nonce(), times), "~ never issued " + c.Nonce()}
}

// The first page is asked for before: without an answer to that, there is
// nothing to compare with.
func invalidHandled(ctx context.Context, c *probe.Client, l protocol.List) error {
	p, err := probe.FetchPage(ctx, c, l, nil)
	if err != nil {
		return err
	}
	if !p.Reply.Answered() && !p.Reply.Refused() {
		return probe.Undecide(l.Method + " is not answered without a cursor either")
	}
	for _, cursor := range unissued(c) {
		if p, err = probe.FetchPage(ctx, c, l, &cursor); err != nil {
			return err
		}
		if !p.Reply.Answered() && !p.Reply.Refused() {
			return p.Reply.Violation("an unknown cursor got %s, want an error or a page", p.Reply.Outcome())
		}
	}
	return nil
}

func invalidCode(ctx context.Context, c *probe.Client, l protocol.List) error {
	for _, cursor := range unissued(c) {
		if err := rejects(ctx, c, l, cursor); err != nil {
			return err
		}
	}
	return nil
}

func rejects(ctx context.Context, c *probe.Client, l protocol.List, cursor string) error {
	p, err := probe.FetchPage(ctx, c, l, &cursor)
	if err != nil {
		return err
	}
	code, _ := p.Reply.Code()
	switch {
	case code == protocol.MethodNotFound:
		return probe.NotSeen("the server does not know " + l.Method)
	case p.OK && !c.Survey().Traits[probe.Paginates(l)]:
		c.Note("the list has one page only, and a cursor for it is ignored")
		return nil
	case p.OK:
		if keyed, err := takesKeys(ctx, c, l, cursor, p); err != nil || keyed {
			return err
		}
	}
	return p.Reply.WantError(protocol.InvalidParams)
}

// takesKeys reports whether any text is a cursor, since it is a place in the order
// of the items: the page for it begins behind that place. One that starts over may
// do so by chance, and not once more behind its own first item.
func takesKeys(ctx context.Context, c *probe.Client, l protocol.List, cursor string, p probe.Page) (bool, error) {
	if p.Array && len(p.Items) == 0 && !p.More {
		c.Note("an unknown cursor gets an empty last page")
		return true, nil
	}
	if !behind(p, cursor) {
		return false, nil
	}
	within := p.Items[0].Key + "~" + c.Nonce()
	again, err := probe.FetchPage(ctx, c, l, &within)
	if err != nil || !again.OK || len(again.Items) > 0 && !behind(again, within) {
		return false, err
	}
	c.Note("an unknown cursor gets the items that sort behind it, as if it were the key of one")
	return true, nil
}

// behind reports whether all items of a page sort behind a text.
func behind(p probe.Page, text string) bool {
	for _, item := range p.Items {
		exact, folded := item.Key > text, strings.ToLower(item.Key) > strings.ToLower(text)
		if !item.Keyed || !exact && !folded {
			return false
		}
	}
	return len(p.Items) > 0
}

func alteredHandled(ctx context.Context, c *probe.Client, l protocol.List) error {
	p, err := probe.FetchPage(ctx, c, l, nil)
	if err != nil {
		return err
	}
	if !p.More {
		return probe.Undecide(l.Method + " no longer gives a cursor")
	}
	return survives(ctx, c, l, p.Next+"~")
}

func foreignHandled(ctx context.Context, c *probe.Client, l protocol.List) error {
	for _, other := range otherLists(l) {
		if !c.Survey().Traits[probe.Paginates(other)] {
			continue
		}
		p, err := probe.FetchPage(ctx, c, other, nil)
		if err != nil {
			return err
		}
		if p.More {
			return survives(ctx, c, l, p.Next)
		}
	}
	return probe.Undecide("no other list gives a cursor any more")
}

// survives sends a cursor and looks whether the server is still there: such a
// cursor may well be served, so its own answer is not judged.
func survives(ctx context.Context, c *probe.Client, l protocol.List, cursor string) error {
	p, err := probe.FetchPage(ctx, c, l, &cursor)
	if err != nil {
		return err
	}
	after, err := c.Barrier(ctx)
	if err != nil {
		return err
	}
	if after.Answered() || after.Refused() {
		return nil
	}
	if p.Reply.Died() {
		return p.Reply.Violation("the cursor got %s, want the server to keep running", p.Reply.Outcome())
	}
	return probe.Shown(p.Reply, after).Violation("the request after the cursor got %s, want an answer", after.Outcome())
}
