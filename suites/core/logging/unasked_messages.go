package logging

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func unaskedMessagesCase() suite.Case {
	return suite.Case{
		ID:     "logging/unasked-messages",
		Title:  "a request without a log level gets no log messages",
		Checks: []requirements.ID{"logging-opt-in-per-request"},
		Fix:    "send notifications/message only for requests whose _meta has " + protocol.MetaLogLevel,
		Sees:   "the answer to a call of a tool, or a log message",
		Watch:  func() probe.Watcher { return &unasked{open: map[string]request{}} },
	}
}

// unasked looks for log messages that no request can have asked for. It passes over
// connections with a handshake, where a server of both eras follows the older rules.
// Over stdio one channel serves all requests, so a message may belong to any open one, and
// a late one to any that asked for logs before.
type unasked struct {
	handshake bool
	asked     bool               // a request on this connection asked for logs
	open      map[string]request // over stdio, by id
	posted    map[int]request    // over HTTP, by exchange
}

// A request is what matters of one: whether it asked for logs, and whether it names the
// revision of the column, without which a server of both eras may take it for an older one.
type request struct{ logs, current bool }

func (w *unasked) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir == frame.Sent {
		w.sent(s)
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		switch {
		case w.handshake:
		case m.Responds():
			if m.Request.Method == "tools/call" && !w.open[frame.IDKey(m.ID)].logs {
				said = said.And(probe.Kept())
			}
			delete(w.open, frame.IDKey(m.ID))
			delete(w.posted, s.Exchange)
		case m.Class == frame.Notification && m.Method == "notifications/message":
			said = said.And(w.judge(s))
		}
	}
	return said
}

func (w *unasked) sent(s *probe.WatchedFrame) {
	for _, m := range probe.Singles(s.Message()) {
		if m.Class != frame.Request {
			continue
		}
		_, logs := m.At("/params/_meta/io.modelcontextprotocol~1logLevel")
		version, _ := m.At("/params/_meta/io.modelcontextprotocol~1protocolVersion")
		r := request{logs, version == string(s.Revision) && !s.Malformed}
		w.handshake = w.handshake || m.Method == "initialize"
		w.asked = w.asked || logs
		w.open[frame.IDKey(m.ID)] = r
		if s.Exchange > 0 {
			if w.posted == nil {
				w.posted = map[int]request{}
			}
			w.posted[s.Exchange] = r
		}
	}
}

func (w *unasked) judge(s *probe.WatchedFrame) probe.Opinion {
	if s.Transport == requirements.HTTP {
		switch r, known := w.posted[s.Exchange]; {
		case !known || !r.current:
			return probe.Nothing()
		case r.logs:
			return probe.Kept()
		case w.othersAsk():
			return probe.Nothing() // logging/own-stream judges messages of one request on the stream of another
		}
		return breaks()
	}
	if w.asked || len(w.open) == 0 { // stdio/notifications-attributable judges those of no request
		return probe.Nothing()
	}
	for _, r := range w.open {
		if !r.current {
			return probe.Nothing()
		}
	}
	return breaks()
}

// othersAsk reports whether some open request over HTTP asks for logs.
func (w *unasked) othersAsk() bool {
	for _, r := range w.posted {
		if r.logs {
			return true
		}
	}
	return false
}

func breaks() probe.Opinion {
	return probe.Breaks("notifications/message comes for a request without %s in _meta, want no log messages", protocol.MetaLogLevel)
}
