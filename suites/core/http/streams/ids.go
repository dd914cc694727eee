package streams

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func idCases() []suite.Case {
	return []suite.Case{{
		ID:     "http/event-id-unique",
		Title:  "no two events of a session have the same id",
		Checks: []requirements.ID{"http-event-id-unique"},
		Needs:  httpNeeds(),
		Fix:    "put what tells the stream apart into the ids of its events, such as its number before that of the event",
		Watch:  func() probe.Watcher { return &uniqueIDs{} },
	}}
}

// uniqueIDs remembers the events of one session. It passes over resumed streams, which
// replay events.
type uniqueIDs struct {
	session string
	events  map[string]probe.Evidence // the event and the request that opened its stream
}

func (w *uniqueIDs) See(s *probe.WatchedFrame) probe.Opinion {
	_, x := exchanges.Of(s)
	if x == nil || s.Dir == frame.Sent {
		return probe.Nothing()
	}
	if session := sessionOf(x); session != "" && session != w.session {
		w.session, w.events = session, nil
	}
	if s.SSE == nil || !s.SSE.HasID || s.SSE.ID == "" || x.LastEvent() != "" || !x.Streams() {
		return probe.Nothing()
	}
	event := probe.Evidence{x.Sent.Frame, s.Frame.Event()}
	if before, again := w.events[s.SSE.ID]; again {
		return before.And(event).Violation("%s is the id of two events, want a new one for each", probe.Show(s.SSE.ID)).Opinion()
	}
	if w.events == nil {
		w.events = map[string]probe.Evidence{}
	}
	w.events[s.SSE.ID] = event
	return probe.Kept()
}

// sessionOf is the session of an exchange, or the session that the exchange opens.
func sessionOf(x *exchanges.Exchange) string {
	if id := x.Session(); id != "" || x.Head.HTTP == nil {
		return id
	}
	given := slices.Clone(x.Head.HTTP.Header.Values("Mcp-Session-Id"))
	if len(given) == 0 {
		return ""
	}
	return given[0]
}
