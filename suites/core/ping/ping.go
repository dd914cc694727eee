// Package ping holds the cases of basic/utilities/ping: how a server shows that it still
// runs.
package ping

import (
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "ping",
		Title: "a ping is answered at once, whatever else the server is doing",
		Cases: []suite.Case{
			{
				ID:     "ping/empty-result",
				Title:  "a ping is answered with an empty result",
				Checks: []requirements.ID{"ping-empty-result"},
				Proves: []suite.Need{suite.Answers()},
				Fix:    "answer ping with {} as result, before any other routing",
				Run:    emptyResult,
			},
			{
				ID:     "ping/prompt",
				Title:  "a ping on an idle connection is answered without noticeable delay",
				Checks: []requirements.ID{"ping-prompt"},
				Needs:  []suite.Need{suite.Answers()},
				Fix:    "answer ping where messages are read, and never queue it behind other work",
				Lane:   suite.Alone,
				Run:    prompt,
			},
			{
				ID:     busy,
				Title:  "a ping is answered while a tool is still running",
				Checks: []requirements.ID{"ping-while-busy"},
				Needs:  []suite.Need{suite.Role(roles.SlowTool)},
				Fix:    "run tools outside the loop that reads messages, and yield within long computations",
				Lane:   suite.Waits,
				Run:    whileBusy,
			},
			callsCase(),
			{
				ID:     "ping/during-initialization",
				Title:  "a ping between initialize and notifications/initialized is answered",
				Checks: []requirements.ID{"ping-during-initialization"},
				Fix:    "answer ping before notifications/initialized has arrived, too",
				Raw:    true,
				Run:    duringInitialization,
			},
			{
				ID:     "ping/server-not-excessive",
				Title:  "the server pings an idle connection at a moderate rate",
				Checks: []requirements.ID{"ping-server-not-excessive"},
				Fix:    "ping at intervals of many seconds, and never before the last ping was answered",
				Lane:   suite.Waits,
				Run:    serverNotExcessive,
			},
		},
	}
}

// emptyResult allows metadata beside the empty result, and the resultType that a server
// of both eras puts into all results.
func emptyResult(c *probe.Client) error {
	reply := c.Call("ping", nil)
	if err := reply.WantResult(); err != nil {
		return c.OrMute(reply, err)
	}
	result, _ := reply.Result()
	for name := range result {
		if name != "_meta" && name != "resultType" {
			return reply.Violation("$.result is %s, want {}", probe.Show(result)).BlocksNothing()
		}
	}
	return nil
}

// prompt judges the median of several pings, because the machine may be busy for a
// moment.
func prompt(c *probe.Client) error {
	pings := 5
	if s := c.Survey(); s.RoundTrip > c.Waits().Ping {
		pings = 3 // other answers took as long
	}
	var took []time.Duration
	var last *probe.Reply
	for range pings {
		reply := c.Call("ping", nil)
		c.Must(reply.WantAnswer())
		took = append(took, reply.Took())
		last = reply
		if slow := slices.DeleteFunc(slices.Clone(took), func(d time.Duration) bool { return d <= c.Waits().Ping }); len(slow) > pings/2 {
			took = slow // most of them, whatever the others take
			break
		}
	}
	slices.Sort(took)
	if usual, limit := took[len(took)/2], c.Waits().Ping; usual > limit {
		return last.Violation("most of %d answers took %s or more, want at most %s",
			pings, usual.Round(time.Millisecond), limit).AtMostWarn()
	}
	return nil
}

// pingInterval is the time between pings while the tool runs: the first pings may come before the
// tool has really started.
const pingInterval = 50 * time.Millisecond

// whileBusy pings a server while a slow tool runs. It judges the order of the answers,
// because the page sets no time limit. One ping may be late by chance, so that only the
// second late one counts.
func whileBusy(c *probe.Client) error {
	if begin(c).ping() == nil {
		return nil
	}
	return begin(c).ping()
}

// begin calls the slow tool.
func begin(c *probe.Client) *run {
	call := c.Role(roles.SlowTool).Call()
	slow := c.StartTool(call, nil)
	started, ok := slow.Sent()
	c.UndecideIf(!ok, "the slow tool could not be called")
	c.Cleanup(func() { slow.Cancel("the pings were answered") })
	return &run{client: c, tool: call.Tool, slow: slow, started: started}
}

// A run is the slow call in progress.
type run struct {
	client  *probe.Client
	tool    string
	slow    *probe.Pending
	started probe.Seen
}

// ping sends a few pings until one is late or the tool has finished. The case ends where
// one is not answered at all.
func (r *run) ping() error {
	const pings = 4
	for i := range pings {
		reply := r.client.Call("ping", nil)
		ended, over := r.slow.Await(pingInterval, r.slow.Answers)
		if over {
			r.ran()
		}
		if !reply.Answered() {
			if reply.Died() {
				r.slow.Reply() // the call may have ended the process, which other cases judge
			}
			r.client.Must(reply.Violation("a ping while a tool runs got %s, want an answer", reply.Outcome()))
		}
		answer, _ := reply.Seen()
		switch {
		case !over:
			continue
		case answer.Seq < ended.Seq && !(r.late(reply, ended) && r.together(reply, ended)):
			return nil
		case answer.Seq < ended.Seq:
			return probe.Shown(reply, probe.One(ended.Frame)).Violation(
				"the ping was answered only when the tool finished, %s after it was sent, want an answer while the tool runs",
				reply.Took().Round(time.Millisecond))
		case r.late(reply, ended):
			return probe.Shown(reply, probe.One(ended.Frame)).Violation(
				"the ping was answered only after the tool had finished, %s after it was sent, want an answer while the tool runs",
				reply.Took().Round(time.Millisecond))
		case i == 0:
			r.client.Undecide("the tool finished before a ping could be sent; let roles.slow-tool take longer")
		}
		return nil
	}
	return nil
}

// ran ends the case where the tool refused the call, which is a mistake of its role.
func (r *run) ran() {
	if reply := r.slow.Reply(); reply.Refused() || reply.ErrorFlag() {
		r.client.Unfilled(roles.SlowTool, r.tool+" refuses the call: "+reply.Outcome())
	}
}

// late reports whether the ping waited for the end of the tool for most of the tool's
// time. A ping sent shortly before the tool finished shows nothing.
func (r *run) late(reply *probe.Reply, ended probe.Seen) bool {
	return reply.Took() > (ended.At-r.started.At)/2 && reply.Took() > pingInterval
}

// together reports whether a ping that was answered before the call waited for its end all
// the same: over HTTP the two answers take two ways, and either may be read first. A ping on
// the idle server shows how long one takes on this machine.
func (r *run) together(reply *probe.Reply, ended probe.Seen) bool {
	answer, _ := reply.Seen()
	if ended.At-answer.At > pingInterval || r.client.Transport() != requirements.HTTP {
		return false
	}
	idle := r.client.Call("ping", nil)
	return idle.Answered() && reply.Took() > 4*idle.Took()
}

// duringInitialization pings between the answer to initialize and the notification that
// ends the handshake.
func duringInitialization(c *probe.Client) error {
	opening := c.Initialize()
	if !opening.Served() {
		return &probe.OpeningError{Reply: opening}
	}
	early := c.Call("ping", nil)
	c.Initialized()
	if early.WantResult() == nil {
		return nil
	}
	c.UndecideIf(c.Call("ping", nil).WantResult() != nil,
		"a ping gets no result after the handshake either, which ping/empty-result judges")
	return early.WantResult()
}

// moderate is a number of pings per second that is never excessive, and allowed is a
// number of pings that is never excessive, however short the time was.
const (
	moderate = 2
	allowed  = 10
)

// serverNotExcessive counts the server's pings on an idle connection. It reports only an
// excessive rate, because the page names no limit.
func serverNotExcessive(c *probe.Client) error {
	idle := c.Waits().Event
	seen := 0
	_, flood := c.Await(0, idle, func(s probe.Seen) bool {
		if isPing(s) {
			seen++
		}
		return seen > max(allowed, int(moderate*idle.Seconds()))
	})
	switch {
	case seen == 0:
		c.NotSeen("the server sends no pings on an idle connection") // how long that was differs from run to run
	case !flood:
		return nil
	}
	return pings(c.Since(0)).Violation("at least %d pings came within %s of an idle connection, want a moderate rate", seen, idle)
}

func isPing(s probe.Seen) bool {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return false
	}
	m := s.Message()
	return m.Class == frame.Request && m.Method == "ping"
}

// pings are the first few pings of the server.
func pings(seen []probe.Seen) probe.Evidence {
	const most = 5
	var few probe.Evidence
	for _, s := range seen {
		if isPing(s) && len(few) < most {
			few = append(few, s.Frame)
		}
	}
	return few
}
