package resources

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// closingCases judge how a subscription ends.
func closingCases() []suite.Case {
	lists := []suite.Need{
		suite.Either(suite.Capability("tools.listChanged"), suite.Capability("prompts.listChanged"), suite.Capability("resources.listChanged")),
		anyTrigger("tools", "prompts", "resources"),
	}
	// Whoever ends a server over HTTP ends it for all cases that follow.
	ends := []suite.Need{listens(), suite.Over(requirements.Stdio), suite.Role(roles.Trigger, "shutdown")}
	return []suite.Case{
		{
			ID:       "resources/listen-cancel-stops",
			Title:    "nothing more comes for a subscription that the client ended",
			Checks:   []requirements.ID{"resources-listen-cancel-stops"},
			Needs:    lists,
			Observes: roles.Trigger,
			Lane:     suite.Alone,
			Fix:      "forget the subscription when notifications/cancelled names its request, or its stream is closed",
			Run:      cancelStops,
		},
		{
			ID:       "resources/listen-ends-with-connection",
			Title:    "a new connection has none of the subscriptions of an earlier one",
			Checks:   []requirements.ID{"resources-listen-no-state-after-reconnect"},
			Needs:    lists,
			Observes: roles.Trigger,
			Lane:     suite.Alone,
			Fix:      "keep subscriptions with their connection, and send notifications only to clients that listen on theirs",
			Run:      endsWithConnection,
		},
		{
			ID:       "resources/listen-graceful-result",
			Title:    "a server that ends a subscription answers its request",
			Checks:   []requirements.ID{"resources-listen-graceful-result"},
			Needs:    ends,
			Observes: roles.Trigger,
			Lane:     suite.Fresh,
			Fix:      "answer each subscriptions/listen in flight before the server shuts down",
			Run:      gracefulResult,
		},
		{
			ID:       "resources/listen-graceful-result-meta",
			Title:    "the answer that ends a subscription is complete and names it in _meta",
			Checks:   []requirements.ID{"resources-listen-graceful-result-meta"},
			Needs:    ends,
			Observes: roles.Trigger,
			Lane:     suite.Fresh,
			Fix: "end a subscription with resultType complete, and the id of its request in _meta, as " +
				protocol.MetaSubscription,
			Owns: []suite.Part{{Of: subscriptions.Method, Class: frame.Result, At: subscriptions.TagAt}},
			Run:  gracefulResultMeta,
		},
	}
}

// changes are the notifications of changes after a mark that name a subscription.
func changes(c *probe.Client, from probe.Mark, id string) []probe.Seen {
	var told []probe.Seen
	for _, s := range c.Since(from) {
		m := s.Message()
		n, known := protocol.NotificationOf(m.Method)
		if s.Dir != frame.Received || m.Class != frame.Notification || !known || !n.Listens {
			continue
		}
		if tag, ok := m.At("/params" + subscriptions.TagAt); ok && frame.SameID(probe.JSON(tag), id) {
			told = append(told, s)
		}
	}
	return told
}

// listOf is the first list that the role changes and that the server declares to tell of.
func listOf(c *probe.Client) string {
	fields := able(c, "prompts", "resources", "tools")
	c.NotSeenIf(len(fields) == 0, "the role changes no list that the server declares to tell of")
	return fields[0]
}

func cancelStops(c *probe.Client) error {
	field := listOf(c)
	l := subscriptions.Listen(c, filterFor(c, field))
	l.MustOpen()
	l.End()
	subscriptions.Settle(c) // a server may take a moment to forget a subscription
	from := c.Mark()
	c.Act(c.Role(roles.Trigger).Fields().At(field))
	subscriptions.Settle(c)
	if told := changes(c, from, l.ID()); len(told) > 0 {
		return probe.Shown(l, told[0]).Violation("%s comes for a subscription that the client ended before, want nothing", told[0].Message().
			Method)
	}
	if c.Transport() == requirements.Stdio && answeredLate(c, field) != nil {
		return answeredLate(c, field) // twice, since a server may end a subscription on its own just then
	}
	return nil
}

// answeredLate judges whether the end of a subscription is answered. The page of the transport
// forbids it, and that of cancellations only advises against it, so it warns.
func answeredLate(c *probe.Client, field string) error {
	l := subscriptions.Listen(c, filterFor(c, field))
	l.MustOpen()
	c.Barrier()
	_, over := l.Await(0, l.Over)
	c.UndecideIf(over, "the server ended the subscription before the client did")
	l.End()
	subscriptions.Settle(c)
	if answer, came := l.Await(0, l.Answers); came {
		return probe.Shown(l, answer).Violation("the request of a subscription is answered after the client cancelled it, want nothing more").
			AtMostWarn()
	}
	return nil
}

// endsWithConnection makes the change on the second connection, on which nobody listens. What
// comes on the stream of the call that makes the change may be about that call.
func endsWithConnection(c *probe.Client) error {
	field := listOf(c)
	first := c.Opened()
	l := subscriptions.Listen(first, filterFor(c, field))
	l.MustOpen()
	first.Close()
	second := c.Opened()
	from := second.Mark()
	second.Act(c.Role(roles.Trigger).Fields().At(field))
	subscriptions.Settle(second)
	own := map[int]bool{}
	for _, s := range second.Since(from) {
		if s.Dir == frame.Sent && s.Exchange > 0 && s.Message().Method == "tools/call" {
			own[s.Exchange] = true
		}
		if subscriptions.Says(s, kinds()[field][1]) && !own[s.Exchange] {
			return probe.Shown(l, s).Violation("%s comes on a connection that did not subscribe, after one that did has ended, want none",
				kinds()[field][1])
		}
	}
	return nil
}

// shutDown makes the server end, and waits for the end of the subscription.
func shutDown(c *probe.Client) (*subscriptions.Listening, probe.Seen) {
	l := subscriptions.Listen(c, wanted(c))
	l.MustOpen()
	if err := c.Try(func() { c.Act(c.Role(roles.Trigger).Fields().At("shutdown")) }); err != nil {
		c.Note("the action of roles.trigger.shutdown was not answered: " + err.Error())
	}
	end, over := l.Await(c.Waits().Event, l.Over)
	c.UndecideIf(!over, "roles.trigger.shutdown does not end the subscription")
	return l, end
}

func gracefulResult(c *probe.Client) error {
	l, end := shutDown(c)
	if l.Answers(end) {
		return nil
	}
	return probe.Shown(l, end).Violation("the server ended and the request of the subscription was not answered, want a result before the end")
}

func gracefulResultMeta(c *probe.Client) error {
	l, end := shutDown(c)
	m := end.Message()
	c.NotSeenIf(!l.Answers(end) || m.Class != frame.Result, "the subscription does not end with a result")
	meta, there := m.At("/result/_meta")
	c.NotSeenIf(there && probe.ObjectOf(meta) == nil, "the _meta of the result is of another type, which meta/object judges")
	kind, _ := m.At("/result/resultType")
	_, typed := kind.(string)
	tag, ok := m.At("/result" + subscriptions.TagAt)
	if !ok {
		tag = probe.Absent{}
	}
	switch {
	case typed && kind != protocol.Complete: // jsonrpc/result-type-present judges a type that is missing or no string
		return probe.Shown(l, end).Violation("$.result.resultType is %s, want complete", probe.Show(kind))
	case !ok || !frame.SameID(probe.JSON(tag), l.ID()):
		return probe.Shown(l, end).Violation(`$.result._meta["%s"] is %s, want %s, the id of the request`,
			protocol.MetaSubscription, probe.Show(tag), l.ID())
	}
	return nil
}
