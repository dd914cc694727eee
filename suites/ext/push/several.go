package push

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// several subscribes and raises five events, each by a call of its own.
func (d *desk) several() (s *subscription, from probe.Mark, called []probe.Mark) {
	s = d.subscribe(wish(d.Client, first(d.Client)))
	from = d.Mark()
	const raised = 5
	for range raised {
		called = append(called, d.Mark())
		d.raise("matching")
	}
	return s, from, called
}

// among is the call that raised an event, by the strings that only this call was made with;
// -1 where its payload has none of them.
func (e event) among(given [][]string) int {
	return slices.IndexFunc(given, func(own []string) bool {
		return slices.ContainsFunc(probe.Texts(e.params["payload"]), func(text string) bool { return slices.Contains(own, text) })
	})
}

// eachEvent judges events that tell which call raised them. One that is missing before a
// later one may have been left out on purpose, where many happen at once: that warns.
func eachEvent(d *desk) error {
	s, from, called := d.several()
	d.await(from, s.id, len(called))
	subscriptions.Settle(d.Client)
	all := d.came(from, s.id)
	d.NotSeenIf(len(all) == 0, d.missing(from, s, "no event"))
	given := d.arguments(called)
	came := make([]int, len(given))
	last := 0
	for i, e := range all {
		at := e.among(given)
		d.NotSeenIf(at < 0, "the payload of an event does not tell which call raised it")
		for _, earlier := range all[:i] {
			if probe.Same(earlier.params, e.params) {
				return probe.Shown(s, probe.One(earlier.Frame), probe.One(e.Frame)).
					Violation("the event of call %d came twice, want it once", at+1)
			}
		}
		came[at]++
		last = max(last, at)
	}
	if at := slices.Index(came, 0); at >= 0 && (at < last || len(all) >= len(called)) {
		return probe.Shown(s, subscriptions.Since(d.Client, from)).Violation(
			"of %d calls that raise an event, %d events came and none is that of call %d, want one of each", len(called), len(all), at+1).
			AtMostWarn()
	}
	return nil
}

// eventNamed takes any of several events that one call may raise.
func eventNamed(d *desk) error {
	second := fields(d.Client).At("second-type").Text("type")
	s := d.subscribe(wish(d.Client, append(slices.Clone(first(d.Client)), second)))
	from := d.Mark()
	d.raise("second-type")
	d.await(from, s.id, 1)
	subscriptions.Settle(d.Client)
	all := d.came(from, s.id)
	d.NotSeenIf(len(all) == 0, d.missing(from, s, "no event"))
	if slices.ContainsFunc(all, func(e event) bool { return e.name() == second }) {
		return nil
	}
	d.NotSeenIf(all[0].name() == "", "the name of the event is not a string, which ext-push/event-shape judges")
	broken := probe.Shown(s, probe.One(all[0].Frame)).Violation("$.params.event is %q for what roles.events.second-type raises, want %q",
		all[0].name(), second).AtMostWarn()
	if !slices.Contains(first(d.Client), all[0].name()) {
		broken = broken.Unless(probe.Elsewhere{Case: "ext-push/event-shape", Why: "the name of an event is none that was subscribed to"})
	}
	return broken
}

func twoSubscriptions(d *desk) error {
	one, other := d.subscribe(wish(d.Client, first(d.Client))), d.subscribe(wish(d.Client, first(d.Client)))
	from := d.Mark()
	d.raise("matching")
	d.await(from, one.id, 1)
	d.await(from, other.id, 1)
	subscriptions.Settle(d.Client)
	with, without := one, other
	if len(d.came(from, one.id)) == 0 {
		with, without = other, one
	}
	all := d.came(from, with.id)
	d.NotSeenIf(len(all) == 0, d.missing(from, one, "no event"))
	if len(d.came(from, without.id)) > 0 {
		return nil
	}
	return probe.Shown(one, other, probe.One(all[0].Frame)).Violation(
		"of two subscriptions to the same event %q got it and %q did not, want it for both", with.id, without.id).AtMostWarn()
}
