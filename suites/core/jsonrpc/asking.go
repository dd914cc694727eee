package jsonrpc

import (
	"context"
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// serverRequestCases watch what the server asks of its client.
func serverRequestCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/server-request-id-type",
			Title:  "requests of the server have a string or an integer as id",
			Checks: []requirements.ID{"jsonrpc-server-request-id-type"},
			Fix:    "number your own requests with integers or strings",
			Watch:  each(serverRequestIDType),
		},
		{
			ID:     "jsonrpc/server-request-id-not-null",
			Title:  "requests of the server never have the id null",
			Checks: []requirements.ID{"jsonrpc-server-request-id-not-null"},
			Fix:    "give every request of your own an id; what needs no answer is a notification without one",
			Watch:  each(serverRequestIDNotNull),
		},
		{
			ID:     "jsonrpc/server-request-id-unique",
			Title:  "requests of the server have ids that differ within a session",
			Checks: []requirements.ID{"jsonrpc-server-request-id-unique"},
			Fix:    "count the ids of your own requests up per session",
			Watch:  func() probe.Watcher { return &asked{reader: newReader(), events: map[string]bool{}} },
		},
		{
			ID:     "jsonrpc/no-server-requests",
			Title:  "the server sends no requests of its own",
			Checks: []requirements.ID{"jsonrpc-no-server-requests"},
			Fix:    "ask the client by an input_required result instead of a request",
			Watch:  func() probe.Watcher { return &modernOnly{reader: newReader(), judge: noRequest} },
		},
		{
			ID:     "jsonrpc/no-server-requests-to-capable-client",
			Title:  "the server sends no requests to a client with every capability",
			Checks: []requirements.ID{"jsonrpc-no-server-requests"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "take the client's capabilities as what may be asked in an input_required result, not as leave to send requests",
			Run:    noRequestsToCapableClient,
		},
	}
}

func serverRequestIDType(m message) (bool, string) {
	if !m.asks() || m.ID == "null" {
		return false, ""
	}
	switch id := m.member("/id").(type) {
	case string:
		return true, ""
	case json.Number:
		if whole(id) {
			return true, ""
		}
	}
	return true, ".id of " + m.Method + " is " + probe.Show(m.member("/id")) + ", want a string or an integer"
}

func serverRequestIDNotNull(m message) (bool, string) {
	if !m.asks() {
		return false, ""
	}
	if m.ID == "null" {
		return true, ".id of " + m.Method + " is null, want a string or an integer"
	}
	return true, ""
}

// asked remembers the requests of the server in one session. Over HTTP without
// a session each exchange stands for itself.
type asked struct {
	reader  *reader
	session bool
	events  map[string]bool // ids of server-sent events: a replay repeats them
	past    map[past]frame.Frame
}

type past struct {
	id       string // as its JSON text says it
	exchange int    // where each stands for itself
}

func (a *asked) See(s probe.Seen) probe.Opinion {
	judged := false
	var v *probe.Violation
	switch {
	case s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Header.Get("Mcp-Session-Id") != "":
		a.session = true
	case s.Dir == frame.Sent && s.Message().Method == "initialize":
		a.past = nil
	}
	if replayed(s, a.events) {
		return probe.Nothing()
	}
	for _, m := range a.reader.messages(s) {
		if !m.asks() || m.ID == "null" {
			continue
		}
		judged = true
		asking := past{id: m.ID}
		if !a.session {
			asking.exchange = s.Exchange
		}
		before, again := a.past[asking]
		switch {
		case again && v == nil:
			v = probe.Broken([]frame.Frame{before, s.Frame}, "%s.id is %s again, want an id that this session has not seen", m.at, m.ID)
		case !again && a.past == nil:
			a.past = map[past]frame.Frame{asking: s.Frame}
		case !again:
			a.past[asking] = s.Frame
		}
	}
	return probe.Said(judged, v)
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

func newReader() *reader { return &reader{refused: map[int]bool{}} }

// modernOnly judges the messages of conversations without a handshake; a
// server of both eras is bound by the older rules after one.
type modernOnly struct {
	reader *reader
	judge  rule
	opened bool
}

func (w *modernOnly) See(s probe.Seen) probe.Opinion {
	judged := false
	var v *probe.Violation
	if s.Dir == frame.Sent && s.Message().Method == "initialize" {
		w.opened = true
	}
	if w.opened || !s.Revision.Modern() {
		return probe.Nothing()
	}
	for _, m := range w.reader.messages(s) {
		applies, problem := w.judge(m)
		judged = judged || applies
		if problem != "" && v == nil {
			v = s.Break(m.at + problem)
		}
	}
	return probe.Said(judged, v)
}

// Whatever is no request shows that the rule is kept.
func noRequest(m message) (bool, string) {
	if m.asks() {
		return true, " is a request of the server for " + m.Method + ", want results and notifications only"
	}
	return true, ""
}

func noRequestsToCapableClient(ctx context.Context, c *probe.Client) error {
	from := c.Mark()
	everything := probe.Object{"elicitation": probe.Object{}, "sampling": probe.Object{}, "roots": probe.Object{}}
	reply, err := c.Call(ctx, list(c).method, probe.Object{"_meta": probe.Object{probe.MetaCapabilities: everything}})
	if err != nil {
		return err
	}
	if _, err := c.Barrier(ctx); err != nil {
		return err
	}
	for _, s := range c.Since(from) {
		if s.Dir == frame.Received && s.Kind == frame.KindMessage && (message{Message: s.Message()}).asks() {
			return probe.Broken(append(reply.Evidence(), s.Frame), "the server asks for %s by a request, want none", s.Message().Method)
		}
	}
	return nil
}
