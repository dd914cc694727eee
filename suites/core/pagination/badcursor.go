package pagination

import (
	"context"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// unissued are cursors that no server has handed out: one of letters and digits,
// as encoded bytes might look, and one that no encoding yields.
func unissued(c *probe.Client) []string {
	const times = 16
	return []string{strings.Repeat(c.Nonce(), times), "~ never issued " + c.Nonce()}
}

// A page is asked for first: without an answer to that, there is nothing to
// compare with.
func invalidHandled(ctx context.Context, c *probe.Client, l list) error {
	p, err := l.fetch(ctx, c, nil)
	if err != nil {
		return err
	}
	if !p.reply.Answered() && !p.reply.Refused() {
		return probe.Undecide(l.method + " is not answered without a cursor either")
	}
	for _, cursor := range unissued(c) {
		if p, err = l.fetch(ctx, c, &cursor); err != nil {
			return err
		}
		if !p.reply.Answered() && !p.reply.Refused() {
			return p.reply.Violation("a cursor nobody issued is met with %s, want an error or a page", p.reply.Outcome())
		}
	}
	return nil
}

func invalidCode(ctx context.Context, c *probe.Client, l list) error {
	for _, cursor := range unissued(c) {
		if err := l.refuses(ctx, c, cursor); err != nil {
			return err
		}
	}
	return nil
}

func (l list) refuses(ctx context.Context, c *probe.Client, cursor string) error {
	p, err := l.fetch(ctx, c, &cursor)
	if err != nil {
		return err
	}
	code, _ := p.reply.Code()
	switch {
	case code == probe.MethodNotFound:
		return probe.NotSeen("the server does not know " + l.method)
	case p.ok && !c.Survey().Traits[l.paged()]:
		c.Note("the list has no pages, and a cursor for it is passed over")
		return nil
	default:
		return p.reply.WantError(probe.InvalidParams)
	}
}

func alteredHandled(ctx context.Context, c *probe.Client, l list) error {
	p, err := l.fetch(ctx, c, nil)
	if err != nil {
		return err
	}
	if !p.more {
		return probe.Undecide(l.method + " gives no cursor any more")
	}
	altered := p.next + "~"
	return l.outlives(ctx, c, &altered)
}

func foreignHandled(ctx context.Context, c *probe.Client, l list) error {
	for _, other := range lists() {
		if other.method == l.method || !c.Survey().Traits[other.paged()] {
			continue
		}
		p, err := other.fetch(ctx, c, nil)
		if err != nil {
			return err
		}
		if p.more {
			return l.outlives(ctx, c, &p.next)
		}
	}
	return probe.Undecide("no other list gives a cursor any more")
}

// outlives sends a cursor and looks whether the server is still there: such a
// cursor may well be served, so its own answer is not judged.
func (l list) outlives(ctx context.Context, c *probe.Client, cursor *string) error {
	p, err := l.fetch(ctx, c, cursor)
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
	if p.reply.Died() {
		return p.reply.Violation("the cursor is met with %s, want the server to go on", p.reply.Outcome())
	}
	return probe.Broken(evidence(p.reply, after), "the request behind the cursor is met with %s, want an answer", after.Outcome())
}
