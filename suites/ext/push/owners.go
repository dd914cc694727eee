package push

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func owners() []suite.Case {
	somebody := suite.Either(suite.Role(roles.Principals, "second"), suite.Trait(probe.Sessions))
	// Over stdio a process has one caller.
	several := suite.Either(suite.Over(requirements.HTTP), suite.Over(requirements.SSE))
	return []suite.Case{
		raising("isolated", "the events of a subscription come to its owner only", "ext-push-isolated",
			"compare the caller with the owner of a subscription before its events are sent", isolated, somebody, several),
		raising("isolated-unsubscribe", "nobody else ends a subscription", "ext-push-isolated",
			"compare the caller with the owner of a subscription before it is ended", isolatedUnsubscribe, somebody, several),
		raising("independent", "the end of one subscription leaves the others", "ext-push-subscriptions-independent",
			"end the subscription that events/unsubscribe names, and no other one", independent),
		raising("two-subscriptions", "an event comes for each of two subscriptions, with the id of each", "ext-push-subscriptions-independent",
			"send an event to every subscription that is for it, with the subscription_id of that one", twoSubscriptions),
		raising("id-reused", "an event comes once for an id that was used twice", "ext-push-subscriptions-independent",
			"reject an id that is in use, or let the new subscription replace the one that it had", idReused),
	}
}

// stranger is a client that must not have the subscriptions of this one: another principal,
// or with a handshake another session.
func (d *desk) stranger() *probe.Client {
	if d.Transport() == requirements.HTTP && d.Identified("second") {
		return d.As("second")
	}
	d.NotSeenIf(stateless(d.Client), "subscriptions belong to the caller, and the configuration has no second one")
	return d.Opened()
}

// isolated needs a request that names a subscription to listen to.
func isolated(d *desk) error {
	d.NotSeenIf(!stateless(d.Client), "with a handshake no request names a subscription to listen to")
	s := d.subscribe(wish(d.Client, first(d.Client)))
	o := open(d.stranger())
	subscriptions.Listen(o.Client, probe.Object{proposal.Prefix + "events": []string{s.id}}).First()
	theirs := o.Mark()
	d.prove(s)
	subscriptions.Settle(o.Client)
	if all := o.came(theirs, s.id); len(all) > 0 {
		return probe.Shown(s, probe.One(all[0].Frame)).Violation("an event of %q came to another client than its owner, want none there", s.id)
	}
	return nil
}

func isolatedUnsubscribe(d *desk) error {
	s := d.subscribe(wish(d.Client, first(d.Client)))
	d.prove(s)
	answer := proposal.UnsubscribeEvents().Ask(d.stranger(), probe.Object{"subscription_id": s.id})
	from := d.Mark()
	d.raise("matching")
	if d.await(from, s.id, 1) {
		return nil
	}
	return probe.Shown(s, answer).Violation("no event came after another client had unsubscribed %q, want the subscription of its owner kept",
		s.id)
}

func independent(d *desk) error {
	one, other := d.subscribe(wish(d.Client, first(d.Client))), d.subscribe(wish(d.Client, first(d.Client)))
	d.prove(one)
	d.prove(other)
	answer := d.end(one.id)
	d.Require(proposal.WantDone(answer.Reply), "events/unsubscribe has no result; ext-push/unsubscribe says so")
	from := d.Mark()
	d.raise("matching")
	if d.await(from, other.id, 1) {
		return nil
	}
	return probe.Shown(one, other, answer).Violation("no event came for %q after %q was unsubscribed, want one", other.id, one.id)
}

// idReused takes a second answer that is active for one that replaces the first. What raises
// an event may raise several.
func idReused(d *desk) error {
	params := wish(d.Client, first(d.Client))
	s := d.subscribe(params)
	from := d.Mark()
	d.prove(s)
	usual := len(d.came(from, s.id))
	again := ask(d.Client, params)
	from = d.Mark()
	d.raise("matching")
	d.await(from, s.id, 1)
	subscriptions.Settle(d.Client)
	if all := d.came(from, s.id); len(all) > usual {
		return probe.Shown(s, again, probe.One(all[0].Frame), probe.One(all[1].Frame)).
			Violation("%d events came for %q, and %d before the id was used again, want as many", len(all), s.id, usual)
	}
	return nil
}
