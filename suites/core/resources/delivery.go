package resources

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// deliveryCases judge what an open subscription brings.
func deliveryCases() []suite.Case {
	subscribes := suite.Capability("resources.subscribe")
	changes := suite.Role(roles.Trigger, "resource")
	return []suite.Case{
		{
			ID:       "resources/listen-only-requested",
			Title:    "a subscription to the list of tools brings no other notifications",
			Checks:   []requirements.ID{"resources-listen-only-requested"},
			Needs:    []suite.Need{suite.Capability("tools.listChanged"), anyTrigger("prompts", "resources", "resource")},
			Observes: roles.Trigger,
			Lane:     suite.Alone,
			Fix:      "look at the filter of each subscription before a notification is sent on it",
			Run:      onlyRequested,
		},
		{
			ID:       "resources/listen-only-requested-uris",
			Title:    "a subscription to one resource brings no change of another",
			Checks:   []requirements.ID{"resources-listen-only-requested-uris"},
			Needs:    []suite.Need{subscribes, changes},
			Observes: roles.Trigger,
			Fix:      "look for the URI in the filter of each subscription before its change is told",
			Run:      onlyRequestedURIs,
		},
		{
			ID:       "resources/listen-updates-delivered",
			Title:    "a subscription to a resource brings each change",
			Checks:   []requirements.ID{"resources-listen-updates-delivered"},
			Needs:    []suite.Need{subscribes, changes},
			Observes: roles.Trigger,
			Fix:      "send notifications/resources/updated on each subscription whose filter has the URI",
			Run:      updatesDelivered,
		},
		{
			ID:     "resources/listen-concurrent",
			Title:  "two subscriptions are open at once, and each brings only its own notifications",
			Checks: []requirements.ID{"resources-listen-concurrent"},
			Needs: []suite.Need{
				listens(), anyTrigger("tools", "prompts", "resources"), anyTrigger("prompts", "resources", "resource"),
			},
			Observes: roles.Trigger,
			Lane:     suite.Alone,
			Fix: "keep a filter for each subscriptions/listen in flight, so that a second one does not replace the first, " +
				"and send on it under its own id",
			Run: concurrent,
		},
		{
			ID:     "resources/listen-no-request-notifications",
			Title:  "a subscription brings no progress and no log messages of other requests",
			Checks: []requirements.ID{"resources-listen-no-request-notifications"},
			Needs:  []suite.Need{listens(), suite.Either(suite.Role(roles.ProgressTool), suite.Role(roles.LoggingTool))},
			Fix:    "send progress and log messages on the stream of the request that asked for them, without a subscription id",
			Run:    noRequestNotifications,
		},
	}
}

// kinds maps what the trigger changes to the field of the filter and the notification.
func kinds() map[string][2]string {
	return map[string][2]string{
		"tools": {"toolsListChanged", protocol.ToolsChanged}, "prompts": {"promptsListChanged", protocol.PromptsChanged},
		"resources": {"resourcesListChanged", protocol.ResourcesChanged}, "resource": {"resourceSubscriptions", protocol.ResourceUpdated},
	}
}

// able are the changes that the role can make and that the server declares to tell.
func able(c *probe.Client, fields ...string) []string {
	return slices.DeleteFunc(fields, func(field string) bool {
		_, ok := c.Role(roles.Trigger).Fields().At(field).Action()
		return !ok || !c.Survey().Declares(capabilityOf()[kinds()[field][0]])
	})
}

// filterFor is the filter for one change.
func filterFor(c *probe.Client, field string) probe.Object {
	if field == "resource" {
		return probe.Object{"resourceSubscriptions": []string{c.Role(roles.Trigger).Fields().At(field).Text("uri")}}
	}
	return probe.Object{kinds()[field][0]: true}
}

// onlyRequested changes the tools at last, where it can: what comes on the stream before
// that notification was sent before.
func onlyRequested(c *probe.Client) error {
	l := subscriptions.Listen(c, probe.Object{"toolsListChanged": true})
	l.MustOpen()
	from := c.Mark()
	for _, field := range able(c, "prompts", "resources", "resource") {
		c.Act(c.Role(roles.Trigger).Fields().At(field))
	}
	if len(able(c, "tools")) > 0 {
		c.Act(c.Role(roles.Trigger).Fields().At("tools"))
		c.Await(from, c.Waits().Event, func(s probe.Seen) bool { return l.Tells(s) && subscriptions.Says(s, protocol.ToolsChanged) })
	}
	subscriptions.Settle(c)
	if v := onlyTold(l, from, protocol.ToolsChanged); v != nil {
		return v
	}
	return nil
}

// onlyTold expects no changes on a subscription but those of one kind. What else comes on
// it is judged by other cases.
func onlyTold(l *subscriptions.Listening, from probe.Mark, method string) *probe.Violation {
	for _, s := range l.Told(from) {
		got := s.Message().Method
		n, known := protocol.NotificationOf(got)
		if known && n.Listens && got != method && got != subscriptions.Acknowledgement {
			return probe.Shown(l, probe.One(s.Frame)).Violation("%s comes on a subscription that did not ask for it, want %s only", got, method)
		}
	}
	return nil
}

// onlyRequestedURIs subscribes to any other listed resource.
func onlyRequestedURIs(c *probe.Client) error {
	changed := c.Role(roles.Trigger).Fields().At("resource")
	other := ""
	for _, item := range probe.List(c, protocol.Resources()).ByKey() {
		uri, _ := uriOf(item)
		if uri != "" && !under(changed.Text("uri"), uri) {
			other = uri
			break
		}
	}
	c.NotSeenIf(other == "", "the server lists no resource beside the one that changes")
	l := subscriptions.Listen(c, probe.Object{"resourceSubscriptions": []string{other}})
	l.MustOpen()
	from := c.Mark()
	c.Act(changed)
	subscriptions.Settle(c)
	for _, s := range l.Told(from) {
		m := s.Message()
		if m.Method == protocol.ResourceUpdated && !below(m, other) {
			uri, _ := m.At("/params/uri")
			return probe.Shown(l, probe.One(s.Frame)).Violation("the change of %s is told to a subscription to %s, want none of it",
				probe.Show(uri), probe.Show(other))
		}
	}
	return nil
}

func updatesDelivered(c *probe.Client) error {
	uri := c.Role(roles.Trigger).Fields().At("resource").Text("uri")
	l := subscriptions.Listen(c, filterFor(c, "resource"))
	l.MustLast()
	from := c.Mark()
	c.Act(c.Role(roles.Trigger).Fields().At("resource"))
	_, told := c.Await(from, subscriptions.Due(c), func(s probe.Seen) bool {
		m, ok := subscriptions.Told(s, protocol.ResourceUpdated)
		return ok && l.Tells(s) && below(m, uri)
	})
	if told {
		return everyUpdate(c, l)
	}
	if how := l.Astray(from, protocol.ResourceUpdated); how != "" {
		return subscriptions.Since(c, from).Violation("%s changed and %s came %s, want it with the id of subscriptions/listen, which is %s",
			probe.Show(uri), protocol.ResourceUpdated, how, l.ID()).
			Unless(probe.Elsewhere{Case: "meta/subscription-id", Why: "the notification names another subscription, or none"})
	}
	if err := misnamed(c, uri, toldOf(c.Since(from), uri, l), subscriptions.Since(c, from)); err != nil {
		return err
	}
	return subscriptions.Since(c, from).Violation("%s changed and no %s came on the subscription within %s, want the change told",
		probe.Show(uri), protocol.ResourceUpdated, subscriptions.Due(c))
}

// concurrent makes both changes while both subscriptions are open.
func concurrent(c *probe.Client) error {
	fields := able(c, "tools", "prompts", "resources", "resource")
	c.NotSeenIf(len(fields) < 2, "the role has no two changes that the server declares to tell")
	var open [2]*subscriptions.Listening
	for i, field := range fields[:2] {
		open[i] = subscriptions.Listen(c, filterFor(c, field))
		if _, ok := open[i].Apart(); ok {
			continue
		}
		c.NotSeenIf(i == 0, "the subscription was not acknowledged")
		return probe.Shown(open[0], open[1]).Violation("the second subscription is not acknowledged while the first is open, want both open")
	}
	from := c.Mark()
	var told [2]bool
	for i, field := range fields[:2] {
		for try := 0; try < 2 && !told[i]; try++ { // a server may gather changes for some time
			told[i] = tells(c, open[i], field)
		}
	}
	subscriptions.Settle(c)
	for i, field := range fields[:2] {
		if v := onlyTold(open[i], from, kinds()[field][1]); v != nil {
			return v.Unless(probe.Elsewhere{Case: "resources/listen-only-requested", Why: "one subscription alone brings what it did not ask for"})
		}
	}
	if i := slices.Index(told[:], false); i >= 0 {
		return toldAlone(c, open[:], fields[i], subscriptions.Since(c, from))
	}
	return nil
}

// tells makes a change, and reports whether it is told on the subscription.
func tells(c *probe.Client, l *subscriptions.Listening, field string) bool {
	from := c.Mark()
	c.Act(c.Role(roles.Trigger).Fields().At(field))
	_, told := c.Await(from, subscriptions.Due(c), func(s probe.Seen) bool { return l.Tells(s) && subscriptions.Says(s, kinds()[field][1]) })
	return told
}

// toldAlone judges a change that is not told while two subscriptions are open: it may be
// one that is never told, which other cases judge.
func toldAlone(c *probe.Client, open []*subscriptions.Listening, field string, shown probe.Evidence) error {
	for _, l := range open {
		l.End()
	}
	alone := subscriptions.Listen(c, filterFor(c, field))
	if _, ok := alone.Apart(); !ok || !tells(c, alone, field) {
		return nil
	}
	return shown.Violation(
		"while two subscriptions are open no %s comes on the one that asked for it, and it comes where one is open, want it each time",
		kinds()[field][1])
}

// noRequestNotifications calls the tools with everything that makes them tell of their work.
func noRequestNotifications(c *probe.Client) error {
	l := subscriptions.Listen(c, wanted(c))
	l.MustOpen()
	from, told := c.Mark(), []string{"notifications/progress", "notifications/message"}
	for _, role := range []roles.Name{roles.ProgressTool, roles.LoggingTool} {
		if c.Role(role).Fields().Text("tool") != "" {
			c.CallTool(c.Role(role).Call(), probe.Object{"_meta": probe.Object{
				protocol.MetaProgress: "kit-" + c.Nonce(), protocol.MetaLogLevel: "debug",
			}})
		}
	}
	subscriptions.Settle(c)
	came := false
	for _, s := range c.Since(from) {
		m := s.Message()
		if s.Dir != frame.Received || !slices.Contains(told, m.Method) {
			continue
		}
		came = true
		if l.Tells(s) {
			return probe.Shown(l, probe.One(s.Frame)).Violation("%s of another request comes on the subscription, want it with its request only",
				m.Method)
		}
	}
	c.NotSeenIf(!came, "the tools told nothing of their work")
	return nil
}
