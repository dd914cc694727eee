package discover

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A pace is how long an answer to an opening is awaited. The first one may take
// as long as a package runner needs to fetch the server; how long it took then
// says how long the others may take.
type pace struct {
	start, answer time.Duration
	took          atomic.Int64 // until the first answer on any connection; 0: none came yet
}

func (p *pace) first() time.Duration { return time.Duration(p.took.Load()) }

// limit is how long an opening is awaited, as far as is known by now.
func (p *pace) limit() time.Duration { return Opening(p.first(), p.answer, p.start) }

// Opening is how long the first answer on a connection is awaited when the first
// one of all took that long: ten times as long, since then nothing else may have
// run, and now others start at the same time; but not less than for any answer.
func Opening(first, answer, start time.Duration) time.Duration {
	if first == 0 {
		return start
	}
	return min(max(answer, 10*first), start)
}

// slice is how often it is looked whether another connection was answered.
const slice = 100 * time.Millisecond

// await sends the first request of the era and waits for its answer. A server of
// the handshake may ignore server/discover: once it has answered elsewhere, that
// is not waited for much longer.
func (p *pace) await(ctx context.Context, k *probe.Control, t requirements.Transport, alone bool) (*probe.Reply, error) {
	began := time.Now()
	reply, err := first(ctx, k, probe.Within(slice))
	for err == nil && reply.Silent() {
		limit := p.limit()
		if first := p.first(); first > 0 && !alone && k.Revision().Modern() && t == requirements.Stdio {
			limit = max(2*first, time.Second)
		}
		if time.Since(began) >= limit {
			break
		}
		err = k.Await(ctx, reply, slice)
	}
	if err == nil && reply.Answered() {
		p.took.CompareAndSwap(0, max(1, int64(time.Since(began))))
	}
	return reply, err
}

// first sends the first request of the era and waits for its answer.
func first(ctx context.Context, k *probe.Control, options ...probe.Option) (reply *probe.Reply, err error) {
	err = k.Run(ctx, func(c *probe.Client) error {
		reply = c.First(options...)
		return nil
	})
	return reply, err
}

// ignored reports whether the server leaves server/discover unanswered although it
// is there and reads: it answers an initialize that was sent behind it.
func (p *pace) ignored(ctx context.Context, on opened) (bool, error) {
	k := on.control
	answered := false
	err := k.Run(ctx, func(c *probe.Client) error {
		answered = c.Handshake(c.InitializeParams(newest())).Answered()
		return nil
	})
	if err != nil || !answered {
		return false, err
	}
	err = k.Await(ctx, on.reply, max(p.first(), time.Second))
	return on.reply.Silent(), err
}
