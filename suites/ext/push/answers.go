package push

import (
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func answers() []suite.Case {
	events := suite.Role(roles.Events)
	plain := func(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error, needs ...suite.Need) suite.Case {
		return bench.Case("ext-push/"+slug, title, rule, fix, run, needs...)
	}
	const required = "check that events is an array of strings, and answer error -32602 or the status denied with a reason"
	return []suite.Case{
		plain("subscribe-active", "a subscription is answered with its id and the status active", "ext-push-subscribe-active",
			"answer events/subscribe with the subscription_id of the request and the status active", subscribeActive, events),
		plain("server-id", "a subscription without an id gets one of its own", "ext-push-server-id",
			"make a new subscription_id where the request has none", serverID, events),
		plain("events-missing", "a subscription that names no events is rejected", "ext-push-events-required", required,
			rejected(func(*probe.Client) probe.Object { return probe.Object{} })),
		plain("events-string", "a subscription whose events are a string is rejected", "ext-push-events-required", required,
			rejected(asString)),
		plain("denied-explained", "a subscription to an unknown event is denied with a reason", "ext-push-denied-explained",
			"answer the status denied with a reason, and list what there is as supported_events", deniedExplained),
		plain("supported-events", "supported_events names the events that can be subscribed to", "ext-push-denied-explained",
			"list each type of events as supported_events, or leave it out", supportedEvents, events),
		plain("expires-at", "expires_at is not later than the subscription asks for", "ext-push-expiry",
			"add ttl_seconds to the time of the request, and send the sum as expires_at", expiresAt, events),
	}
}

func subscribeActive(c *probe.Client) error {
	params := wish(c, types(c))
	s := ask(c, params)
	c.NotSeenIf(s.Object["supported"] == false, "the server says that this connection carries no events")
	switch {
	case s.Unknown:
		return s.Violation("%s", proposal.SubscribeEvents().Tried(c))
	case proposal.LacksRights(s.Reply):
		c.Undecide("the caller of this run may not subscribe: " + s.Outcome())
	case s.Object["status"] == "denied":
		c.Unfilled(roles.Events, "the subscription to roles.events.types is denied: "+s.Outcome())
	}
	c.Must(proposal.WantDone(s.Reply))
	c.Must(fits(c, s.Reply, "StrictSubscribed", s.Object))
	if s.id != params["subscription_id"] {
		return s.Violation("$.result.subscription_id is %q, want %q as in the request", s.id, params["subscription_id"])
	}
	return proposal.SubscribeEvents().NoteForm(c, s.Answer)
}

// fits expects the payload of an answer to fit a definition of the schema.
func fits(c *probe.Client, shown probe.Evident, definition string, value any) error {
	if problem := c.ExtensionProblem("push", definition, "/result", value); problem != "" {
		return probe.Shown(shown).Violation("%s", problem)
	}
	return nil
}

func serverID(c *probe.Client) error {
	params := probe.Object{"events": types(c), "ttl_seconds": life}
	one := ask(c, params)
	c.NotSeenIf(one.Object["status"] != "active", "a subscription without an id is not accepted")
	other := ask(c, params)
	for _, s := range []*subscription{one, other} {
		if id, ok := s.Object["subscription_id"].(string); !ok || id == "" {
			c.NotSeenIf(like(c, func(s *subscription) bool { return probe.TextOf(s.Object["subscription_id"]) == "" }),
				"a subscription with an id gets none either, which ext-push/subscribe-active judges")
			return s.Violation("$.result.subscription_id is %s, want a string that is not empty", probe.Show(s.Object["subscription_id"]))
		}
	}
	if one.id == other.id {
		c.NotSeenIf(like(c, func(s *subscription) bool { return s.id == one.id }),
			"a subscription with an id of its own gets this id, too, which ext-push/subscribe-active judges")
		return probe.Shown(one, other).Violation("both subscriptions have the id %q, want one for each", one.id)
	}
	return nil
}

// asString names an event that there is, where the configuration knows one: a server that takes
// the string for an array of one may deny what it does not know.
func asString(c *probe.Client) probe.Object {
	known := append(c.Role(roles.Events).Fields().Texts("types"), "x")
	return probe.Object{"events": known[0]}
}

func rejected(params func(*probe.Client) probe.Object) func(*probe.Client) error {
	return func(c *probe.Client) error {
		s := ask(c, params(c))
		c.NotSeenIf(s.Unknown, "the server does not have events/subscribe; ext-push/subscribe-active says so")
		if s.denied() {
			return nil
		}
		return proposal.WantDeclined(s.Reply)
	}
}

func deniedExplained(c *probe.Client) error {
	s := ask(c, wish(c, []string{"no_such_event_" + c.Nonce()}))
	c.NotSeenIf(s.Unknown, "the server does not have events/subscribe; ext-push/subscribe-active says so")
	if s.polled() {
		return polledInstead(c, s)
	}
	if s.Object["status"] != "denied" {
		broken := proposal.WantDeclined(s.Reply)
		c.NotSeenIf(broken != nil && unread(s) && like(c, unread),
			"the answers say neither active nor denied, which ext-push/subscribe-active judges")
		return broken
	}
	misshapen := func(s *subscription) bool { return fits(c, s.Reply, "StrictDenied", s.Object) != nil }
	c.NotSeenIf(misshapen(s) && like(c, misshapen), "a subscription that is active is answered alike, which ext-push/subscribe-active judges")
	c.Must(fits(c, s.Reply, "StrictDenied", s.Object))
	if probe.TextOf(s.Object["reason"]) == "" {
		return s.Violation("$.result.reason is absent beside the status denied, want a string").AtMostWarn()
	}
	return nil
}

// polledInstead judges the denial of the proposal's text: supported false, and how often to ask
// in place of a reason. The text demands neither an id nor a status there.
func polledInstead(c *probe.Client, s *subscription) error {
	c.Must(fits(c, s.Reply, "StrictDenied", s.Object))
	if probe.TextOf(s.Object["reason"]) != "" {
		return nil
	}
	if err := fits(c, s.Reply, "StrictFallback", s.Object); err != nil {
		return probe.AtMostWarn(err)
	}
	c.Note("supported false and poll_interval_seconds deny the subscription, as in the text of the proposal; reason is absent, and says more")
	return nil
}

// like reports whether a subscription to events that there are is answered with the same fault.
// Only the configuration knows such events.
func like(c *probe.Client, fault func(*subscription) bool) bool {
	known := types(c)
	return len(known) > 0 && fault(ask(c, wish(c, known)))
}

// unread reports whether a result does not say whether there is a subscription.
func unread(s *subscription) bool {
	status := probe.TextOf(s.Object["status"])
	return s.Object != nil && status != "active" && status != "denied"
}

// supportedEvents looks at the answers to a subscription that is active and to one that is
// denied. What holds a wildcard names more than it says.
func supportedEvents(c *probe.Client) error {
	active := ask(c, wish(c, first(c)))
	c.UndecideIf(active.Object["status"] != "active", inactive(active))
	listed := 0
	for _, s := range []*subscription{active, ask(c, wish(c, []string{"no_such_event_" + c.Nonce()}))} {
		names := probe.Strings(s.Object["supported_events"])
		if len(names) == 0 || strings.Contains(strings.Join(names, ""), "*") {
			continue
		}
		if listed++; !slices.Contains(names, first(c)[0]) {
			return probe.Shown(active, s).Violation("$.result.supported_events is %s, and a subscription to %q is active, want it among them",
				probe.Show(s.Object["supported_events"]), first(c)[0]).AtMostWarn()
		}
	}
	c.NotSeenIf(listed == 0, "no answer has supported_events")
	return nil
}

func expiresAt(c *probe.Client) error {
	asked := c.Now()
	s := ask(c, wish(c, types(c)))
	c.UndecideIf(s.Object["status"] != "active", inactive(s))
	at, given := s.Object["expires_at"]
	if !given {
		return s.Violation("$.result.expires_at is absent, and the request has ttl_seconds, want the end of the subscription").AtMostWarn()
	}
	c.NotSeenIf(fits(c, s.Reply, "DateTime", at) != nil, "expires_at is not a date-time, which ext-push/subscribe-active judges")
	end, ok := proposal.Moment(at)
	now := proposal.Clock(s.Reply, c.Now())
	c.UndecideIf(!ok, "expires_at is a leap second")
	latest := now.Add(life*time.Second + proposal.Tolerance)
	if earliest := now.Add(asked.Sub(c.Now())).Add(-proposal.Tolerance); end.Before(earliest) || end.After(latest) {
		return s.Violation("$.result.expires_at is %q, want a moment within %d seconds of the request, at %s",
			at, life, now.UTC().Format(time.RFC3339))
	}
	return nil
}
