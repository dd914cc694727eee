package resources

import (
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// subscribingCases judge the subscriptions of revisions with a handshake, but for the
// notification itself, which all revisions have.
func subscribingCases() []suite.Case {
	subscribes, changes := suite.Capability("resources.subscribe"), suite.Role(roles.Trigger, "resource")
	return append([]suite.Case{
		{
			ID:     "resources/subscribe-accepted",
			Title:  "subscribing to a listed resource, and unsubscribing, is answered with a result",
			Checks: []requirements.ID{"resources-subscribe-accepted"},
			Needs:  []suite.Need{subscribes},
			Fix:    "serve resources/subscribe and resources/unsubscribe for each listed URI, or leave subscribe out of the capabilities",
			Run:    subscribeAccepted,
		},
		{
			ID:       "resources/updated-only-subscribed",
			Title:    "a client without a subscription is not told of changes of a resource",
			Checks:   []requirements.ID{"resources-updated-only-subscribed"},
			Needs:    []suite.Need{changes},
			Observes: roles.Trigger,
			Fix:      "keep the subscribed URIs for each connection, and send notifications/resources/updated to those connections only",
			Run:      updatedOnlySubscribed,
		},
		{
			ID:       "resources/updated-after-change",
			Title:    "a client that subscribed to a resource is told of each change",
			Checks:   []requirements.ID{"resources-updated-after-change"},
			Needs:    []suite.Need{subscribes, changes},
			Observes: roles.Trigger,
			Fix:      "send notifications/resources/updated with the URI to each subscriber when the resource changes",
			Run:      updatedAfterChange,
		},
		{
			ID:       "resources/updated-other-resource",
			Title:    "a client is not told of changes of a resource beside the one that it subscribed to",
			Checks:   []requirements.ID{"resources-updated-only-subscribed"},
			Needs:    []suite.Need{subscribes, changes},
			Observes: roles.Trigger,
			Fix:      "look for the very URI that changed among those that the client subscribed to, not for any or for a part of it",
			Run:      updatedOtherResource,
		},
		{
			ID:       "resources/updated-nobody-else",
			Title:    "a session is not told of changes that only another one subscribed to",
			Checks:   []requirements.ID{"resources-updated-only-subscribed"},
			Needs:    []suite.Need{subscribes, changes, suite.Trait(probe.Sessions)},
			Observes: roles.Trigger,
			Fix:      "keep the subscribed URIs for each session, and send notifications/resources/updated to those sessions only",
			Run:      updatedNobodyElse,
		},
		{
			ID:       "resources/unsubscribe-effective",
			Title:    "a client that unsubscribed from a resource is not told of changes any more",
			Checks:   []requirements.ID{"resources-unsubscribe-effective"},
			Needs:    []suite.Need{subscribes, changes},
			Observes: roles.Trigger,
			Fix:      "forget the URI before resources/unsubscribe is answered",
			Run:      unsubscribeEffective,
		},
	}, shapes.Cases(shapes.In{Suite: "resources", Watch: onUpdate},
		shapes.Row{
			Slug: "updated-schema", Title: "a notification of a change names the URI of the resource", Rule: "resources-updated-schema",
			Fix: "put the URI of the changed resource into the params, as uri", Sees: protocol.ResourceUpdated,
			Owns: []suite.Part{{Of: protocol.ResourceUpdated, At: "/params/uri"},
				{Of: protocol.ResourceUpdated, At: "/params", Depth: suite.Itself}},
			Values: []shapes.Value{
				{At: "/params/uri", Want: probe.AString()},
				{At: "/params/uri", Mild: true, When: shapes.Text, Want: probe.That("a URI with a scheme", func(v any) bool {
					_, ok := schemeOf(probe.TextOf(v))
					return ok
				})},
			},
		})...)
}

func onUpdate(judge shapes.Judge) func() probe.Watcher {
	return probe.OnNotification(protocol.ResourceUpdated, func(n probe.Notice) probe.Opinion { return judge(n.Message, "") })
}

// subscribeAccepted tries listed resources until one can be subscribed to: the others may
// be of a kind that never changes.
func subscribeAccepted(c *probe.Client) error {
	listed := probe.List(c, protocol.Resources())
	listed.MustHaveSome()
	var first *probe.Reply
	for i, item := range listed.ByKey()[:min(len(listed.All), c.Waits().Reads)] {
		uri, ok := uriOf(item)
		if !ok {
			continue
		}
		reply := c.Call("resources/subscribe", probe.Object{"uri": uri})
		if reply.Served() {
			if i > 0 {
				c.Note(fmt.Sprintf("%d of the listed resources cannot be subscribed to", i))
			}
			return c.Call("resources/unsubscribe", probe.Object{"uri": uri}).WantResult()
		}
		if first == nil {
			first = reply
		}
		if reply.Silent() || reply.Died() {
			break
		}
	}
	c.NotSeenIf(first == nil, "no listed resource has a URI")
	return first.WantResult()
}

// A watch is what a client heard of changes of a resource, each made by the trigger of the
// role: one before the client subscribed, one while it was subscribed to another resource, some
// while it was subscribed, one afterwards.
type watch struct {
	uri                  string
	heard                bool                     // something brings the client what answers no request
	early, during, late  *heard                   // nil: that change was not made
	beside               *heard                   // while the client was subscribed to other alone; nil: that was not possible
	other                string                   // a listed resource, neither above this one nor below
	elsewhere            *heard                   // during, on a session without a subscription
	missed               *lasting                 // a change after that one, which was not told
	on                   *subscriptions.Listening // nil where the connection brings the changes
	subscribed, released *probe.Reply
}

// heard are the notifications of one change, and all that was said meanwhile.
type heard struct {
	told    []probe.Seen
	another any // the URI of a notification about another resource; nil if none came
	all     probe.Evidence
}

// watched makes the changes once for the connection.
func watched(c *probe.Client) watch {
	return probe.Once(c, "resources:watched", func() (watch, bool) {
		w := watch{uri: c.Role(roles.Trigger).Fields().At("resource").Text("uri")}
		w.follow(c)
		return w, true
	})
}

func (w *watch) follow(c *probe.Client) {
	w.heard = subscriptions.Hear(c)
	w.early = w.change(c, false)
	if !c.Survey().Declares("resources.subscribe") {
		return
	}
	w.neighbour(c)
	other, from := c, c.Mark()
	if c.Survey().Traits[probe.Sessions] {
		other = c.Opened()
		subscriptions.Hear(other)
		from = other.Mark()
	}
	w.subscribed = c.Call("resources/subscribe", probe.Object{"uri": w.uri})
	if !w.subscribed.Served() {
		return
	}
	w.during = w.change(c, true)
	if other != c {
		subscriptions.Settle(other)
		w.elsewhere = w.since(other, from)
	}
	if len(w.during.told) > 0 {
		w.missed = w.lasts(c)
	}
	w.released = c.Call("resources/unsubscribe", probe.Object{"uri": w.uri})
	if w.released.Served() {
		c.Barrier()
		w.late = w.change(c, false)
	}
}

// neighbour makes the change while the client is subscribed to another resource.
func (w *watch) neighbour(c *probe.Client) {
	w.other = otherThan(c, w.uri)
	if w.other == "" || len(w.early.told) > 0 || !c.Call("resources/subscribe", probe.Object{"uri": w.other}).Served() {
		return
	}
	w.beside = w.change(c, false)
	c.Call("resources/unsubscribe", probe.Object{"uri": w.other})
}

// change makes a change and collects what the client hears of it.
func (w *watch) change(c *probe.Client, wanted bool) *heard {
	from := c.Mark()
	c.Act(c.Role(roles.Trigger).Fields().At("resource"))
	if wanted {
		c.Await(from, subscriptions.Due(c), w.tells)
	} else {
		subscriptions.Settle(c)
	}
	return w.since(c, from)
}

func (w *watch) since(c *probe.Client, from probe.Mark) *heard {
	h := &heard{all: subscriptions.Since(c, from)}
	for _, s := range c.Since(from) {
		if w.tells(s) {
			h.told = append(h.told, s)
		}
	}
	h.another = toldOf(c.Since(from), w.uri, w.on)
	return h
}

// toldOf is the URI of the first notification that a resource changed which is not the one
// with the given URI, nil without such a notification. Where the client listens, only those
// of the subscription count.
func toldOf(frames []probe.Seen, uri string, on *subscriptions.Listening) any {
	for _, s := range frames {
		m, ok := subscriptions.Told(s, protocol.ResourceUpdated)
		if !ok || below(m, uri) || on != nil && !on.Tells(s) {
			continue
		}
		if given, there := m.At("/params/uri"); there {
			return given
		}
		return probe.Absent{}
	}
	return nil
}

// misnamed is the verdict on a change that is told under another URI, nil if none was.
func misnamed(c *probe.Client, uri string, another any, all probe.Evidence) error {
	if another == nil {
		return nil
	}
	given, text := another.(string)
	c.NotSeenIf(!text, "the notification of the change has no URI, which resources/updated-schema judges")
	return all.Violation("%s changed and %s came for %s, want it for the resource that changed",
		probe.Show(uri), protocol.ResourceUpdated, probe.Show(given))
}

// tells reports whether a frame tells of a change of the resource, or of one below it.
func (w *watch) tells(s probe.Seen) bool {
	m, ok := subscriptions.Told(s, protocol.ResourceUpdated)
	return ok && below(m, w.uri) && (w.on == nil || w.on.Tells(s))
}

// below reports whether a notification is about a resource with a URI, or part of it.
func below(m frame.Message, uri string) bool {
	given, _ := m.At("/params/uri")
	return under(probe.TextOf(given), uri)
}

func under(uri, above string) bool {
	return uri == above || strings.HasPrefix(uri, strings.TrimSuffix(above, "/")+"/")
}

func updatedOnlySubscribed(c *probe.Client) error {
	w := watched(c)
	return w.early.silent(w.uri, "to a client that did not subscribe to it")
}

func updatedOtherResource(c *probe.Client) error {
	w := watched(c)
	c.NotSeenIf(w.other == "", "the server lists no resource beside the one that changes")
	c.NotSeenIf(len(w.early.told) > 0, "changes are told without a subscription, which resources/updated-only-subscribed judges")
	c.NotSeenIf(w.beside == nil, "no other resource can be subscribed to")
	return w.beside.silent(w.uri, "to a client that subscribed to "+probe.Show(w.other)+" alone")
}

func updatedNobodyElse(c *probe.Client) error {
	w := watched(c)
	c.NotSeenIf(w.elsewhere == nil, "the server does not accept the subscription")
	return w.elsewhere.silent(w.uri, "to a session that did not subscribe to it")
}

func updatedAfterChange(c *probe.Client) error {
	w := watched(c)
	switch {
	case w.during == nil:
		c.NotSeen("the server does not accept the subscription")
	case len(w.during.told) == 0 && !w.heard:
		c.NotSeen("the server offers no stream for what it tells of its own accord")
	case len(w.during.told) == 0:
		if err := misnamed(c, w.uri, w.during.another, w.during.all); err != nil {
			return err
		}
		return w.during.all.Violation("%s changed and no %s came within %s, want the subscriber told",
			probe.Show(w.uri), protocol.ResourceUpdated, subscriptions.Due(c))
	}
	return w.missed.every(w.uri)
}

func unsubscribeEffective(c *probe.Client) error {
	w := watched(c)
	switch {
	case w.during == nil || len(w.during.told) == 0:
		c.NotSeen("the subscription brought no notification")
	case w.late == nil:
		c.NotSeen("the server does not end the subscription: " + w.released.Outcome())
	}
	return w.late.silent(w.uri, "after the client unsubscribed")
}

// silent expects that nothing was told.
func (h *heard) silent(uri, to string) error {
	if len(h.told) == 0 {
		return nil
	}
	return probe.Shown(h.told[0]).Violation("the change of %s is told %s, want no %s", probe.Show(uri), to, protocol.ResourceUpdated)
}
