package push

import (
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches make the extension misbehave for a fault. The zero Switches keep every rule.
type Switches struct {
	Deaf            bool // a subscription is active although nothing carries its events
	NeverEnds       bool // subscriptions have no end
	Never           bool // events are not sent
	OnNext          bool // events are sent when the next request comes
	NoFilter        bool // filters are ignored
	FilterDropsAll  bool // no event passes a filter
	AllTypes        bool // every type of event is sent
	Broadcast       bool // events are sent to everybody
	Unordered       bool // every other event comes late
	Goes            int  // events that are sent after unsubscribing
	CancelsAnything bool // unsubscribing any id succeeds
	EmptyCancelsAll bool // unsubscribing without an id ends all subscriptions of its sender
	CancelsAll      bool // unsubscribing ends all subscriptions of its sender
	EndsSilently    bool // the end of a subscription is not told
	EndsWithStream  bool // a subscription ends with the stream of its events
	AnyReader       bool // who knows an id listens to its events
	AnyCancel       bool // who knows an id ends its subscription
	SameID          bool // an id may have several subscriptions
	OnCaller        bool // an event comes on the stream of the request that raised it
	Loses           bool // the fourth event of a subscription is not sent
	Again           bool // the fourth event of a subscription is sent twice
	Stale           bool // from the fourth event on, a subscription gets the payload of the one before
	FirstID         bool // an event bears the id of its owner's first subscription
	FirstType       bool // an event bears the first name that its subscription is for
	EndsFalsely     bool // the end of subscriptions is told, and they go on
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}

// deliver sends an event to its subscriber.
func (d *Desk) deliver(t *core.Turn, s *subscription, params func() map[string]any) {
	c := d.counted(s, params()["payload"])
	params = d.Faults.changed(c, s, params)
	send := func() { d.tell(s, told, params) }
	switch f := d.Faults; {
	case f.Loses && c.n == broken:
	case f.Again && c.n == broken:
		send()
		send()
	case f.Never:
	case f.OnNext:
		d.mu.Lock()
		d.late = append(d.late, send)
		d.mu.Unlock()
	case f.Broadcast:
		core.TellEverybody(d.core, told, params)
	case f.Unordered && d.odd():
		time.AfterFunc(50*time.Millisecond, send)
	case f.OnCaller:
		t.Notify(told, params())
	default:
		send()
	}
}

// broken is the event of a subscription that faults break: cases that wait for one event or
// two do not come so far.
const broken = 4

// A count is which event of a subscription one is, and what faults put into it.
type count struct {
	n       int
	first   string // the id of its owner's first subscription
	payload any    // that of the event before
}

func (d *Desk) counted(s *subscription, payload any) count {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.sent++
	c := count{s.sent, s.id, s.payload}
	s.payload = payload
	if i := slices.IndexFunc(d.kept, func(other *subscription) bool { return other.conv == s.conv && other.owner == s.owner }); i >= 0 {
		c.first = d.kept[i].id
	}
	return c
}

// changed is what an event holds.
func (f Switches) changed(c count, s *subscription, params func() map[string]any) func() map[string]any {
	return func() map[string]any {
		all := params()
		if f.Stale && c.n >= broken {
			all["payload"] = c.payload
		}
		if f.FirstID {
			all["subscription_id"] = c.first
		}
		if f.FirstType {
			all["event"] = s.types[0]
		}
		return all
	}
}

// tell sends something about a subscription to its owner.
func (d *Desk) tell(s *subscription, method string, params func() map[string]any) {
	d.core.TellEvent(s.conv, s.id, func(t *core.Turn) bool { return s.belongsTo(t) || d.Faults.AnyReader }, method, params)
}

// odd is true for every other event.
func (d *Desk) odd() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.late = append(d.late, nil)
	return len(d.late)%2 == 1
}

// flush sends what waited for a request.
func (d *Desk) flush(_ *core.Turn, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	d.mu.Lock()
	late := d.late
	d.late = nil
	d.mu.Unlock()
	for _, send := range late {
		send()
	}
	return next()
}

// end ends a subscription. The caller holds the lock.
func (d *Desk) end(i int, t *core.Turn) {
	switch {
	case d.Faults.CancelsAll:
		d.endOwn(t)
	case d.Faults.Goes > 0:
		d.kept[i].over, d.kept[i].more = true, d.Faults.Goes
	default:
		d.kept = slices.Delete(d.kept, i, i+1)
	}
}

func (d *Desk) endOwn(t *core.Turn) {
	d.kept = slices.DeleteFunc(d.kept, func(s *subscription) bool { return s.belongsTo(t) })
}

// endWith ends subscriptions when their stream is closed.
func (d *Desk) endWith(t *core.Turn, ids []string) {
	if !d.Faults.EndsWithStream {
		return
	}
	go func() {
		<-t.Stopped()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.kept = slices.DeleteFunc(d.kept, func(s *subscription) bool { return slices.Contains(ids, s.id) && s.belongsTo(t) })
	}()
}

// loosely answers a request to unsubscribe that names nothing.
func (d *Desk) loosely(t *core.Turn, failure *core.Error) (fault.Message, *core.Error) {
	if !d.Faults.EmptyCancelsAll {
		return nil, failure
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endOwn(t)
	return fault.Message{"status": "cancelled"}, nil
}
