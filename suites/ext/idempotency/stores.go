package idempotency

import (
	"cmp"
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func stores() []suite.Case {
	return []suite.Case{
		keyed("no-second-effect-later", "a key is still known after calls with other keys", "ext-idempotency-no-second-effect",
			"keep an entry for each key, not only for the last one", noSecondEffectLater),
		bench.In(suite.Waits, keyed("no-late-effect", "repeating a call with its key has no effect that comes later",
			"ext-idempotency-no-second-effect",
			"look the key up before the work is put into a queue", noLateEffect)),
		StoreBounded(200),
	}
}

// StoreBounded is the case on the bound of the store. It sends so many hundred keys.
func StoreBounded(hundreds int) suite.Case {
	return bench.In(suite.Fresh, keyed("store-bounded", "the server still answers after many thousand keys", "ext-idempotency-store-bounded",
		"drop entries when they expire, and the oldest ones when there are too many",
		func(b *bench.Bench) error { return storeBounded(b, hundreds) }, suite.OptIn(suite.Stress)))
}

func noSecondEffectLater(b *bench.Bench) error {
	const others = 3
	key := b.Key()
	spend(b, key)
	for range others {
		spend(b, b.Key())
	}
	send(b, key)
	return b.WantEffects(1+others, fmt.Sprintf("a call, %d calls with other keys and its repeat", others))
}

// A server that puts work into a queue can look the key up too late.
func noLateEffect(b *bench.Bench) error {
	pair(b, b.Key())
	wait := b.Waits().DefaultTTL
	proposal.Pause(b.Client, wait)
	return b.WantEffects(1, fmt.Sprintf("a call and its repeat, %s later", wait))
}

// How much memory a server takes cannot be seen from outside, and a store that has no
// bound looks like one whose bound is higher than what anybody sends. A server that
// does not drop keys shows it by failing; one that rejects calls while its store is full
// has a bound.
func storeBounded(b *bench.Bench, rounds int) error {
	const calls = 100
	key, tool := b.Key(), b.ToolCall
	// A call that makes no difference the second time leaves less behind.
	_ = b.Try(func() { tool = b.Role(roles.StateChange).Field("idempotent") })
	for from := 0; from < rounds*calls; from += calls {
		b.Must(flood(b, tool, key, from, calls))
		b.Forget() // what was said would fill all that is kept of a connection
	}
	b.Note("how much memory the keys take is not seen from outside, only that the server still answers")
	return takesOneMore(b, rounds*calls)
}

// takesOneMore makes one call after many. A full store may look only now and then which
// of its entries have expired.
func takesOneMore(b *bench.Bench, many int) error {
	seconds, margin := lifetime(b.Waits())
	for waited := time.Duration(0); ; waited += margin {
		b.UndecideIf(waited >= b.Waits().Max,
			fmt.Sprintf("the server rejects calls with fresh keys %s after %d keys that have expired", waited, many))
		proposal.Pause(b.Client, margin)
		b.Earlier = b.Before(b.ToolCall)
		made := bench.Call{Values: under(b.Key()).With(lifespan, seconds)}
		first := call(b, made)
		switch {
		case proposal.Declined(first):
			continue
		case !proposal.Done(first):
			return proposal.WantDone(first)
		}
		return repeat(b, made, fmt.Sprintf("%d calls with other keys", many))
	}
}

// flood makes many calls, some at a time, each with a key of its own that soon expires.
func flood(b *bench.Bench, tool *probe.ToolCall, key string, from, calls int) error {
	const atOnce = 8
	for first := from; first < from+calls; first += atOnce {
		var pending []*probe.Pending
		for i := first; i < min(first+atOnce, from+calls); i++ {
			made := bench.Call{Tool: tool, Values: under(fmt.Sprintf("%s-%d", key, i)).With(lifespan, 1)}
			held(b, made)
			pending = append(pending, b.StartCall(made))
		}
		var verdict error
		for i, p := range pending {
			reply := p.Reply()
			switch {
			case proposal.Declined(reply):
			case !proposal.Done(reply):
				verdict = cmp.Or(verdict, error(reply.Violation("%s, want its result or a rejection",
					reply.AnswerTo(fmt.Sprintf("call %d with a fresh key", first+i+1)))))
			default:
				b.Undo(tool, reply)
			}
		}
		if verdict != nil {
			return verdict
		}
	}
	return nil
}
