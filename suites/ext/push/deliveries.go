package push

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func deliveries() []suite.Case {
	return []suite.Case{
		raising("delivers", "an event comes once, without being asked for", "ext-push-delivers",
			"send notifications/event as soon as something happens that the subscription is for", delivers),
		raising("event-shape", "an event has a type, its subscription, its name and a timestamp", "ext-push-event-shape",
			`send type "event", subscription_id, the event as it was subscribed to, timestamp in RFC 3339 format, and payload as an object`,
			eventShape),
		raising("action-hint", "action_hint recommends a tool that there is", "ext-push-action-hint",
			"send action_hint as an object that names a listed tool as recommended_tool", actionHint, suite.Capability("tools")),
		raising("notification-form", "an event is a JSON-RPC notification where notifications of the server belong", "ext-push-notification-form",
			"send events as notifications/event on the stream for messages that answer no request; since 2026-07-28 on the "+
				"subscriptions/listen that names the subscription, with its id in _meta", notificationForm),
		raising("filter", "a filter lets matching events through, and no others", "ext-push-filter",
			"compare each event with the filter of the subscription before it is sent", filter, suite.Role(roles.Events, "filter"),
			suite.Role(roles.Events, "other")),
		raising("only-subscribed", "a client without a subscription gets no events", "ext-push-only-subscribed",
			"send an event to those who subscribed to it, and to nobody else", unsubscribedSilent),
		raising("only-types", "events of other types do not come", "ext-push-only-subscribed",
			"compare the type of each event with the events of the subscription", onlyTypes, suite.Role(roles.Events, "second-type")),
		raising("each-event", "of several events each one comes, and once", "ext-push-delivers",
			"send an event for each thing that happens, with what happened in its own payload", eachEvent),
		raising("event-named", "an event has the name of what happened where a subscription is for several", "ext-push-event-shape",
			"send the name of what happened as event, and not the first name of the subscription", eventNamed,
			suite.Role(roles.Events, "second-type")),
		raising("order", "events come in the order in which they happened", "ext-push-order",
			"send the events of a subscription one after the other", order),
		bench.In(suite.Waits, raising("expiry", "no events come after the end of a subscription", "ext-push-expiry",
			"end a subscription when its ttl_seconds are over, and send that moment as expires_at", expiry)),
	}
}

// one subscribes to the event of the role, raises it, and waits for it.
func (d *desk) one() (*subscription, probe.Mark, bool) {
	s := d.subscribe(wish(d.Client, first(d.Client)))
	from := d.Mark()
	d.raise("matching")
	return s, from, d.await(from, s.id, 1)
}

func delivers(d *desk) error {
	s := d.active(wish(d.Client, first(d.Client)))
	if stateless(d.Client) && !d.listens(s) {
		return unheard(d, s)
	}
	from := d.Mark()
	d.raise("matching")
	if !d.await(from, s.id, 1) {
		d.NotSeenIf(len(d.came(from, "")) > 0, "the event that came is one of another subscription, which ext-push/event-shape judges")
		return subscriptions.Since(d.Client, from).Violation(
			"no notifications/event came for the subscription %q within %s, want the event that was raised",
			s.id, d.Waits().Event).Unless(proposal.Nameless(d.Since(from)))
	}
	subscriptions.Settle(d.Client)
	all := d.came(from, s.id)
	for i, e := range all {
		if slices.ContainsFunc(all[:i], func(earlier event) bool { return probe.Same(earlier.params, e.params) }) {
			return probe.Shown(s, probe.One(all[0].Frame), probe.One(e.Frame)).Violation("the event came twice, want it once")
		}
	}
	return nil
}

// unheard judges a subscriptions/listen that is not acknowledged for the events of an active subscription:
// no other stream may bring them. A server may have too many streams open, and refuse one more.
func unheard(d *desk, s *subscription) error {
	shown := probe.Shown(s, s.listening)
	if acknowledged, came := s.listening.Opened(); came {
		filter, _ := acknowledged.Message().At("/params/notifications")
		broken := shown.Violation("$.params.notifications[%q] of %s is %s, want %q in it, which is active", inFilter,
			subscriptions.Acknowledgement, probe.Show(probe.Member(probe.ObjectOf(filter), inFilter)), s.id).AtMostWarn().
			Unless(probe.Elsewhere{Case: "resources/listen-ack-filter", Why: "subscriptions are acknowledged for what they do not ask for"})
		if s.wished != "" && s.wished != s.id {
			broken = broken.Unless(probe.Elsewhere{Case: "ext-push/subscribe-active", Why: "the subscription is answered with another id"})
		}
		if probe.ObjectOf(filter) == nil {
			broken = broken.Unless(probe.Elsewhere{Case: "schema/messages-valid", Why: "the acknowledgement has no filter that is an object"})
		}
		return broken
	}
	reply := s.listening.Reply()
	_, coded := reply.Code()
	_, served := reply.Result()
	d.UndecideIf(served || coded && !reply.HasCode(protocol.MethodNotFound),
		"the server does not take subscriptions/listen for the events of the subscription: "+reply.Outcome())
	return shown.Violation("%s, want %s with the id of the subscription, which is active", reply.AnswerTo(subscriptions.Method),
		subscriptions.Acknowledgement).AtMostWarn().Unless(
		probe.Elsewhere{Case: "resources/listen-recognised", Why: "subscriptions/listen is not acknowledged for lists either"},
		probe.Elsewhere{Case: "resources/listen-ack-first", Why: "subscriptions/listen is not acknowledged for lists either"})
}

func eventShape(d *desk) error {
	s, from, _ := d.one()
	all := d.came(from, "")
	d.NotSeenIf(len(all) == 0, d.missing(from, s, "no event"))
	e := all[0]
	shown := probe.Shown(s, probe.One(e.Frame))
	if problem := d.ExtensionProblem("push", "Event", "/params", e.params); problem != "" {
		return shown.Violation("%s", problem)
	}
	if e.subscription() != s.id {
		broken := shown.Violation("$.params.subscription_id is %q, want %q, the only subscription", e.subscription(), s.id)
		if e.subscription() == s.wished {
			broken = broken.Unless(probe.Elsewhere{Case: "ext-push/subscribe-active", Why: "the answer does not have the id of the request"})
		}
		return broken
	}
	switch want := first(d.Client)[0]; {
	case e.name() == "":
		return shown.Violation("$.params.event is missing, want %q, which the subscription is for", want)
	case e.name() != want:
		return shown.Violation("$.params.event is %q, want %q, which the subscription is for", e.name(), want)
	}
	if e.params["type"] == nil || e.params["event"] == nil {
		return shown.Violation(`the event is in the form of the demos, want type "event" and the name as event`).AtMostWarn()
	}
	return nil
}

func actionHint(d *desk) error {
	s, from, arrived := d.one()
	d.NotSeenIf(!arrived, d.missing(from, s, "no event"))
	e := d.came(from, s.id)[0]
	hint, given := e.params["action_hint"]
	d.NotSeenIf(!given, "the event has no action_hint")
	shown := probe.One(e.Frame)
	if problem := d.ExtensionProblem("push", "ActionHint", "/params/action_hint", hint); problem != "" {
		return shown.Violation("%s", problem)
	}
	tools := probe.List(d.Client, protocol.Tools())
	tools.MustBeRead()
	tool := probe.TextOf(probe.ObjectOf(hint)["recommended_tool"])
	if tools.Lacks(tool) {
		return shown.Violation("$.params.action_hint.recommended_tool is %q, which tools/list does not have", tool)
	}
	return nil
}

func notificationForm(d *desk) error {
	s, from, arrived := d.one()
	d.NotSeenIf(!arrived, d.missing(from, s, "no event"))
	e := d.came(from, s.id)[0]
	shown := probe.Shown(s, probe.One(e.Frame))
	switch {
	case e.message.Class == frame.Request && strings.HasPrefix(e.message.Method, "notifications/"):
		d.NotSeen("the event is a notification with an id, which jsonrpc/notification-without-id judges")
	case e.message.Class != frame.Notification:
		return shown.Violation("the event is a %s, want a notification", e.message.Class)
	case e.message.Method != "notifications/event":
		return shown.Violation("the method of the event is %q, want notifications/event", e.message.Method)
	case s.listening != nil:
		return d.onListening(s, e, "the event")
	case d.standing != 0 && e.Exchange != d.standing:
		if e.Exchange == exchangeOf(s) {
			d.Note("events come on the stream of the answer to events/subscribe; the stream that GET opens is for them")
			return nil
		}
		return shown.Violation("the event comes on the stream of another request, want it on the stream that GET opened").AtMostWarn()
	}
	return nil
}

func exchangeOf(s *subscription) int {
	seen, _ := s.Seen()
	return seen.Exchange
}

// onListening expects an event, or the end of the subscription, on its subscriptions/listen, with the id of
// that request.
func (d *desk) onListening(s *subscription, e event, what string) error {
	shown := probe.Shown(s, s.listening, probe.One(e.Frame))
	sent, ok := s.listening.Sent()
	if ok && sent.Exchange > 0 && e.Exchange != sent.Exchange {
		return shown.Violation("%s comes on the stream of another request, want it on that of subscriptions/listen", what)
	}
	meta, tagged := e.params["_meta"]
	d.NotSeenIf(tagged && probe.ObjectOf(meta) == nil, "the _meta of "+what+" is of another type, which meta/object judges")
	tag, given := e.message.At("/params" + subscriptions.TagAt)
	if !given || !frame.SameID(probe.JSON(tag), s.listening.ID()) {
		return shown.Violation(`$.params._meta["%s"] is %s, want %s, the id of subscriptions/listen`,
			protocol.MetaSubscription, probe.Show(probe.Member(probe.ObjectOf(meta), protocol.MetaSubscription)), s.listening.ID()).
			Unless(probe.Elsewhere{
				Case: "meta/subscription-acknowledged", Why: "the acknowledgement of subscriptions/listen does not have its id either",
			})
	}
	return nil
}

// filter has a second subscription without a filter, which shows that the events were raised.
// What raises one may raise several.
func filter(d *desk) error {
	wanted, _ := fields(d.Client).Arguments("filter")
	narrow := d.subscribe(wish(d.Client, first(d.Client)).With("filter", wanted))
	wide := d.subscribe(wish(d.Client, first(d.Client)))
	from := d.Mark()
	d.raise("other")
	d.UndecideIf(!d.await(from, wide.id, 1), d.astray(from, wide, "the event of roles.events.other did not come without a filter"))
	subscriptions.Settle(d.Client)
	shown := probe.Shown(narrow, subscriptions.Since(d.Client, from))
	if len(d.came(from, narrow.id)) > 0 {
		return shown.Violation("the event of roles.events.other came through the filter, want only the one that matches it")
	}
	from = d.Mark()
	d.raise("matching")
	d.UndecideIf(!d.await(from, wide.id, 1), d.astray(from, wide, "the event of roles.events.matching did not come without a filter"))
	d.await(from, narrow.id, 1)
	if len(d.came(from, narrow.id)) == 0 {
		return probe.Shown(narrow, subscriptions.Since(d.Client, from)).
			Violation("no event came through the filter, want the one that matches it")
	}
	return nil
}

// unsubscribedSilent has another client beside one that subscribed. Without a handshake it
// listens for something else, since nothing comes without listening.
func unsubscribedSilent(d *desk) error {
	s := d.subscribe(wish(d.Client, first(d.Client)))
	o := open(d.Opened())
	if stateless(o.Client) {
		subscriptions.Listen(o.Client, probe.Object{"toolsListChanged": true}).MustOpen()
	}
	from := o.Mark()
	d.prove(s)
	o.raise("matching") // over stdio the other client has a server of its own
	subscriptions.Settle(o.Client)
	if all := o.came(from, ""); len(all) > 0 {
		return probe.One(all[0].Frame).Violation("an event came to a client that has not subscribed to any, want none")
	}
	return nil
}

func onlyTypes(d *desk) error {
	second := fields(d.Client).At("second-type").Text("type")
	one := d.subscribe(wish(d.Client, first(d.Client)))
	other := d.subscribe(wish(d.Client, []string{second}))
	from := d.Mark()
	d.raise("second-type")
	d.UndecideIf(!d.await(from, other.id, 1), d.astray(from, other, "the event of roles.events.second-type did not come"))
	subscriptions.Settle(d.Client)
	if all := d.came(from, one.id); len(all) > 0 {
		return probe.Shown(one, probe.One(all[0].Frame)).Violation("an event %q came for a subscription to %q, want none", all[0].name(),
			first(d.Client)[0])
	}
	return nil
}

// order tells events apart by what their calls were made with, where the payload repeats
// that, and else by their timestamps.
func order(d *desk) error {
	s, from, called := d.several()
	d.UndecideIf(!d.await(from, s.id, len(called)), d.missing(from, s, fmt.Sprintf("not all of %d events", len(called))))
	all := d.came(from, s.id)
	given := d.arguments(called)
	last := -1
	var before time.Time
	for n, e := range all {
		at := e.among(given)
		moment, dated := proposal.Moment(e.params["timestamp"])
		if at >= 0 && at < last || at < 0 && dated && moment.Before(before) {
			return probe.Shown(s, subscriptions.Since(d.Client, from)).
				Violation("event %d came after one that happened later, want the order in which they happened", n+1)
		}
		last, before = max(last, at), moment
	}
	return nil
}

// arguments are the strings that each call was made with and no other one.
func (d *desk) arguments(called []probe.Mark) [][]string {
	all := make([][]string, len(called))
	seen := map[string]int{}
	for i, from := range called {
		for _, s := range d.Since(from) {
			m := s.Message()
			if s.Dir == frame.Sent && s.Kind == frame.KindMessage && m.Method == "tools/call" {
				params := probe.ObjectOf(m.Members["params"])
				all[i] = probe.Texts(params["arguments"])
				break
			}
		}
		for _, text := range all[i] {
			seen[text]++
		}
	}
	for i := range all {
		all[i] = slices.DeleteFunc(all[i], func(text string) bool { return seen[text] > 1 })
	}
	return all
}

// expiry waits longer than the subscription lives, since clocks differ and a server may
// look at them now and then.
func expiry(d *desk) error {
	const ttl = 2 * time.Second
	s := d.subscribe(wish(d.Client, first(d.Client)).With("ttl_seconds", int(ttl.Seconds())))
	d.prove(s)
	proposal.Pause(d.Client, ttl+proposal.Tolerance/2)
	from := d.Mark()
	d.raise("matching")
	d.Must(d.silent(from, s, fmt.Sprintf("its end, %s after it was asked for", ttl)))
	return d.toldEnd()
}

// toldEnd looks at a subscription that is asked for for long, and is told to end long before: it
// may, and nothing comes after that moment, by the clock of the server as well.
func (d *desk) toldEnd() error {
	const early = life / 6 * time.Second
	var s *subscription
	if denied := d.Try(func() { s = d.subscribe(wish(d.Client, first(d.Client))) }); denied != nil {
		return nil //nolint:nilerr // without a subscription there is no end to judge, and other cases judge that
	}
	end, dated := proposal.Moment(s.Object["expires_at"])
	left := end.Sub(proposal.Clock(s.Reply, d.Now()))
	if !dated || left > early {
		return nil
	}
	proposal.Pause(d.Client, max(0, left)+proposal.Tolerance+time.Second)
	from := d.Mark()
	d.raise("matching")
	subscriptions.Settle(d.Client)
	for _, late := range d.came(from, s.id) {
		if at, ok := proposal.Moment(late.params["timestamp"]); ok && at.After(end) {
			return probe.Shown(s, probe.One(late.Frame)).Violation("an event of %q is dated %q, and expires_at of its subscription is %q, "+
				"of one for %d seconds, want none after that", s.id, late.params["timestamp"], s.Object["expires_at"], life)
		}
	}
	return nil
}
