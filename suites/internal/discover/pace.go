package discover

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A pace decides how long discovery waits for the answer to an opening. The first answer
// may take as long as a package runner needs to fetch the server; the time that the first
// answer took decides how long the others may take.
type pace struct {
	start, answer time.Duration
	took          atomic.Int64 // time until the first answer on any connection; 0 before it came
	tried, named  atomic.Bool  // an id that is a string was tried; only such a request is answered
}

func (p *pace) first() time.Duration { return time.Duration(p.took.Load()) }

// limit is how long discovery waits for an opening, by what is known so far.
func (p *pace) limit() time.Duration { return Opening(p.first(), p.answer, p.start) }

// Opening is how long the kit waits for the first answer on a connection, when the very
// first answer took that long: ten times as long, since many connections may open at the
// same time now; but at least as long as for any other answer.
func Opening(first, answer, start time.Duration) time.Duration {
	if first == 0 {
		return start
	}
	return min(max(answer, 10*first), start)
}

// slice is how often await checks whether another connection got an answer.
const slice = 100 * time.Millisecond

// await sends the first request of the era and waits for the answer. A server that knows
// only the handshake may ignore server/discover, and one that does one thing at a time may
// ignore every other request: once the server has answered on another connection, await
// soon stops waiting.
func (p *pace) await(ctx context.Context, l Look, k *probe.Control, alone bool) (*probe.Reply, error) {
	began := time.Now()
	reply, err := first(ctx, k, probe.Within(slice))
	for err == nil && reply.Silent() {
		limit := p.limit()
		if first := p.first(); first > 0 && !alone {
			switch {
			case l.Transport == requirements.HTTP:
				limit = min(limit, max(10*first, 2*time.Second)) // ask asks again, alone
			case k.Revision().Modern() && l.Transport == requirements.Stdio:
				limit = max(2*first, time.Second)
			}
		}
		if at, found := unread(k); found {
			limit = min(limit, at+max(2*p.first(), 2*time.Second))
		}
		if time.Since(began) >= limit || p.named.Load() || l.older(k) {
			break
		}
		answers := false
		if took := time.Since(began); l.Transport == requirements.Stdio && took >= p.answer && !p.tried.Swap(true) {
			answers = takesString(ctx, l, limit-took)
		}
		err = k.Await(ctx, reply, slice)
		if answers && err == nil && reply.Silent() && p.first() == 0 {
			p.named.Store(true) // a younger process answers, and the older ones are still silent
		}
	}
	if err == nil && reply.Answered() {
		p.took.CompareAndSwap(0, max(1, int64(time.Since(began))))
	}
	return reply, err
}

// mainFirst are the places of a round, that of the main revision first: the newest handshake is
// the one that a server most likely answers.
func (f *Found) mainFirst(all round) []int {
	var first, others []int
	for i, a := range all {
		if a.asked == f.main {
			first = append(first, i)
		} else {
			others = append(others, i)
		}
	}
	return append(first, others...)
}

// older reports whether the answer to the opening is an event stream of HTTP+SSE, which some
// servers begin at any request: it brings no answer.
func (l Look) older(k *probe.Control) bool {
	return l.Transport == requirements.HTTP && slices.ContainsFunc(k.Since(0), func(s probe.Seen) bool {
		return s.SSE != nil && s.SSE.Event == "endpoint"
	})
}

// unread says when a response came, of an opening that has no answer: its id is another, or it takes
// up several lines, but it can only be meant for the opening, before which nothing was sent.
func unread(k *probe.Control) (at time.Duration, found bool) {
	if spread, found := probe.SpreadResponse(k.Since(0)); found {
		return spread.At, true
	}
	for _, s := range k.Since(0) {
		if class := s.Message().Class; s.Dir == frame.Received && (class == frame.Result || class == frame.Error) {
			return s.At, true
		}
	}
	return 0, false
}

// takesString reports whether a new process answers initialize under an id that is a string.
func takesString(ctx context.Context, l Look, atMost time.Duration) bool {
	k, err := l.begin(ctx, newest())
	if err != nil {
		return false
	}
	defer func() { _ = k.Close(ctx) }()
	answered := false
	err = k.Run(ctx, func(c *probe.Client) error {
		text := probe.RequestText(`"first"`, "initialize", c.InitializeParams(newest()))
		answered = c.Ask(text, probe.Within(min(atMost, l.Setup.Waits.Answer))).Answered()
		return nil
	})
	return err == nil && answered
}

// underString follows the outcome of a request that only a string as id would have helped.
const underString = `; the same request under the id "first", a string, is answered`

// first sends the first request of the era and waits for the answer.
func first(ctx context.Context, k *probe.Control, options ...probe.Option) (reply *probe.Reply, err error) {
	err = k.Run(ctx, func(c *probe.Client) error {
		reply = c.First(options...)
		return nil
	})
	return reply, err
}

// ignored reports whether the server ignores server/discover: the server answers an
// initialize that the kit sends after it.
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
