// Package ping holds the cases of basic/utilities/ping: how a server shows that it still
// runs.
package ping

import (
	"slices"
	"time"

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
			return reply.Violation("$.result is %s, want {}", probe.Show(result))
		}
	}
	return nil
}

// prompt judges the median of several pings, because the machine may be busy for a
// moment.
func prompt(c *probe.Client) error {
	const pings = 5
	var took []time.Duration
	var last *probe.Reply
	for range pings {
		began := time.Now()
		reply := c.Call("ping", nil)
		if err := reply.WantAnswer(); err != nil {
			return err
		}
		took = append(took, time.Since(began))
		last = reply
	}
	slices.Sort(took)
	if usual, limit := took[pings/2], c.Waits().Ping; usual > limit {
		return last.Violation("most of %d answers took %s or more, want at most %s",
			pings, usual.Round(time.Millisecond), limit).AtMostWarn()
	}
	return nil
}
