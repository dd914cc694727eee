package idempotency

import (
	"context"
	"fmt"
	"slices"
	"sync"
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

func noSecondEffectLater(ctx context.Context, k *operation) error {
	const others = 3
	key := k.key()
	if _, err := k.spend(ctx, key); err != nil {
		return err
	}
	for range others {
		if _, err := k.spend(ctx, k.key()); err != nil {
			return err
		}
	}
	if _, err := k.send(ctx, key); err != nil {
		return err
	}
	return k.wantEffects(ctx, 1+others, fmt.Sprintf("a call, %d calls with other keys and its repeat", others))
}

// A server that puts work into a queue can look the key up too late.
func noLateEffect(ctx context.Context, k *operation) error {
	if _, _, err := k.pair(ctx, k.key()); err != nil {
		return err
	}
	wait := k.client.Waits().DefaultTTL
	if err := proposal.Pause(ctx, k.client, wait); err != nil {
		return err
	}
	return k.wantEffects(ctx, 1, fmt.Sprintf("a call and its repeat, %s later", wait))
}

// How much memory a server takes cannot be seen from outside, and a store that has no
// bound looks like one whose bound is higher than what anybody sends. A server that
// does not drop keys shows it by failing; one that rejects calls while its store is full
// has a bound.
func storeBounded(rounds int) func(context.Context, *operation) error {
	return func(ctx context.Context, k *operation) error { return k.fillStore(ctx, rounds) }
}

func (k *operation) fillStore(ctx context.Context, rounds int) error {
	const calls = 100
	flood := &flood{operation: k, key: k.key(), call: k.call}
	// One that makes no difference the second time leaves less behind.
	if call, err := k.client.Role(roles.StateChange).Field("idempotent"); err == nil {
		flood.call = call
	}
	for round := range rounds {
		if err := flood.round(ctx, round*calls, calls); err != nil {
			return err
		}
		k.client.Forget() // what was said would fill all that is kept of a connection
	}
	k.client.Note("how much memory the keys take is not seen from outside, only that the server still answers")
	return k.takesOneMore(ctx, rounds*calls)
}

// takesOneMore makes one call after many. A full store may look only now and then which
// of its entries have expired.
func (k *operation) takesOneMore(ctx context.Context, many int) error {
	seconds, margin := lifetime(k.client.Waits())
	for waited := time.Duration(0); ; waited += margin {
		if waited >= k.client.Waits().Max {
			return probe.Undecide(fmt.Sprintf("the server rejects calls with fresh keys %s after %d keys that have expired", waited, many))
		}
		if err := proposal.Pause(ctx, k.client, margin); err != nil {
			return err
		}
		var err error
		if k.before, err = k.client.Before(ctx, k.call); err != nil {
			return err
		}
		s := shot{key: k.key(), beside: asked(seconds)}
		first, err := k.fire(ctx, s)
		switch {
		case err != nil:
			return err
		case proposal.Declined(first):
			continue
		case proposal.WantDone(first) != nil:
			return proposal.WantDone(first)
		}
		return k.repeat(ctx, s, fmt.Sprintf("%d calls with other keys", many))
	}
}

// A flood is many calls, each with a key of its own that soon expires.
type flood struct {
	*operation
	key  string
	call *probe.ToolCall
}

// round makes so many calls, some at a time.
func (f *flood) round(ctx context.Context, from, calls int) error {
	const workers = 8
	errs := make([]error, workers)
	var asking sync.WaitGroup
	for w := range workers {
		asking.Go(func() {
			for i := w; i < calls && errs[w] == nil; i += workers {
				errs[w] = f.send(ctx, from+i)
			}
		})
	}
	asking.Wait()
	i := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return errs[i]
}

func (f *flood) send(ctx context.Context, i int) error {
	reply, err := f.ask(ctx, shot{call: f.call, key: fmt.Sprintf("%s-%d", f.key, i), beside: asked(1)})
	switch {
	case err != nil:
		return err
	case proposal.Declined(reply):
		return nil
	case proposal.WantDone(reply) != nil:
		return reply.Violation("%s, want its result or a rejection", reply.AnswerTo(fmt.Sprintf("call %d with a fresh key", i+1)))
	}
	f.client.Undo(ctx, f.call, reply)
	return nil
}
