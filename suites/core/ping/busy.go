package ping

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// beat is how far apart the pings are sent while the tool runs: the first ones
// may come before the tool has really started.
const beat = 50 * time.Millisecond

// whileBusy pings a server that serves a slow tool. What counts is the order
// of the answers, since no time is given in which they are due.
func whileBusy(ctx context.Context, c *probe.Client) error {
	call, err := c.Role(roles.SlowTool).Call()
	if err != nil {
		return err
	}
	mark := c.Mark()
	slow, stop := context.WithCancel(ctx)
	var calling sync.WaitGroup
	calling.Go(func() { _, _ = c.CallTool(slow, call, nil) }) // what came of it is in the log
	defer calling.Wait()
	defer stop()
	started, ok, err := c.Await(ctx, mark, c.Waits().Answer, func(s probe.Seen) bool {
		return s.Dir == frame.Sent && s.Message().Method == "tools/call"
	})
	if err != nil {
		return err
	}
	if !ok {
		return probe.Undecide("the slow tool could not be called")
	}
	run := &run{client: c, mark: mark, id: started.Message().ID, started: started}
	if err := run.ping(ctx); err != nil {
		return err
	}
	return run.leave(ctx)
}

// A run is the slow call under way.
type run struct {
	client  *probe.Client
	mark    probe.Mark
	id      string
	started probe.Seen
}

// ping sends a few pings until one is late or the tool has finished.
func (r *run) ping(ctx context.Context) error {
	const pings = 4
	for i := range pings {
		reply, err := r.client.Call(ctx, "ping", nil)
		if err != nil {
			return err
		}
		ended, over, err := r.client.Await(ctx, r.mark, beat, r.answers)
		if err != nil {
			return err
		}
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
			return probe.Undecide("the tool finished before a ping could be sent; let roles.slow-tool take longer")
		}
		return nil
	}
	return nil
}

// late reports whether the ping waited for the end of the tool: for the larger
// part of the tool's time. One that was under way when the tool finished shows
// nothing.
func (r *run) late(reply *probe.Reply, ended probe.Seen) bool {
	return waited(reply) > (ended.At-r.started.At)/2 && waited(reply) > beat
}

func waited(reply *probe.Reply) time.Duration {
	frames := reply.Evidence()
	return frames[len(frames)-1].At - frames[0].At
}

func (r *run) answers(s probe.Seen) bool {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return false
	}
	m := s.Message()
	return (m.Class == frame.Result || m.Class == frame.Error) && frame.SameID(m.ID, r.id)
}

// leave tells the server that nobody waits for the tool any more.
func (r *run) leave(ctx context.Context) error {
	params := probe.Object{"requestId": json.RawMessage(r.id), "reason": "the pings were answered"}
	err := r.client.Notify(ctx, "notifications/cancelled", params)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}
