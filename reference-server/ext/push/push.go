// Package push serves the push extension: a client subscribes to events of the office, and
// is told of each as it happens, until it unsubscribes or its time is over.
package push

import (
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// The methods and notifications of the extension.
const (
	prefix      = "io.github.mcp-extension-proposals/"
	subscribe   = "events/subscribe"
	unsubscribe = "events/unsubscribe"
	told        = "notifications/event"
	terminated  = "notifications/subscription_terminated"
)

// pollSeconds is how often to ask instead where nothing carries events.
const pollSeconds = 30

// maxKept is how many subscriptions the desk keeps. Beyond it a new one ends the oldest.
const maxKept = 10_000

// Types are the types of events.
func Types() []string { return []string{"vessel_arrived", "vessel_left"} }

// Options are the options of a desk.
type Options struct {
	Now   func() time.Time
	Fault *fault.Fault // nil keeps every rule
}

// A Desk keeps the subscriptions of all clients, and tells them of events.
type Desk struct {
	Options
	Faults Switches
	core   *core.Core

	mu   sync.Mutex
	kept []*subscription // the oldest first
	late []func()        // for faults: what waits for the next request
}

// New returns a desk.
func New(o Options) *Desk { return &Desk{Options: o, Faults: switches(o.Fault)} }

// Serve lets the desk send through a core.
func (d *Desk) Serve(c *core.Core) { d.core = c }

// Extension is the desk as an extension.
func (d *Desk) Extension() core.Extension {
	e := core.Extension{
		Name: "push", Key: prefix + "subscribe_notify", ListenEvents: d.listen,
		Methods: map[string]func(*core.Turn) (fault.Message, *core.Error){subscribe: d.subscribe, unsubscribe: d.unsubscribe},
	}
	if d.Faults.OnNext {
		e.Serve = d.flush
	}
	return e
}

// A subscription belongs to the conversation that made it, or without a handshake to its
// principal.
type subscription struct {
	id     string
	conv   *core.Conversation // nil without a handshake
	owner  string
	types  []string
	filter map[string]any // properties that the payload has to have
	ends   time.Time      // zero: never
	more   int            // for faults: events that are sent although it has ended
	over   bool           // for faults
	sent   int            // for faults: events that it was for

	payload any // for faults: that of the last event
}

func (s *subscription) belongsTo(t *core.Turn) bool {
	if t.Modern() {
		return s.conv == nil && s.owner == t.Principal()
	}
	return s.conv == t.Conversation()
}

func (d *Desk) subscribe(t *core.Turn) (fault.Message, *core.Error) {
	asked, failure := read(t)
	if failure != nil {
		return nil, failure
	}
	s := &subscription{id: asked.ID, owner: t.Principal(), types: asked.Events, filter: asked.Filter}
	if s.id == "" {
		s.id = "sub-" + rand.Text()
	}
	if !t.Modern() {
		s.conv = t.Conversation()
	}
	answer := fault.Message{"subscription_id": s.id, "supported_events": Types()}
	if s.conv != nil && s.conv.Push == nil && !d.Faults.Deaf {
		answer["status"], answer["supported"], answer["poll_interval_seconds"] = "denied", false, pollSeconds
		answer["reason"] = "This connection cannot carry events; list the bookings from time to time."
		return answer, nil
	}
	if i := slices.IndexFunc(s.types, func(event string) bool { return !slices.Contains(Types(), event) }); i >= 0 {
		answer["status"], answer["reason"] = "denied", "There are no events "+s.types[i]+"."
		return answer, nil
	}
	if asked.Seconds > 0 {
		s.ends = d.Now().Add(time.Duration(asked.Seconds) * time.Second)
		answer["expires_at"] = s.ends.UTC().Format(time.RFC3339Nano)
	}
	if !d.keep(t, s) {
		return nil, t.RefuseError(invalidParams, "the subscription "+s.id+" is active", core.Refusal{
			Code: "INVALID_INPUT", Category: core.InvalidInput, Suggestion: "Choose another id, or unsubscribe first.",
		})
	}
	answer["status"] = "active"
	return answer, nil
}

// keep reports whether a subscription could be kept: an owner has one of each id.
func (d *Desk) keep(t *core.Turn, s *subscription) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	if !d.Faults.SameID && slices.ContainsFunc(d.kept, func(other *subscription) bool { return other.id == s.id && other.belongsTo(t) }) {
		return false
	}
	if len(d.kept) == maxKept {
		d.kept = slices.Delete(d.kept, 0, 1)
	}
	d.kept = append(d.kept, s)
	return true
}

// sweep forgets subscriptions whose time is over.
func (d *Desk) sweep() {
	now := d.Now()
	d.kept = slices.DeleteFunc(d.kept, func(s *subscription) bool {
		return !s.ends.IsZero() && !now.Before(s.ends) && !d.Faults.NeverEnds
	})
}

func (d *Desk) unsubscribe(t *core.Turn) (fault.Message, *core.Error) {
	id, failure := readID(t)
	if failure != nil {
		return d.loosely(t, failure)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	i := slices.IndexFunc(d.kept, func(s *subscription) bool { return s.id == id && (s.belongsTo(t) || d.Faults.AnyCancel) })
	if i < 0 {
		if d.Faults.CancelsAnything {
			return fault.Message{"subscription_id": id, "status": "cancelled"}, nil
		}
		return nil, t.RefuseError(invalidParams, "there is no subscription "+id, core.Refusal{
			Code: "RESOURCE_NOT_FOUND", Category: core.Permanent, Suggestion: "Use the id that the subscription was answered with.",
		})
	}
	d.end(i, t)
	return fault.Message{"subscription_id": id, "status": "cancelled"}, nil
}

// listen leaves the ids of subscriptions that belong to the sender of the request.
func (d *Desk) listen(t *core.Turn, ids []string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var own []string
	for _, id := range ids {
		if d.Faults.AnyReader || slices.ContainsFunc(d.kept, func(s *subscription) bool { return s.id == id && s.belongsTo(t) }) {
			own = append(own, id)
		}
	}
	d.endWith(t, own)
	return own
}

// Publish tells every subscriber of an event. Turn is the request that raised it.
func (d *Desk) Publish(t *core.Turn, event string, payload map[string]any) {
	d.mu.Lock()
	d.sweep()
	happened := d.Now().UTC().Format(time.RFC3339Nano)
	var wanting []*subscription
	for _, s := range d.kept {
		if d.wants(s, event, payload) {
			wanting = append(wanting, s)
		}
	}
	d.kept = slices.DeleteFunc(d.kept, func(s *subscription) bool { return s.over && s.more == 0 })
	d.mu.Unlock()
	for _, s := range wanting {
		d.deliver(t, s, func() map[string]any {
			return map[string]any{
				"type": "event", "subscription_id": s.id, "event": event, "timestamp": happened, "payload": payload,
				"action_hint": map[string]any{
					"recommended_tool": "mooring_fee", "parameters": map[string]any{"length": 12.5, "nights": 1},
					"reason": "The fee is due on arrival.",
				},
			}
		})
	}
}

func (d *Desk) wants(s *subscription, event string, payload map[string]any) bool {
	if !slices.Contains(s.types, event) && !d.Faults.AllTypes {
		return false
	}
	for name, value := range s.filter {
		if fmt.Sprint(payload[name]) != fmt.Sprint(value) && !d.Faults.NoFilter {
			return false
		}
	}
	if s.over {
		s.more--
	}
	return len(s.filter) == 0 || !d.Faults.FilterDropsAll
}

// EndAll ends all subscriptions, as before a restart, and tells their owners.
func (d *Desk) EndAll(reason string) {
	d.mu.Lock()
	ended := d.kept
	if !d.Faults.EndsFalsely {
		d.kept = nil
	}
	d.mu.Unlock()
	if d.Faults.EndsSilently {
		return
	}
	at := d.Now().UTC().Format(time.RFC3339)
	for _, s := range ended {
		d.tell(s, terminated, func() map[string]any {
			return map[string]any{"subscription_id": s.id, "timestamp": at, "reason": reason}
		})
	}
}
