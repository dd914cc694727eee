package ping

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const busy = "ping/while-busy"

// callsCase needs no slow tool by role: where a read-only tool turns out to be slow, the
// kit looks by a ping whether the server still answers.
func callsCase() suite.Case {
	return suite.Case{
		ID:     "ping/during-slow-call",
		Title:  "a ping during a call that takes long is answered before the call",
		Checks: []requirements.ID{"ping-while-busy"},
		Fix:    "run tools outside the loop that reads messages, and yield within long computations",
		Sees:   "a ping during a call that took longer than a second",
		Watch:  func() probe.Watcher { return &calls{open: map[string]*call{}, pings: map[string]*pinged{}} },
	}
}

// started is the time after which a call has surely begun.
const started = time.Second

// calls looks for pings that wait for calls which ran already. It leaves the pings of
// ping/while-busy to that case, and calls that the client gave up.
type calls struct {
	open  map[string]*call // by id
	pings map[string]*pinged
}

type call struct {
	sent  probe.Seen
	ended *probe.Seen
}

type pinged struct {
	sent   probe.Seen
	during []*call // that ran already, at least one
}

func (w *calls) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir == frame.Sent {
		w.sent(s)
		return probe.Nothing()
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		if !m.Responds() || !m.HasID {
			continue
		}
		key := frame.IDKey(m.ID)
		if ended, ok := w.open[key]; ok {
			at := s.Seen
			ended.ended = &at
			delete(w.open, key)
		}
		if ping, ok := w.pings[key]; ok {
			delete(w.pings, key)
			said = said.And(ping.answered(s.Seen))
		}
	}
	return said
}

func (w *calls) sent(s *probe.WatchedFrame) {
	for _, m := range probe.Singles(s.Message()) {
		switch {
		case s.Case == busy || s.Malformed:
		case m.Class == frame.Request && m.Method == "tools/call":
			w.open[frame.IDKey(m.ID)] = &call{sent: s.Seen}
		case m.Class == frame.Request && m.Method == "ping":
			var during []*call
			for _, running := range w.open {
				if s.At-running.sent.At > started {
					during = append(during, running)
				}
			}
			if len(during) > 0 {
				w.pings[frame.IDKey(m.ID)] = &pinged{s.Seen, during}
			}
		case m.Method == "notifications/cancelled":
			id, _ := m.At("/params/requestId")
			text, _ := json.Marshal(id)
			delete(w.open, frame.IDKey(string(text)))
		}
	}
}

// answered judges a ping that waited for most of the time of each call. A ping sent shortly
// before the end of a call shows nothing, and neither does one that took no longer than
// any answer of the server takes.
func (p *pinged) answered(s probe.Seen) probe.Opinion {
	if slices.ContainsFunc(p.during, func(c *call) bool { return c.ended == nil }) {
		return probe.Kept()
	}
	waited := s.At - p.sent.At - s.Away
	short := func(c *call) bool { return c.ended.Seq >= s.Seq || waited <= (c.ended.At-c.sent.At)/2 }
	if slices.ContainsFunc(p.during, short) || s.Survey != nil && waited <= 2*s.Survey.RoundTrip {
		return probe.Nothing()
	}
	last := slices.MaxFunc(p.during, func(a, b *call) int { return cmp.Compare(a.ended.Seq, b.ended.Seq) })
	return probe.Shown(probe.One(last.sent.Frame), probe.One(p.sent.Frame), probe.One(last.ended.Frame), probe.One(s.Frame)).Violation(
		"the ping was answered only after the call had finished, %s after it was sent, want an answer while the call runs",
		waited.Round(time.Millisecond)).Opinion()
}
