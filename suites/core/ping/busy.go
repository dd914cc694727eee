package ping

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// pingInterval is the time between pings while the tool runs: the first pings may come before the
// tool has really started.
const pingInterval = 50 * time.Millisecond

// whileBusy pings a server while a slow tool runs. It judges the order of the answers,
// because the page sets no time limit.
func whileBusy(c *probe.Client) error {
	call := c.Role(roles.SlowTool).Call()
	slow := c.StartTool(call, nil)
	started, ok := slow.Sent()
	if !ok {
		c.Undecide("the slow tool could not be called")
	}
	c.Cleanup(func() { slow.Cancel("the pings were answered") })
	run := &run{client: c, slow: slow, started: started}
	return run.ping()
}

// A run is the slow call in progress.
type run struct {
	client  *probe.Client
	slow    *probe.Pending
	started probe.Seen
}

// ping sends a few pings until one is late or the tool has finished.
func (r *run) ping() error {
	const pings = 4
	for i := range pings {
		reply := r.client.Call("ping", nil)
		ended, over := r.slow.Await(pingInterval, r.slow.Answers)
		if !reply.Answered() {
			return reply.Violation("a ping while a tool runs got %s, want an answer", reply.Outcome())
		}
		answer, _ := reply.Seen()
		switch {
		case !over:
			continue
		case answer.Seq < ended.Seq:
			return nil
		case r.late(reply, ended):
			return probe.Shown(reply, probe.One(ended.Frame)).Violation(
				"the ping was answered only after the tool had finished, %s after it was sent, want an answer while the tool runs",
				waited(reply).Round(time.Millisecond))
		case i == 0:
			r.client.Undecide("the tool finished before a ping could be sent; let roles.slow-tool take longer")
		}
		return nil
	}
	return nil
}

// late reports whether the ping waited for the end of the tool for most of the tool's
// time. A ping sent shortly before the tool finished shows nothing.
func (r *run) late(reply *probe.Reply, ended probe.Seen) bool {
	return waited(reply) > (ended.At-r.started.At)/2 && waited(reply) > pingInterval
}

func waited(reply *probe.Reply) time.Duration {
	frames := reply.Evidence()
	return frames[len(frames)-1].At - frames[0].At
}
