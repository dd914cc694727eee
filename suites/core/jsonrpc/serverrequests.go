package jsonrpc

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// serverRequestCases watch the requests of the server.
func serverRequestCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/server-request-id-type",
			Title:  "requests of the server have a string or an integer as id",
			Checks: []requirements.ID{"jsonrpc-server-request-id-type"},
			Fix:    "number your own requests with integers or strings",
			Owns:   []suite.Part{{Class: frame.Request, At: "/id"}},
			Sees:   "a request of the server",
			Watch:  probe.OnEach(serverRequestIDType),
		},
		{
			ID:     "jsonrpc/server-request-id-not-null",
			Title:  "requests of the server never have the id null",
			Checks: []requirements.ID{"jsonrpc-server-request-id-not-null"},
			Fix:    "give every request of your own an id; what needs no answer is a notification without one",
			Sees:   "a request of the server",
			Watch:  probe.OnEach(serverRequestIDNotNull),
		},
		{
			ID:     "jsonrpc/server-request-id-unique",
			Title:  "requests of the server have ids that differ within a session",
			Checks: []requirements.ID{"jsonrpc-server-request-id-unique"},
			Fix:    "count the ids of your own requests up within a session",
			Sees:   "a request of the server",
			Watch:  func() probe.Watcher { return &uniqueIDs{events: map[string]bool{}} },
		},
		{
			ID:     "jsonrpc/no-server-requests",
			Title:  "the server sends no requests of its own",
			Checks: []requirements.ID{"jsonrpc-no-server-requests", "http-sse-no-requests", "mrtr-only-mechanism"},
			Fix:    "ask the client by an input_required result instead of a request",
			Sees:   "a message without a handshake",
			Watch:  probe.OnEachStateless(noRequest),
		},
		{
			ID:     "jsonrpc/no-server-requests-to-capable-client",
			Title:  "the server sends no requests to a client with every capability",
			Checks: []requirements.ID{"jsonrpc-no-server-requests"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "take the client's capabilities as what may be asked in an input_required result, not as permission to send requests",
			Run:    noRequestsToCapableClient,
		},
	}
}

func serverRequestIDType(m probe.Message) probe.Opinion {
	if !m.Asks() || m.ID == "null" {
		return probe.Nothing()
	}
	switch id := m.Value("/id").(type) {
	case string:
		return probe.Kept()
	case json.Number:
		if whole(id) {
			return probe.Kept()
		}
	}
	return probe.Breaks("%s of %s is %s, want a string or an integer", m.Where("/id"), m.Method, probe.Show(m.Value("/id")))
}

func serverRequestIDNotNull(m probe.Message) probe.Opinion {
	switch {
	case !m.Asks():
		return probe.Nothing()
	case m.ID == "null":
		return probe.Breaks("%s of %s is null, want a string or an integer", m.Where("/id"), m.Method)
	}
	return probe.Kept()
}

// uniqueIDs remembers the requests of the server. Over HTTP without a session each exchange
// has its own ids. Each initialize may begin a session, in which the server uses its ids
// again, and a further one may be sent before the server has dealt with the one before.
type uniqueIDs struct {
	session bool
	opened  int             // how often initialize was sent
	events  map[string]bool // ids of server-sent events, which a replay repeats
	used    map[usedID][]frame.Frame
}

type usedID struct {
	id       string // the frame.IDKey of the id
	exchange int    // the HTTP exchange if there is no session, otherwise 0
}

func (w *uniqueIDs) See(s *probe.WatchedFrame) probe.Opinion {
	switch {
	case s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Header.Get(protocol.HeaderSession) != "":
		w.session = true
	case s.Dir == frame.Sent && s.Message().Method == "initialize":
		w.opened++
	}
	if replayed(s.Seen, w.events) {
		return probe.Nothing()
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		if m.Asks() && m.ID != "null" {
			said = said.And(w.use(m))
		}
	}
	return said
}

func (w *uniqueIDs) use(m probe.Message) probe.Opinion {
	used := usedID{id: frame.IDKey(m.ID)}
	if !w.session {
		used.exchange = m.Frame.Exchange
	}
	if before := w.used[used]; len(before) > 0 && len(before) >= w.opened {
		return probe.One(before[len(before)-1]).And(probe.One(m.Frame.Frame)).Violation(
			"%s is %s again, want an id that was not used in this session", m.Where("/id"), m.ID).Opinion()
	}
	if w.used == nil {
		w.used = map[usedID][]frame.Frame{}
	}
	w.used[used] = append(w.used[used], m.Frame.Frame)
	return probe.Kept()
}

// replayed reports whether a frame came in an event that was seen before.
func replayed(s probe.Seen, events map[string]bool) bool {
	if s.SSE == nil || !s.SSE.HasID || s.SSE.ID == "" {
		return false
	}
	before := events[s.SSE.ID]
	events[s.SSE.ID] = true
	return before
}

// noRequest counts every message that is not a request as keeping the rule.
func noRequest(m probe.Message) probe.Opinion {
	if m.Asks() {
		return probe.Breaks("%s is a request of the server for %s, want results and notifications only", m.Place, m.Method)
	}
	return probe.Kept()
}

func noRequestsToCapableClient(c *probe.Client) error {
	from := c.Mark()
	everything := probe.Object{"elicitation": probe.Object{}, "sampling": probe.Object{}, "roots": probe.Object{}}
	reply := c.Call(c.AnyList().Method, probe.Object{"_meta": probe.Object{protocol.MetaCapabilities: everything}})
	c.Barrier()
	var reader probe.Reader
	for _, s := range c.Since(from) {
		for _, m := range reader.Messages(s) {
			if m.Asks() {
				return probe.Shown(reply, probe.One(s.Frame)).Violation("the server sent a request for %s, want none", m.Method)
			}
		}
	}
	return nil
}
