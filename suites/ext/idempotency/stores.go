package idempotency

import (
	"cmp"
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func stores() []suite.Case {
	return []suite.Case{
		{
			ID:       "ext-idempotency/no-second-effect-later",
			Title:    "a key is still known after calls with other keys",
			Checks:   []requirements.ID{"ext-idempotency-no-second-effect"},
			Needs:    keyed(),
			Observes: roles.StateChange,
			Fix:      "keep an entry for each key, not only for the last one",
			Run:      on(noSecondEffectLater),
		},
		{
			ID:       "ext-idempotency/no-late-effect",
			Title:    "repeating a call with its key has no effect that comes later",
			Checks:   []requirements.ID{"ext-idempotency-no-second-effect"},
			Needs:    keyed(),
			Lane:     suite.Waits,
			Observes: roles.StateChange,
			Fix:      "look the key up before the work is put into a queue",
			Run:      on(noLateEffect),
		},
		StoreBounded(200),
	}
}

// StoreBounded is the case on the bound of the store. It sends so many hundred keys.
func StoreBounded(hundreds int) suite.Case {
	return suite.Case{
		ID:       "ext-idempotency/store-bounded",
		Title:    "the server still answers after many thousand keys",
		Checks:   []requirements.ID{"ext-idempotency-store-bounded"},
		Needs:    keyed(suite.OptIn(suite.Stress)),
		Lane:     suite.Fresh,
		Observes: roles.StateChange,
		Fix:      "drop entries when they expire, and the oldest ones when there are too many",
		Run:      on(storeBounded(hundreds)),
	}
}

func noSecondEffectLater(k *operation) error {
	const others = 3
	key := k.key()
	k.spend(key)
	for range others {
		k.spend(k.key())
	}
	k.send(key)
	return k.wantEffects(1+others, fmt.Sprintf("a call, %d calls with other keys and its repeat", others))
}

// A server that puts work into a queue can look the key up too late.
func noLateEffect(k *operation) error {
	k.pair(k.key())
	wait := k.client.Waits().DefaultTTL
	proposal.Pause(k.client, wait)
	return k.wantEffects(1, fmt.Sprintf("a call and its repeat, %s later", wait))
}

// How much memory a server takes cannot be seen from outside, and a store that has no
// bound looks like one whose bound is higher than what anybody sends. A server that
// does not drop keys shows it by failing; one that rejects calls while its store is full
// has a bound.
func storeBounded(rounds int) func(*operation) error {
	return func(k *operation) error { return k.fillStore(rounds) }
}

func (k *operation) fillStore(rounds int) error {
	const calls = 100
	flood := &flood{operation: k, key: k.key(), call: k.call}
	// One that makes no difference the second time leaves less behind.
	_ = k.client.Try(func() { flood.call = k.client.Role(roles.StateChange).Field("idempotent") })
	for round := range rounds {
		if err := flood.round(round*calls, calls); err != nil {
			return err
		}
		k.client.Forget() // what was said would fill all that is kept of a connection
	}
	k.client.Note("how much memory the keys take is not seen from outside, only that the server still answers")
	return k.takesOneMore(rounds * calls)
}

// takesOneMore makes one call after many. A full store may look only now and then which
// of its entries have expired.
func (k *operation) takesOneMore(many int) error {
	seconds, margin := lifetime(k.client.Waits())
	for waited := time.Duration(0); ; waited += margin {
		if waited >= k.client.Waits().Max {
			k.client.Undecide(fmt.Sprintf("the server rejects calls with fresh keys %s after %d keys that have expired", waited, many))
		}
		proposal.Pause(k.client, margin)
		k.before = k.client.Before(k.call)
		s := shot{key: k.key(), beside: asked(seconds)}
		first := k.fire(s)
		switch {
		case proposal.Declined(first):
			continue
		case proposal.WantDone(first) != nil:
			return proposal.WantDone(first)
		}
		return k.repeat(s, fmt.Sprintf("%d calls with other keys", many))
	}
}

// A flood is many calls, each with a key of its own that soon expires.
type flood struct {
	*operation
	key  string
	call *probe.ToolCall
}

// round makes so many calls, some at a time.
func (f *flood) round(from, calls int) error {
	const atOnce = 8
	for first := 0; first < calls; first += atOnce {
		var pending []*probe.Pending
		for i := first; i < min(first+atOnce, calls); i++ {
			pending = append(pending, f.start(shot{call: f.call, key: fmt.Sprintf("%s-%d", f.key, from+i), beside: asked(1)}))
		}
		var verdict error
		for i, p := range pending {
			verdict = cmp.Or(verdict, f.take(p.Reply(), from+first+i))
		}
		if verdict != nil {
			return verdict
		}
	}
	return nil
}

// take judges the answer to one of the calls, and undoes what the call did.
func (f *flood) take(reply *probe.Reply, i int) error {
	switch {
	case proposal.Declined(reply):
		return nil
	case proposal.WantDone(reply) != nil:
		return reply.Violation("%s, want its result or a rejection", reply.AnswerTo(fmt.Sprintf("call %d with a fresh key", i+1)))
	}
	f.client.Undo(f.call, reply)
	return nil
}
