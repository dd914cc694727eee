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

// listens needs a server that tells of changes: only such a server has to accept a
// subscription.
func listens() suite.Need {
	return suite.Either(suite.Capability("tools.listChanged"), suite.Capability("prompts.listChanged"),
		suite.Capability("resources.listChanged"), suite.Capability("resources.subscribe"))
}

// listenCases judge how a subscription of revisions without a handshake begins.
func listenCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "resources/listen-recognised",
			Title:  "subscriptions/listen is acknowledged where notifications of changes are declared",
			Checks: []requirements.ID{"resources-listen-recognised"},
			Needs:  []suite.Need{listens()},
			Fix:    "serve subscriptions/listen, or leave listChanged and subscribe out of the capabilities",
			Run:    listenRecognised,
		},
		{
			ID:     "resources/listen-ack-first",
			Title:  "the first message of a subscription is its acknowledgement",
			Checks: []requirements.ID{"resources-listen-ack-first"},
			Needs:  []suite.Need{listens()},
			Fix:    "send notifications/subscriptions/acknowledged before anything else for the subscription",
			Run:    func(c *probe.Client) error { return ackFirst(c, false) },
		},
		{
			ID:       "resources/listen-nothing-before-ack",
			Title:    "a change made while a subscription opens is told after the acknowledgement",
			Checks:   []requirements.ID{"resources-listen-nothing-before-ack"},
			Needs:    []suite.Need{listens(), anyTrigger("tools", "prompts", "resources")},
			Observes: roles.Trigger,
			Lane:     suite.Alone, // no other case may see a list change
			Fix:      "send the acknowledgement before the subscription can get notifications",
			Run:      func(c *probe.Client) error { return ackFirst(c, true) },
		},
		{
			ID:     "resources/listen-ack-id",
			Title:  "the acknowledgement names a subscription by the id of its request, number or string",
			Checks: []requirements.ID{"resources-listen-ack-id"},
			Needs:  []suite.Need{listens()},
			Fix: "put the id of the request as it came, with its type, into _meta of the acknowledgement, as " +
				protocol.MetaSubscription,
			Run: ackID,
		},
		{
			ID:     "resources/listen-stays-open",
			Title:  "a subscription stays open after its acknowledgement",
			Checks: []requirements.ID{"resources-listen-stays-open"},
			Needs:  []suite.Need{listens()},
			Lane:   suite.Waits,
			Fix:    "answer subscriptions/listen only when the subscription ends, and keep its stream open until then",
			Run:    staysOpen,
		},
	}
}

// anyTrigger needs a role that changes one of several things.
func anyTrigger(fields ...string) suite.Need {
	needs := make([]suite.Need, len(fields))
	for i, field := range fields {
		needs[i] = suite.Role(roles.Trigger, field)
	}
	return suite.Either(needs...)
}

// wanted is a filter of all that the server declares.
func wanted(c *probe.Client) probe.Object {
	filter := probe.Object{}
	for _, l := range c.Declared() {
		if c.Survey().Declares(l.Capability + ".listChanged") {
			filter[l.Capability+"ListChanged"] = true
		}
	}
	if c.Survey().Declares("resources.subscribe") {
		filter["resourceSubscriptions"] = listedURIs(c)
	}
	return filter
}

// listedURIs is the first URI that is listed, in their order, or nothing.
func listedURIs(c *probe.Client) []string {
	for _, item := range probe.Surveyed(c, protocol.Resources()) {
		if item.Keyed {
			return []string{item.Key}
		}
	}
	return []string{}
}

// listenRecognised passes over errors that do not disown the request: a server may have
// enough subscriptions already, or be unable to serve one now.
func listenRecognised(c *probe.Client) error {
	l := subscriptions.Listen(c, wanted(c))
	first, came := l.First()
	if came && !l.Over(first) {
		return nil // resources/listen-ack-first judges what came
	}
	reply := l.Reply()
	code, coded := reply.Code()
	switch _, served := reply.Result(); {
	case served:
		c.NotSeen("the subscription is answered before it is acknowledged")
	case coded && !disowned(reply):
		c.Undecide("the server does not take the subscription: " + reply.AnswerTo(subscriptions.Method))
	case coded:
		return reply.Violation("$.error.code is %d, want %s, since the server declares notifications of changes",
			code, subscriptions.Acknowledgement)
	}
	return reply.Violation("%s, want %s", reply.AnswerTo(subscriptions.Method), subscriptions.Acknowledgement)
}

// ackFirst changes a list while the server opens the subscription, where it is told to.
func ackFirst(c *probe.Client, changing bool) error {
	l := subscriptions.Listen(c, wanted(c))
	if changing {
		trigger(c, "tools", "prompts", "resources")
	}
	first, came := l.First()
	c.NotSeenIf(!came || first.Kind != frame.KindMessage, "nothing came for the subscription")
	m := first.Message()
	switch {
	case m.Method == subscriptions.Acknowledgement:
		return nil
	case m.Class == frame.Error, changing && m.Class != frame.Notification:
		c.NotSeen("the subscription was not acknowledged")
	}
	what := "the answer to the request"
	if m.Class == frame.Notification {
		what = m.Method
	}
	return probe.Shown(l, probe.One(first.Frame)).Violation("%s is the first message of the subscription, want %s",
		what, subscriptions.Acknowledgement)
}

// trigger makes the first change that the role has of these, and says which.
func trigger(c *probe.Client, fields ...string) string {
	for _, field := range fields {
		action := c.Role(roles.Trigger).Fields().At(field)
		if _, ok := action.Action(); ok {
			c.Act(action)
			return field
		}
	}
	return ""
}

// ackID asks under ids of both types, also under those that are false where a program tests
// them for truth. The ids are of the client's own choice, so that nothing else can have them:
// other cases use 0 and an empty string too, and judge who does not take them.
func ackID(c *probe.Client) error {
	for _, id := range []string{`"kit-` + c.Nonce() + `"`, "1048573"} {
		l := subscriptions.Listen(c, wanted(c), probe.WithID(id))
		c.Must(tagged(l, l.MustOpen(), id))
		l.End()
	}
	other := c.Opened()
	for _, id := range []string{"0", `""`} {
		l := subscriptions.Listen(other, wanted(c), probe.WithID(id))
		if acknowledged, ok := l.Opened(); ok {
			c.Must(tagged(l, acknowledged, id))
		}
		l.End()
	}
	return nil
}

func tagged(l *subscriptions.Listening, acknowledged probe.Seen, id string) error {
	m := acknowledged.Message()
	tag, ok := m.At("/params" + subscriptions.TagAt)
	if !ok {
		tag = probe.Absent{}
	}
	if !ok || !frame.SameID(probe.JSON(tag), id) {
		return probe.Shown(l, probe.One(acknowledged.Frame)).Violation(`$.params._meta["%s"] is %s, want %s, the id of the request`,
			protocol.MetaSubscription, probe.Show(tag), id).
			Unless(probe.Elsewhere{Case: "meta/subscription-acknowledged", Why: "an acknowledgement does not name its request"})
	}
	return nil
}

// staysOpen passes over a subscription to nothing, which may end at once.
func staysOpen(c *probe.Client) error {
	l := subscriptions.Listen(c, wanted(c))
	acknowledged := l.MustOpen()
	m := acknowledged.Message()
	filter, _ := m.At("/params/notifications")
	c.NotSeenIf(len(honoured(filter)) == 0, "the server acknowledged a subscription to nothing")
	end, over := l.Await(c.Waits().Event, l.Over)
	if !over {
		return nil
	}
	what := "its stream ended"
	if l.Answers(end) {
		what = "its request was answered"
	}
	return probe.Shown(l, probe.Shown(probe.One(acknowledged.Frame), probe.One(end.Frame))).Violation(
		"the subscription was acknowledged, and %s within %s, want it open until the client or the server ends it", what, c.Waits().Event)
}

// honoured are the fields of an acknowledged filter that stand for notifications.
func honoured(filter any) []string {
	var fields []string
	for name, value := range probe.ObjectOf(filter) {
		if uris, listed := value.([]any); value == true || listed && len(uris) > 0 {
			fields = append(fields, name)
		}
	}
	return fields
}
