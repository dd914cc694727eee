package push

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func endings() []suite.Case {
	const known = "look the subscription up, and answer error -32602 where there is none"
	unknown := func(slug, title string, run func(*probe.Client) error) suite.Case {
		return bench.Case("ext-push/"+slug, title, "ext-push-unsubscribe-unknown", known, run)
	}
	fallback := bench.Observing(roles.Events, bench.Case("ext-push/poll-fallback",
		"where no events can come, a subscription is answered with an interval to poll at", "ext-push-poll-fallback",
		"answer supported false and poll_interval_seconds, a number above 0, where nothing carries events", pollFallback,
		suite.Over(requirements.HTTP), suite.Role(roles.Events)))
	again := raising("listens-again", "a subscription lives on when the stream of its events is closed, or its end is told",
		"ext-push-terminated", "keep a subscription until it is unsubscribed or its ttl_seconds are over, whatever becomes of a "+
			"subscriptions/listen that names it", listensAgain)
	again.Revisions = protocol.Stateless()
	fallback.Revisions = protocol.Between(requirements.R20250326, requirements.R20251125)
	return []suite.Case{
		raising("unsubscribe", "no events come after events/unsubscribe", "ext-push-unsubscribe",
			"forget the subscription before events/unsubscribe is answered", unsubscribe),
		unknown("unsubscribe-unknown", "events/unsubscribe rejects an unknown id", func(c *probe.Client) error {
			return unknownRejected(c, probe.Object{"subscription_id": "kit-" + c.Nonce()})
		}),
		unknown("unsubscribe-nothing", "events/unsubscribe without an id is rejected", func(c *probe.Client) error {
			return unknownRejected(c, probe.Object{})
		}),
		raising("terminated", "the end of a subscription by the server is told", "ext-push-terminated",
			"send notifications/subscription_terminated with the subscription_id where the server ends it", terminatedTold,
			suite.Role(roles.Events, "force-end")),
		again,
		fallback,
	}
}

func (d *desk) end(id string) proposal.Answer {
	return proposal.UnsubscribeEvents().Ask(d.Client, probe.Object{"subscription_id": id})
}

func unsubscribe(d *desk) error {
	s := d.subscribe(wish(d.Client, first(d.Client)))
	d.prove(s)
	answer := d.end(s.id)
	if answer.Unknown {
		return answer.Violation("%s", proposal.UnsubscribeEvents().Tried(d.Client))
	}
	d.Must(proposal.WantDone(answer.Reply))
	from := d.Mark()
	d.raise("matching")
	d.Must(d.silent(from, s, "events/unsubscribe"))
	var wrong string
	switch id := answer.Object["subscription_id"]; {
	case id != nil && id != s.id:
		wrong = "subscription_id"
	case answer.Object["status"] == "active", answer.Object["status"] != nil && probe.TextOf(answer.Object["status"]) == "":
		wrong = "status"
	default:
		return nil
	}
	return answer.Violation("$.result.%s is %s, and the subscription %q has ended", wrong, probe.Show(answer.Object[wrong]), s.id).AtMostWarn()
}

func unknownRejected(c *probe.Client, params probe.Object) error {
	answer := proposal.UnsubscribeEvents().Ask(c, params)
	c.NotSeenIf(answer.Unknown, "the server does not have events/unsubscribe; ext-push/unsubscribe says so")
	return proposal.WantDeclined(answer.Reply)
}

// terminatedTold sees whether the subscription ended at all, before it blames the silence.
func terminatedTold(d *desk) error {
	s := d.subscribe(wish(d.Client, first(d.Client)))
	d.prove(s)
	from := d.Mark()
	d.raise("force-end")
	told, came := d.Await(from, d.Waits().Event, s.ends)
	if came {
		if reason, _ := told.Message().At("/params/reason"); probe.TextOf(reason) == "" {
			d.Note("notifications/subscription_terminated has no reason")
		}
		d.Must(d.over(s, told))
		params, _ := told.Message().At("/params")
		d.Must(probe.AtMostWarn(d.termination(told, params)))
		if s.listening != nil {
			return probe.AtMostWarn(d.onListening(s, event{told, told.Message(), probe.ObjectOf(params)}, "the end of the subscription"))
		}
		return nil
	}
	again := d.Mark()
	d.raise("matching")
	d.UndecideIf(d.await(again, s.id, 1), "roles.events.force-end did not end the subscription")
	for _, seen := range d.Since(from) {
		if m, ok := subscriptions.Told(seen, "notifications/subscription_terminated"); ok {
			id := probe.Member(probe.ObjectOf(m.Members["params"]), "subscription_id")
			return subscriptions.Since(d.Client, from).Violation(
				"the subscription %q ended and notifications/subscription_terminated came with subscription_id %s, want its id",
				s.id, probe.Show(id))
		}
	}
	return subscriptions.Since(d.Client, from).Violation(
		"the subscription %q ended and no notifications/subscription_terminated came within %s, want its end told",
		s.id, d.Waits().Event).Unless(proposal.Nameless(d.Since(from)))
}

// over expects no events of a subscription whose end was told. A server that has told it may
// be gone for a while, and then there is nothing to see.
func (d *desk) over(s *subscription, told probe.Seen) error {
	from := d.Mark()
	_ = d.Try(func() {
		d.raise("matching")
		subscriptions.Settle(d.Client)
	})
	if late := d.came(from, s.id); len(late) > 0 {
		return probe.Shown(s, probe.One(told.Frame), probe.One(late[0].Frame)).
			Violation("an event of %q came after its end was told, want none", s.id)
	}
	return nil
}

// termination expects that the properties of the notice have their types.
func (d *desk) termination(told probe.Seen, params any) error {
	if problem := d.ExtensionProblem("push", "Terminated", "/params", params); problem != "" {
		return probe.One(told.Frame).Violation("%s", problem)
	}
	return nil
}

// ends reports whether the server tells the end of the subscription.
func (s *subscription) ends(seen probe.Seen) bool {
	m, ok := subscriptions.Told(seen, "notifications/subscription_terminated")
	id, _ := m.At("/params/subscription_id")
	return ok && id == s.id
}

// listensAgain closes the stream of the events once one came, and opens another one. Where
// nothing comes there, a new subscription shows that events are raised and listened for still.
func listensAgain(d *desk) error {
	s := d.subscribe(wish(d.Client, first(d.Client)))
	d.prove(s)
	from := d.Mark()
	s.listening.End()
	subscriptions.Settle(d.Client) // until the server has seen it
	acknowledged := d.listens(s)
	d.raise("matching")
	if d.await(from, s.id, 1) {
		return nil
	}
	if slices.ContainsFunc(d.Since(from), s.ends) {
		d.Note("the server ends a subscription with the stream of its events, and tells that")
		return nil
	}
	end, dated := proposal.Moment(s.Object["expires_at"])
	d.NotSeenIf(dated && !d.Now().Before(end), "the subscription has ended at its expires_at meanwhile")
	d.prove(d.subscribe(wish(d.Client, first(d.Client))))
	d.UndecideIf(len(d.came(from, s.id)) > 0, "the event of the first subscription came late")
	shown := probe.Shown(s, s.listening)
	if !acknowledged {
		return shown.Violation("a second subscriptions/listen is not acknowledged for %q, after the first was closed, "+
			"want the subscription to live on until it ends", s.id)
	}
	return shown.Violation("no event came for %q on a second subscriptions/listen, after the first was closed, "+
		"want the one that was raised", s.id)
}

// pollFallback takes a subscription whose events come on the stream of its answer for one
// that works.
func pollFallback(c *probe.Client) error {
	_, _, carries := subscriptions.OwnChannel(c)
	c.NotSeenIf(carries, "the transport brings messages of the server")
	from := c.Mark()
	s := ask(c, wish(c, types(c)))
	c.NotSeenIf(s.Unknown, "the server does not have events/subscribe; ext-push/subscribe-active says so")
	switch {
	case s.Object["supported"] == false:
		if s.Object["status"] != "denied" {
			c.Note("status beside supported false is " + probe.Show(s.Object["status"]) + "; denied is expected")
		}
		return fits(c, s.Reply, "StrictFallback", s.Object)
	case s.Object["status"] == "active":
		d := &desk{Client: c}
		d.raise("matching")
		if d.await(from, s.id, 1) {
			return nil
		}
		return s.Violation("the subscription is active, GET of the endpoint has no stream, and no event came within %s, "+
			"want supported false and poll_interval_seconds", c.Waits().Event).
			Unless(probe.Elsewhere{Case: "http/get-stream-or-405", Why: "GET opens no stream, nor does it get status 405"})
	case s.Status() == http.StatusUnauthorized || s.Status() == http.StatusForbidden || proposal.LacksRights(s.Reply):
		c.Undecide("the caller of this run may not subscribe: " + s.Outcome())
	}
	return s.Violation("%s, want supported false and poll_interval_seconds, since GET of the endpoint has no stream",
		s.AnswerTo("the subscription"))
}
