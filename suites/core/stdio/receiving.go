package stdio

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// receivingCases judge the one channel that all requests share in revisions without a
// handshake.
func receivingCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "stdio/no-requests-on-stdout",
			Title:  "the server sends no requests of its own",
			Checks: []requirements.ID{"stdio-no-requests-on-stdout"},
			Fix:    "return a result of type input_required instead of sending a request",
			Sees:   "a message without a handshake",
			Watch:  probe.OnEachStateless(noRequests),
		},
		{
			ID:     "stdio/notifications-attributable",
			Title:  "every notification belongs to a running request or to a subscription",
			Checks: []requirements.ID{"stdio-notifications-attributable"},
			Fix:    "send notifications only while the request that asked for them runs, or for an open subscriptions/listen",
			Sees:   "a notification without a handshake",
			Watch:  func() probe.Watcher { return &attributable{running: map[string]bool{}} },
		},
	}
}

func noRequests(m probe.Message) probe.Opinion {
	if m.Class == frame.Request {
		return probe.Breaks("the server sends the request %s, want responses and notifications only", probe.Show(m.Method))
	}
	return probe.Kept()
}

// attributable looks for notifications that no request can have caused. It passes over
// connections with a handshake, where a server of both eras follows the older rules.
type attributable struct {
	handshake bool
	running   map[string]bool // open requests by id, and whether they asked for logs
	listened  bool            // the client opened a subscription
}

func (w *attributable) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir == frame.Sent {
		w.sent(s.Message())
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		switch {
		case w.handshake:
		case m.Responds():
			delete(w.running, frame.IDKey(m.ID))
		case m.Class == frame.Notification:
			said = said.And(w.judge(m))
		}
	}
	return said
}

func (w *attributable) sent(text frame.Message) {
	for _, m := range probe.Singles(text) {
		if m.Class != frame.Request {
			continue
		}
		_, logs := m.At("/params/_meta/io.modelcontextprotocol~1logLevel")
		w.running[frame.IDKey(m.ID)] = logs
		w.listened = w.listened || m.Method == "subscriptions/listen"
		w.handshake = w.handshake || m.Method == "initialize"
	}
}

// judge passes over notifications that the rules on progress, cancellation, tasks and
// roots already forbid.
func (w *attributable) judge(m probe.Message) probe.Opinion {
	n, known := protocol.NotificationOf(m.Method)
	attributed := w.listened
	switch {
	case m.Method == "notifications/message":
		attributed = w.logging()
		if !attributed && len(w.running) > 0 {
			return probe.Nothing() // a rule on logging judges it
		}
	case known && !n.Listens:
		return probe.Nothing()
	case !known:
		// Extensions have notifications of their own.
		attributed = w.listened || len(w.running) > 0 || len(m.Survey.Extensions()) > 0
	}
	if attributed {
		return probe.Kept()
	}
	return probe.Breaks("%s belongs to no running request and to no subscription", probe.Show(m.Method))
}

func (w *attributable) logging() bool {
	for _, logs := range w.running {
		if logs {
			return true
		}
	}
	return false
}
