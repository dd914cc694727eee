// Package push holds the cases of the push proposal: a client subscribes to events, and is
// told of each as it happens and of nothing else.
package push

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases: first what a subscription is answered with, then what it brings,
// how it ends, and whom it concerns.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-push",
		Title:     "events come to who subscribed to them, as they happen",
		Extension: proposal.Extension("push"),
		Cases:     suite.Needing([]suite.Need{suite.Claim("push")}, answers(), deliveries(), endings(), owners()),
	}
}

// raising is a case that raises events. Another case must not raise any meanwhile.
func raising(slug, title string, rule requirements.ID, fix string, run func(*desk) error, needs ...suite.Need) suite.Case {
	return bench.Observing(roles.Events, bench.Case("ext-push/"+slug, title, rule, fix,
		func(c *probe.Client) error { return run(open(c)) }, append([]suite.Need{suite.Role(roles.Events)}, needs...)...))
}

// A desk is where a case subscribes and hears what comes.
type desk struct {
	*probe.Client
	standing int // the exchange that brings messages of the server; 0 where none is needed
}

// open is a desk on a connection. The case ends where the transport brings nothing that
// answers no request.
func open(c *probe.Client) *desk {
	if stateless(c) {
		return &desk{Client: c}
	}
	own, exchange, ok := subscriptions.OwnChannel(c)
	c.NotSeenIf(!ok, "nothing brings messages of the server over this transport")
	return &desk{Client: own, standing: exchange}
}

// stateless reports whether events come on subscriptions/listen.
func stateless(c *probe.Client) bool { return protocol.RequestMeta().At(c.Revision()) }

func fields(c *probe.Client) roles.Fields { return c.Role(roles.Events).Fields() }

// types are the types of events that the role names. The first one is that of its actions.
func types(c *probe.Client) []string { return fields(c).Texts("types") }

// first is the type of the event that the role raises.
func first(c *probe.Client) []string { return types(c)[:1] }

// A subscription is one that was asked for.
type subscription struct {
	proposal.Answer
	id        string
	wished    string                   // the id of the request
	listening *subscriptions.Listening // nil with a handshake
}

const life = 60 // seconds, longer than any case takes

// ask asks for a subscription, which ends with the case.
func ask(c *probe.Client, params probe.Object) *subscription {
	c.NotSeenIf(c.Survey().Capabilities["events"] != nil && !proposal.Explicit(c, "push"),
		"the server declares the capability events, which another design of events has")
	s := &subscription{Answer: proposal.SubscribeEvents().Ask(c, params)}
	s.wished, _ = params["subscription_id"].(string)
	if s.id, _ = s.Object["subscription_id"].(string); s.id == "" {
		s.id = s.wished
	}
	if s.id != "" && !s.denied() && !proposal.Declined(s.Reply) {
		c.Cleanup(func() { proposal.UnsubscribeEvents().Ask(c, probe.Object{"subscription_id": s.id}) })
	}
	return s
}

// polled reports whether the answer is the form of the proposal's text for a server that sends
// no events: the client asks from time to time.
func (s *subscription) polled() bool {
	return s.Object["supported"] == false && s.Object["status"] != "active"
}

// denied reports whether the answer itself says that there is no subscription.
func (s *subscription) denied() bool { return s.Object["status"] == "denied" || s.polled() }

// wish is the params of a subscription to events, under an id of the client.
func wish(c *probe.Client, events []string) probe.Object {
	return probe.Object{"events": events, "subscription_id": "kit-" + c.Nonce(), "ttl_seconds": life}
}

// subscribe is ask for a case that rests on the subscription: it is active, and its events
// are listened for.
func (d *desk) subscribe(params probe.Object) *subscription {
	s := d.active(params)
	d.listen(s)
	return s
}

// active is subscribe, without listening.
func (d *desk) active(params probe.Object) *subscription {
	s := ask(d.Client, params)
	d.NotSeenIf(s.Object["supported"] == false, "the server says that this connection carries no events")
	d.UndecideIf(s.Object["status"] != "active", inactive(s))
	return s
}

// inactive is the reason of a case that rests on an active subscription.
func inactive(s *subscription) string {
	return fmt.Sprintf("the status of the subscription is %s, and the case needs an active one: %s",
		probe.Show(probe.Member(s.Object, "status")), s.Outcome())
}

// listen opens the stream that brings the events of a subscription, without a handshake.
// Whether the server acknowledges it shows by what comes.
func (d *desk) listen(s *subscription) {
	if stateless(d.Client) {
		d.UndecideIf(!d.listens(s), "subscriptions/listen is not acknowledged for the events of the subscription, which ext-push/delivers judges")
	}
}

// listens reports whether the server acknowledges that the events will come.
func (d *desk) listens(s *subscription) bool {
	s.listening = subscriptions.Listen(d.Client, probe.Object{inFilter: []string{s.id}})
	acknowledged, ok := s.listening.OpenedFor(s.grantedIn)
	return ok && s.grantedIn(subscriptions.Granted(acknowledged.Message()))
}

// inFilter is the property of a filter that names subscriptions to events.
const inFilter = proposal.Prefix + "events"

// grantedIn reports whether the filter of an acknowledgement names the subscription.
func (s *subscription) grantedIn(filter probe.Object) bool {
	return slices.Contains(probe.Strings(filter[inFilter]), s.id)
}

// An event is one that came, in whatever form.
type event struct {
	probe.Seen
	message frame.Message
	params  map[string]any
}

// name is the type of the event. Demos of the proposal call it event_type.
func (e event) name() string {
	if name, ok := e.params["event"].(string); ok {
		return name
	}
	return probe.TextOf(e.params["event_type"])
}

func (e event) subscription() string { return probe.TextOf(e.params["subscription_id"]) }

// eventsIn are the events in a frame of the server. What is no JSON-RPC may hold one, too. Where the
// method says that it is one, it may lack one of its properties.
func eventsIn(s probe.Seen) []event {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return nil
	}
	var all []event
	for _, m := range probe.Singles(s.Message()) {
		params := probe.ObjectOf(m.Members["params"])
		if m.Class == frame.NotAMessage {
			params = m.Members
		}
		_, named := params["subscription_id"]
		_, typed := params["event"]
		_, older := params["event_type"]
		typed = typed || older
		if (named && typed || (named || typed) && m.Method == "notifications/event") && m.Class != frame.Result {
			all = append(all, event{s, m, params})
		}
	}
	return all
}

// came are the events after a mark, of one subscription, or of any where the id is empty.
func (d *desk) came(from probe.Mark, id string) []event {
	var all []event
	for _, s := range d.Since(from) {
		for _, e := range eventsIn(s) {
			if id == "" || e.subscription() == id {
				all = append(all, e)
			}
		}
	}
	return all
}

// await waits until so many events of a subscription came, and reports whether they did.
func (d *desk) await(from probe.Mark, id string, n int) bool {
	seen := 0
	_, all := d.Await(from, d.Waits().Event, func(s probe.Seen) bool {
		for _, e := range eventsIn(s) {
			if e.subscription() == id {
				seen++
			}
		}
		return seen >= n
	})
	return all
}

// raise performs an action of the role.
func (d *desk) raise(action string) { d.Act(fields(d.Client).At(action)) }

// prove raises an event that has to come, for cases that rest on it.
func (d *desk) prove(s *subscription) {
	from := d.Mark()
	d.raise("matching")
	d.UndecideIf(!d.await(from, s.id, 1), d.missing(from, s, "no event"))
	subscriptions.Settle(d.Client)
}

// missing is the reason of a case that rests on events which did not come after a mark.
// Where ext-push/delivers got its event, the server has sent to an earlier subscription alone.
func (d *desk) missing(from probe.Mark, s *subscription, what string) string {
	return d.astray(from, s, fmt.Sprintf("%s came within %s for the subscription of this case, which is active, after roles.events.matching; "+
		"ext-push/delivers judges one subscription, so look whether the server also sends to later ones", what, d.Waits().Event))
}

// astray is the reason of a case that rests on events of a subscription, where all that came after a mark
// have another id, and else the reason that is given.
func (d *desk) astray(from probe.Mark, s *subscription, otherwise string) string {
	all := d.came(from, "")
	if len(all) == 0 || len(d.came(from, s.id)) > 0 {
		return otherwise
	}
	judging := "ext-push/event-shape"
	if s.id != s.wished && all[0].subscription() == s.wished {
		judging = "ext-push/subscribe-active"
	}
	return fmt.Sprintf("subscription_id of the events that came is %s, and %q in the answer to the subscription, which %s judges",
		probe.Show(probe.Member(all[0].params, "subscription_id")), s.id, judging)
}

// silent expects that no event of a subscription has come since a mark.
func (d *desk) silent(from probe.Mark, s *subscription, after string) error {
	subscriptions.Settle(d.Client)
	if late := d.came(from, s.id); len(late) > 0 {
		return probe.Shown(s, probe.One(late[0].Frame)).Violation("an event of %q came after %s, want none", s.id, after)
	}
	return nil
}
