package lists

import (
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// toEach is the case on a change that concerns a client beside the newest one.
func toEach(l list, r Rules) suite.Case {
	c := changes(l, r, "list-changed-to-each", func(c *probe.Client) error { return announcesToEach(l, c) })
	c.Title = "a change of the list of " + l.items() + " is announced to a client that was not the last to connect"
	c.Revisions = protocol.Handshake()
	c.Needs = append(c.Needs, suite.Over(requirements.HTTP), suite.Trait(probe.Sessions))
	c.Fix = "keep the streams of all sessions, and send notifications/" + l.Capability + "/list_changed to each whose list changes"
	return c
}

// announcesToEach has another client, which connects later, change the list. Where a list is
// that of one client, the change is none to the first client. Without sessions the server cannot
// tell the streams of two clients from two streams of one, and sends a message on one of them.
func announcesToEach(l list, c *probe.Client) error {
	c.NotSeenIf(!subscriptions.Hear(c), "the server offers no stream for what it tells of its own accord")
	later := c.Opened()
	c.NotSeenIf(!subscriptions.Hear(later), "the server offers a stream to one client only")
	changed := "notifications/" + l.Capability + "/list_changed"
	says := func(s probe.Seen) bool { return subscriptions.Says(s, changed) }
	before, from, fromLater := l.read(c), c.Mark(), later.Mark()
	later.Act(later.Role(roles.Trigger).Fields().At(l.Capability))
	if _, told := c.Await(from, subscriptions.Due(c), says); told {
		return nil
	}
	shown := subscriptions.Since(c, from)
	c.NotSeenIf(l.read(c).sameSet(before), "a change by one client leaves the list of another one as it was")
	_, told := later.Await(fromLater, subscriptions.Due(c), says)
	c.NotSeenIf(!told, l.id("list-changed-sent")+" judges a change that nobody is told of")
	if _, late := c.Await(from, subscriptions.Due(c), says); late {
		return nil // the server gathers changes for longer
	}
	return shown.Violation("the list of %s changed and %s came to the client that had connected last alone, "+
		"want each whose list changes to get it", l.items(), changed)
}
