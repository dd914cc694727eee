package logging

import (
	"cmp"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// requestCases call a tool with a level of its own. Nothing is below the first level.
func requestCases() []suite.Case {
	var cases []suite.Case
	for _, level := range levels()[1:] {
		cases = append(cases, suite.Case{
			ID:     "logging/request-" + level,
			Title:  "a request with the log level " + level + " gets no messages below it",
			Checks: []requirements.ID{"logging-request-threshold"},
			Needs:  []suite.Need{declares(), logs()},
			Fix:    "compare the level of each message with " + protocol.MetaLogLevel + " of the request that it is about",
			Run:    func(c *probe.Client) error { return aboveLevel(c, level) },
		})
	}
	return append(cases, suite.Case{
		ID:     "logging/own-stream",
		Title:  "the messages of a request come on its own stream only",
		Checks: []requirements.ID{"logging-on-own-stream"},
		Needs:  []suite.Need{suite.Over(requirements.HTTP), declares(), logs()},
		Fix:    "write notifications/message to the stream that answers the request, and to no other",
		Run:    ownStream,
	}, suite.Case{
		ID:     "logging/before-answer",
		Title:  "the messages of a request come before its answer",
		Checks: []requirements.ID{"logging-before-response"},
		Fix:    "send what is logged before the answer, and wait for whatever still logs",
		Sees:   "the answer to a request that was logged to the client",
		Watch:  func() probe.Watcher { return &ahead{asking: map[int]*asked{}, ended: map[int]*asked{}} },
	})
}

// aboveLevel passes over what is missing: what is logged is for the server to choose.
func aboveLevel(c *probe.Client, level string) error {
	some := probe.Once(c, "logging:asked", func() (bool, bool) { return len(askedFor(c, levels()[0]).all) > 0, true })
	c.NotSeenIf(!some, silent)
	called := askedFor(c, level)
	for _, m := range called.all {
		if below(m.level, level) {
			return probe.Shown(called.reply, probe.One(m.in)).Violation(
				"a message of the level %s comes for a request with the log level %s, want none below it", m.level, level)
		}
	}
	return nil
}

func askedFor(c *probe.Client, level string) calling {
	called := calling{from: c.Mark()}
	called.reply = c.CallTool(tool(c), asking(level))
	c.UndecideIf(!called.reply.Answered(), "the call of the tool got "+called.reply.Outcome())
	subscriptions.Settle(c)
	called.all = loggedSince(c, called.from)
	return called
}

// ownStream lets other streams be open meanwhile: a subscription, where the server accepts
// one, and a call that asks for no logs. What they bring before is not about the request. The
// case passes over a server that logs such a call anyway: those messages may be its own.
func ownStream(c *probe.Client) error {
	listening := subscriptions.Listen(c, probe.Object{})
	listening.First()
	subscriptions.Settle(c)
	before := c.Mark()
	plain := c.StartTool(tool(c), nil)
	plain.Reply()
	subscriptions.Settle(c)
	unasked, _ := plain.Sent()
	c.NotSeenIf(slices.ContainsFunc(loggedSince(c, before), func(m logged) bool { return m.in.Exchange == unasked.Exchange }),
		"a call that asks for no log messages gets some, which logging/unasked-messages judges")
	from := c.Mark()
	beside := c.StartTool(tool(c), nil)
	asks := c.StartTool(tool(c), asking("debug"))
	sent, ok := asks.Sent()
	reply := asks.Reply()
	beside.Reply()
	subscriptions.Settle(c)
	c.UndecideIf(!ok || !reply.Answered(), "the call of the tool got "+reply.Outcome())
	all := loggedSince(c, from)
	c.NotSeenIf(len(all) == 0, silent)
	for _, m := range all {
		if m.in.Exchange != sent.Exchange {
			return probe.Shown(reply, probe.One(m.in)).Violation(
				"a log message comes on another stream than the one of the request with %s, want it there only", protocol.MetaLogLevel)
		}
	}
	return nil
}

// ahead compares the order of messages and answers on a stream over HTTP. Over stdio nobody
// can tell which request a late message belongs to: stdio/notifications-attributable judges
// those of no running request.
type ahead struct {
	asking    map[int]*asked // requests without an answer, by their frames
	ended     map[int]*asked // those with one, by their exchanges
	handshake bool
}

// asked is a request that asks for logs.
type asked struct {
	id       string
	exchange int
	logged   bool
	answer   frame.Frame
}

func (w *ahead) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir == frame.Sent {
		w.sent(s.Seen)
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		switch {
		case w.handshake:
		case m.Responds():
			said = said.And(w.answered(m, s.Frame))
		case m.Class == frame.Notification && m.Method == method:
			said = said.And(w.message(s))
		}
	}
	return said
}

func (w *ahead) sent(s probe.Seen) {
	for _, m := range probe.Singles(s.Message()) {
		w.handshake = w.handshake || m.Method == "initialize"
		if m.Class != frame.Request {
			continue
		}
		if _, logs := m.At("/params/_meta/io.modelcontextprotocol~1logLevel"); logs && !s.Malformed {
			w.asking[s.Seq] = &asked{id: m.ID, exchange: s.Exchange}
		}
	}
}

func (w *ahead) answered(m probe.Message, in frame.Frame) probe.Opinion {
	a := w.asking[m.Request.Frame.Seq]
	if a == nil || !frame.SameID(a.id, m.ID) {
		return probe.Nothing()
	}
	delete(w.asking, m.Request.Frame.Seq)
	if a.answer = in; a.exchange > 0 {
		w.ended[a.exchange] = a
	}
	if a.logged {
		return probe.Kept()
	}
	return probe.Nothing()
}

func (w *ahead) message(s *probe.WatchedFrame) probe.Opinion {
	mine := false
	for _, a := range w.asking {
		if a.exchange == s.Exchange {
			a.logged, mine = true, true
		}
	}
	ended := w.ended[s.Exchange]
	if mine || ended == nil {
		return probe.Nothing()
	}
	return probe.Shown(probe.One(ended.answer), probe.One(s.Frame)).Violation(
		"a log message comes after the answer to its request, want it before").Opinion()
}

// unknownCases ask for logs of a level that there is not.
func unknownCases() []suite.Case {
	var cases []suite.Case
	ask := func(c *probe.Client, level any) *probe.Reply {
		return c.Ask(c.Compose(c.PlainMethod(), asking(level)), probe.Patient())
	}
	for i, row := range wrong() {
		cases = append(cases, suite.Case{
			ID:     "logging/request-level-" + row.slug,
			Title:  "a request whose log level is " + row.words + " is rejected as invalid params",
			Checks: []requirements.ID{"logging-request-level-invalid"},
			Needs:  []suite.Need{declares(), suite.Answers()},
			Fix:    "answer error -32602 when " + protocol.MetaLogLevel + " is none of the eight levels",
			Run: func(c *probe.Client) error {
				reply := ask(c, row.level)
				err := reply.WantError(protocol.InvalidParams)
				if err != nil && i > 0 {
					refusals.Apart(c, reply, ask(c, wrong()[0].level), cases[0].ID)
				}
				return err
			},
		})
	}
	return cases
}

// failureCases let logging fail inside the server.
func failureCases() []suite.Case {
	needs := []suite.Need{declares(), suite.Role(roles.Failure, "logging")}
	return []suite.Case{
		{
			ID:       "logging/set-level-failure",
			Title:    "a level that cannot be set for a reason of the server's own is an internal error",
			Checks:   []requirements.ID{"logging-set-level-internal-error"},
			Needs:    needs,
			Observes: roles.Failure,
			Fix:      "answer error -32603 when the level is valid and cannot be set",
			Run: func(c *probe.Client) error {
				return failing(c, func(level string) *probe.Reply { return c.Call(setLevel, probe.Object{"level": level}) })
			},
		},
		{
			ID:       "logging/request-failure",
			Title:    "a request that fails since nothing can be logged is an internal error",
			Checks:   []requirements.ID{"logging-request-internal-error"},
			Needs:    needs,
			Observes: roles.Failure,
			Fix:      "answer error -32603 when a request fails because its messages cannot be logged",
			Run: func(c *probe.Client) error {
				call, named := c.Role(roles.Failure).Fields().At("logging").Call()
				c.NotSeenIf(!named, "roles.failure.logging names no tool that logs")
				return failing(c, func(level string) *probe.Reply {
					return c.Call("tools/call", asking(level).With("name", call.Tool).With("arguments", call.Arguments))
				})
			},
		},
	}
}

// failing breaks the logging of the server, and repairs it.
func failing(c *probe.Client, ask func(level string) *probe.Reply) error {
	role := c.Role(roles.Failure).Fields().At("logging")
	c.Cleanup(func() { c.Act(role.At("after")) })
	c.Act(role.At("before"))
	reply := ask(cmp.Or(role.Text("level"), usual))
	c.UndecideIf(reply.Served(), "nothing fails as roles.failure.logging says: the request got a result")
	return refusals.Internal(reply)
}
