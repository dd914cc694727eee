// Package stdio holds the cases of basic/transports#stdio: how messages travel over
// standard input and output, and how a server ends when its input ends.
package stdio

import (
	"runtime"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification pages.
func Suite() suite.Suite {
	cases := slices.Concat(framingCases(), garbageCases(), readingCases(), parallelCases(), receivingCases())
	for i := range cases {
		cases[i].Needs = append(cases[i].Needs, suite.Over(requirements.Stdio))
	}
	return suite.Suite{
		Name:  "stdio",
		Title: "messages travel over standard input and output, one per line",
		Cases: cases,
	}
}

// receivingCases judge the one channel that all requests share in revisions without a
// handshake, and how a process ends.
func receivingCases() []suite.Case {
	const leaveLoop = "leave the read loop when stdin ends, stop what still runs, and let the process end"
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
		{
			ID:     "stdio/exit-on-stdin-eof",
			Title:  "the process ends soon after its stdin is closed",
			Checks: []requirements.ID{"stdio-exit-on-stdin-eof"},
			Fix:    leaveLoop,
			Lane:   suite.Waits,
			Run:    exitAfterExchange,
		},
		{
			ID:     "stdio/exit-on-stdin-eof-idle",
			Title:  "the process ends when its stdin is closed before the first request",
			Checks: []requirements.ID{"stdio-exit-on-stdin-eof"},
			Fix:    leaveLoop,
			Lane:   suite.Waits,
			Raw:    true,
			Run:    exitIdle,
		},
		{
			ID:       "stdio/exit-on-stdin-eof-busy",
			Title:    "the process ends when its stdin is closed while a tool works",
			Checks:   []requirements.ID{"stdio-exit-on-stdin-eof"},
			Needs:    []suite.Need{suite.Role(roles.SlowTool)},
			Fix:      "end the process at the end of stdin also where calls are running, or as soon as they are done",
			Lane:     suite.Waits,
			Disturbs: roles.SlowTool,
			Run:      exitBusy,
		},
		{
			ID:     "stdio/exit-on-sigterm",
			Title:  "a process that is still running after the end of its stdin ends on SIGTERM",
			Checks: []requirements.ID{"stdio-exit-on-sigterm"},
			Fix:    "keep the default effect of SIGTERM, or end the process in the handler",
			Lane:   suite.Waits,
			Run:    exitOnTerm,
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
		attributed = w.listened || len(w.running) > 0 || len(m.Survey().Extensions()) > 0
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

func exitAfterExchange(c *probe.Client) error {
	mark := c.Mark()
	c.Quiet()
	limit := longestWait(c.Waits())
	if endOfInput(c, limit) {
		return nil
	}
	return outlives(c, mark, limit)
}

// exitIdle sends nothing first, so the limit includes the time that the process takes to
// start.
func exitIdle(c *probe.Client) error {
	mark, limit := c.Mark(), longestWait(c.Waits())
	if endOfInput(c, limit) {
		return nil
	}
	return outlives(c, mark, limit).Unless(probe.Elsewhere{
		Case: "stdio/exit-on-stdin-eof", Why: "nor does the process end where it has answered before",
	})
}

// exitBusy gives the tool time to come to its end first. Where the process does not end, the
// same call is made once more: a tool that takes longer than the configuration says proves nothing.
func exitBusy(c *probe.Client) error {
	role := c.Role(roles.SlowTool)
	limit := role.Fields().Duration("duration", 5*time.Second) + longestWait(c.Waits())
	call := c.StartTool(role.Call(), nil)
	if _, early := call.Await(c.Waits().Event, call.Answers); early {
		c.NotSeen("the call of roles.slow-tool is answered within " + c.Waits().Event.String())
	}
	if endOfInput(c, limit) {
		return nil
	}
	usual := c.Opened().StartTool(role.Call(), nil, probe.Within(limit)).Reply()
	c.UndecideIf(!usual.Answered(), "the call of roles.slow-tool is not answered within "+limit.String())
	return probe.Shown(call).Violation(
		"the process is still running %s after its stdin was closed during a call, which takes %s, want it to end",
		limit, usual.Took().Round(time.Millisecond)).
		Unless(probe.Elsewhere{Case: "stdio/exit-on-stdin-eof", Why: "nor does the process end where no call is running"})
}

// longestWait is a generous limit: only a server that does not end uses it up.
func longestWait(w probe.Waits) time.Duration { return max(w.Answer, w.Event) }

func outlives(c *probe.Client, mark probe.Mark, limit time.Duration) *probe.Violation {
	return framesSince(c, mark).Violation("the process is still running %s after its stdin was closed, want it to end", limit)
}

func exitOnTerm(c *probe.Client) error {
	c.NotSeenIf(runtime.GOOS == "windows", "the rule applies to POSIX systems")
	mark := c.Mark()
	// A process that is still starting has not installed its signal handler yet.
	c.Quiet()
	limit := longestWait(c.Waits())
	// The client may choose how long it waits before it sends the signal.
	ended := endOfInput(c, min(time.Second, limit))
	if ended {
		return nil
	}
	c.Terminate()
	if ended = awaitEnd(c, limit); ended {
		return nil
	}
	return framesSince(c, mark).Violation("the process is still running %s after SIGTERM, want it to end", limit)
}

func endOfInput(c *probe.Client, limit time.Duration) bool {
	// The input is already closed if the process has closed its end.
	c.CloseInput()
	return awaitEnd(c, limit)
}

func awaitEnd(c *probe.Client, limit time.Duration) bool {
	_, ended := c.Await(0, limit, isEnd)
	return ended
}

// isEnd recognizes the end of the connection, which is the end of the process.
func isEnd(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.Exchange == 0 }

// framesSince returns the first few frames after a mark.
func framesSince(c *probe.Client, mark probe.Mark) probe.Evidence {
	var all probe.Evidence
	for _, s := range c.Since(mark) {
		all = append(all, s.Frame)
	}
	return few(all)
}
