package cancellation

import (
	"net/http"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const sampling = "sampling/createMessage"

// serverCases judge what the server cancels itself.
func serverCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "cancellation/server-names-own-request",
			Title:  "the server cancels its own open requests only",
			Checks: []requirements.ID{"cancellation-server-sent-valid"},
			Fix:    "send notifications/cancelled with the id of a request that the server sent and that is not answered yet",
			Sees:   "a cancellation by the server",
			Watch: func() probe.Watcher {
				return &own{asked: map[string]bool{}, answered: map[string]probe.Seen{}}
			},
		},
		{
			ID:     "cancellation/late-response-ignored",
			Title:  "a response that comes after the server gave its request up does no harm",
			Checks: []requirements.ID{"cancellation-server-ignores-late-response"},
			Needs:  []suite.Need{suite.Role(roles.ClientRequest, "sampling"), suite.Role(roles.ClientRequest, "gives-up-after")},
			Lane:   suite.Waits,
			Fix:    "ignore a response whose id belongs to no open request of the server",
			Run:    lateResponse,
		},
		{
			ID:     "cancellation/server-names-subscription",
			Title:  "the server cancels nothing but subscriptions of its client",
			Checks: []requirements.ID{"cancellation-server-only-listen"},
			Fix:    "send notifications/cancelled only to end a subscriptions/listen, with its id",
			Sees:   "a cancellation by the server, or the end of a subscription",
			Watch:  func() probe.Watcher { return &onlyListen{listens: map[string]bool{}} },
		},
		{
			ID:    "cancellation/subscription-ended",
			Title: "a server that ends a subscription says so, by a cancellation or by the response",
			// The page on subscriptions describes a response, which says the same.
			Checks: []requirements.ID{"cancellation-server-ends-listen"},
			Needs: []suite.Need{
				suite.Over(requirements.Stdio), suite.Role(roles.Trigger, "shutdown"), suite.Role(roles.Trigger, "tools"),
				suite.Capability("tools.listChanged"),
			},
			Lane:     suite.Fresh,
			Observes: roles.Trigger,
			Fix:      "send notifications/cancelled with the id of the subscription, or answer its request, before it ends",
			Run:      subscriptionEnded,
		},
	}
}

// own remembers the requests of the server.
type own struct {
	asked    map[string]bool       // by id: whether it is open
	answered map[string]probe.Seen // the client's responses
	settled  map[string]bool       // ids of requests that were answered well before
	resumed  bool                  // the client asked for the rest of a stream, perhaps of another connection
	standing bool                  // the client opened a stream for messages that belong to no request
	pending  map[string][]string   // ids of the server's requests that a request of the client came behind
}

func (w *own) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir == frame.Sent {
		w.sent(s.Seen)
		return probe.Nothing()
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		switch id, _ := m.At("/params/requestId"); {
		case m.Asks():
			w.asked[frame.IDKey(m.ID)] = true
		case m.Responds():
			w.settle(frame.IDKey(m.ID))
		case m.Class == frame.Notification && m.Method == method:
			said = said.And(w.judge(frame.IDKey(probe.JSON(id)), id, s))
		}
	}
	return said
}

func (w *own) sent(s probe.Seen) {
	w.resumed = w.resumed || s.HTTP != nil && s.HTTP.Header.Get(protocol.HeaderLastEvent) != ""
	w.standing = w.standing || s.HTTP != nil && s.HTTP.Method == http.MethodGet
	for _, m := range probe.Singles(s.Message()) {
		key := frame.IDKey(m.ID)
		switch m.Class {
		case frame.Result, frame.Error:
			w.answered[key] = s
		case frame.Request:
			for id := range w.answered {
				if w.settled[id] {
					continue
				}
				if w.pending == nil {
					w.pending = map[string][]string{}
				}
				w.pending[key] = append(w.pending[key], id)
			}
		case frame.Notification, frame.Batch, frame.NotAMessage, frame.NotJSON:
		}
	}
}

// settle notes that the server answered a request which came behind responses of the client:
// it has read those.
func (w *own) settle(key string) {
	for _, id := range w.pending[key] {
		if w.settled == nil {
			w.settled = map[string]bool{}
		}
		w.settled[id] = true
	}
	delete(w.pending, key)
}

// judge leaves a cancellation without an id to the schema. Over HTTP nobody can tell which
// of two streams was written to first, and a request of the server is lost while the stream for
// it is not open.
func (w *own) judge(key string, id any, s *probe.WatchedFrame) probe.Opinion {
	switch {
	case id == nil:
		return probe.Nothing()
	case !w.asked[key] && s.Transport == requirements.HTTP && !w.standing:
		return probe.Nothing()
	case !w.asked[key] && !w.resumed:
		return probe.Breaks("$.params.requestId is %s, which no request of the server has, want the id of an open one", probe.Show(id))
	case w.settled[key] && s.Transport == requirements.Stdio:
		return probe.Shown(probe.One(w.answered[key].Frame), probe.One(s.Frame)).Violation(
			"$.params.requestId is %s, which the client answered well before, want the id of an open request", probe.Show(id)).Opinion()
	}
	return probe.Kept()
}

// lateResponse leaves a sampling request open until the server gives it up. A server need
// not say that it does.
func lateResponse(c *probe.Client) error {
	after := c.Role(roles.ClientRequest).Fields().Duration("gives-up-after", time.Minute)
	c.UndecideIf(after > c.Waits().Max, "roles.client-request.gives-up-after is longer than wait.max, "+c.Waits().Max.String())
	able := c.With(c.Capabilities().With("sampling", probe.Object{}))
	asked := make(chan string, 1)
	able.Answers(sampling, func(r probe.Request) any {
		select {
		case asked <- r.ID:
		default:
		}
		return nil
	})
	call := able.StartTool(c.Role(roles.ClientRequest).Field("sampling"), nil, probe.Within(after+c.Waits().Answer))
	reply := call.Reply()
	id := ""
	select {
	case id = <-asked:
	default:
		c.NotSeen("the tool of roles.client-request.sampling did not ask the client")
	}
	c.UndecideIf(!reply.Answered(), "the server waits for the answer longer than roles.client-request.gives-up-after says")
	from := able.Mark()
	text := `{"jsonrpc":"2.0","id":` + id + `,"result":{"role":"assistant","model":"kit","content":{"type":"text","text":"late"}}}`
	able.Send(text)
	able.AwaitEnds(from)
	behind := able.Barrier()
	if !behind.Answered() {
		return probe.Shown(sent(able, from, text), behind).Violation(
			"the request behind a late response gets %s, want a response", behind.Outcome())
	}
	if able.Transport() == requirements.HTTP {
		return nil // the status may refuse it
	}
	for _, s := range able.Since(from) {
		m := s.Message()
		if s.Dir == frame.Received && (m.Class == frame.Result || m.Class == frame.Error) && frame.SameID(m.ID, id) {
			return probe.Shown(sent(able, from, text), probe.One(s.Frame)).Violation("a late response is answered, want it ignored")
		}
	}
	return nil
}

// onlyListen remembers the subscriptions. It passes over connections with a handshake,
// where a server of both eras may cancel its requests.
type onlyListen struct {
	listens   map[string]bool
	handshake bool
}

func (w *onlyListen) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir == frame.Sent {
		for _, m := range probe.Singles(s.Message()) {
			w.handshake = w.handshake || m.Method == "initialize"
			if m.Class == frame.Request && m.Method == subscriptions.Method {
				w.listens[frame.IDKey(m.ID)] = true
			}
		}
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		switch id, _ := m.At("/params/requestId"); {
		case w.handshake:
		case m.Class == frame.Result && m.Request.Method == subscriptions.Method:
			said = said.And(probe.Kept())
		case m.Class != frame.Notification || m.Method != method, id == nil: // the schema wants an id
		case w.listens[frame.IDKey(probe.JSON(id))]:
			said = said.And(probe.Kept())
		default:
			said = said.And(probe.Breaks("$.params.requestId is %s, which no subscriptions/listen has, want no cancellation", probe.Show(id)))
		}
	}
	return said
}

// subscriptionEnded makes a change afterwards: where it is told, the subscription goes on.
func subscriptionEnded(c *probe.Client) error {
	l := subscriptions.Listen(c, probe.Object{"toolsListChanged": true})
	l.MustOpen()
	from := c.Mark()
	if err := c.Try(func() { c.Act(c.Role(roles.Trigger).Fields().At("shutdown")) }); err != nil {
		c.Note("the action of roles.trigger.shutdown was not answered: " + err.Error())
	}
	ends := func(s probe.Seen) bool {
		m, ok := subscriptions.Told(s, method)
		id, _ := m.At("/params/requestId")
		return l.Answers(s) || ok && frame.SameID(probe.JSON(id), l.ID())
	}
	if _, said := c.Await(from, grace(c), ends); said {
		return nil
	}
	c.Require(c.Try(func() { c.Act(c.Role(roles.Trigger).Fields().At("tools")) }), "the server ended before a change could be made")
	_, goes := c.Await(from, grace(c), func(s probe.Seen) bool { return l.Tells(s) && subscriptions.Says(s, protocol.ToolsChanged) })
	c.UndecideIf(goes, "roles.trigger.shutdown does not end the subscription")
	return probe.AtMostWarn(subscriptions.Since(c, from).Violation(
		"the subscription ended, and neither %s nor a response to its request came, want one of them", method))
}
