package idempotency

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func optional() suite.Case {
	return suite.Case{
		ID:       "ext-idempotency/optional",
		Title:    "calls without a key run each time",
		Checks:   []requirements.ID{"ext-idempotency-optional"},
		Needs:    counted(),
		Observes: roles.StateChange,
		Fix:      "leave calls without a key alone: neither demand one nor make one up from the arguments",
		Run:      on(withoutKey),
	}
}

func callers() []suite.Case {
	return []suite.Case{
		{
			ID:       "ext-idempotency/after-failure",
			Title:    "a call that was rejected before it ran does not use its key up",
			Checks:   []requirements.ID{"ext-idempotency-after-failure"},
			Needs:    keyed(suite.Role(roles.StateChange, "invalid-arguments")),
			Observes: roles.StateChange,
			Fix:      "check the arguments before the key is stored, and store keys of calls that ran only",
			Run:      on(afterFailure),
		},
		{
			ID:       "ext-idempotency/survives-reconnect",
			Title:    "a key outlives the connection it came over",
			Checks:   []requirements.ID{"ext-idempotency-survives-reconnect"},
			Needs:    keyed(suite.Either(suite.Over(requirements.HTTP), suite.Trait(probe.Durable))),
			Observes: roles.StateChange,
			Fix:      "keep the store of keys outside of the session: a lost connection is what keys are for",
			Run:      on(survivesReconnect),
		},
		{
			ID:       "ext-idempotency/per-principal",
			Title:    "one caller's key neither suppresses nor reveals another caller's call",
			Checks:   []requirements.ID{"ext-idempotency-per-principal"},
			Needs:    keyed(suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second")),
			Observes: roles.StateChange,
			Fix:      "look keys up together with the authenticated caller",
			Run:      on(perPrincipal),
		},
	}
}

func withoutKey(ctx context.Context, k *operation) error {
	for range 2 {
		reply, err := k.fire(ctx, shot{})
		if err != nil {
			return err
		}
		if err := proposal.WantDone(reply); err != nil {
			return err
		}
		if k.marked(reply) {
			return reply.Violation("a call without a key is marked as a replay, want no such mark")
		}
	}
	return k.wantEffects(ctx, 2, "two calls without a key")
}

func afterFailure(ctx context.Context, k *operation) error {
	invalid, err := k.call.Using("invalid-arguments")
	if err != nil {
		return err
	}
	key := k.key()
	bad := shot{call: invalid, key: key}
	failed, err := k.fire(ctx, bad)
	if err != nil {
		return err
	}
	if proposal.WantDone(failed) == nil || k.wantEffects(ctx, 0, "") != nil {
		return probe.Undecide("the call with invalid arguments was not rejected before it ran")
	}
	reply, err := k.send(ctx, key)
	if err != nil {
		return err
	}
	if proposal.Declined(reply) {
		return k.usedUp(ctx, bad, reply)
	}
	if err := proposal.WantDone(reply); err != nil {
		return err
	}
	return k.wantEffects(ctx, 1, "a good call under a key whose first call was rejected")
}

// usedUp judges that a good call is rejected under the key of a bad one. A tool error
// may be the stored result of a call that ran, whose key is used then; and good calls
// may be rejected for reasons that keys have nothing to do with.
func (k *operation) usedUp(ctx context.Context, bad shot, refusal *probe.Reply) error {
	if err := k.wantEffects(ctx, 0, "the rejection of a key whose first call was rejected"); err != nil {
		return err
	}
	problem := k.sent.Violation("%s, want its result", refusal.AnswerTo("a good call under a key whose first call was rejected"))
	stored, err := k.fire(ctx, bad)
	if err != nil {
		return err
	}
	if k.marked(stored) {
		return probe.Undecide("the tool error of the first call is stored like the result of one that ran")
	}
	fresh, err := k.send(ctx, k.key())
	if err != nil {
		return err
	}
	if proposal.WantDone(fresh) != nil {
		return probe.Undecide("the call is rejected under a fresh key too")
	}
	return problem
}

// State is read over the connections that the calls are made on: a process
// that was started earlier may remember what it was.
func survivesReconnect(ctx context.Context, k *operation) error {
	c := k.client
	var err error
	if k.client, err = c.Opened(ctx); err != nil {
		return err
	}
	if k.before, err = k.client.Before(ctx, k.call); err != nil {
		return err
	}
	key := k.key()
	if _, err := k.spend(ctx, key); err != nil {
		return err
	}
	if err := k.client.Close(ctx); err != nil {
		return err
	}
	if k.client, err = c.Opened(ctx); err != nil {
		return err
	}
	return k.repeat(ctx, shot{key: key}, "a call and its repeat on a new connection")
}

// The effects are those that the second caller sees: callers need not see each
// other's.
func perPrincipal(ctx context.Context, k *operation) error {
	c := k.client
	first := c
	var err error
	if c.Identified("first") {
		if first, err = c.As(ctx, "first"); err != nil {
			return err
		}
	}
	second, err := c.As(ctx, "second")
	if err != nil {
		return err
	}
	key := k.key()
	reply, err := k.ask(ctx, shot{client: first, key: key})
	if err != nil {
		return err
	}
	k.sent = k.sent.And(reply)
	defer first.Undo(ctx, k.call, reply) // the second caller may not
	if proposal.WantDone(reply) != nil {
		return probe.Undecide("the first caller's call had no result: " + reply.Outcome())
	}
	k.client = second
	if k.before, err = second.Before(ctx, k.call); err != nil {
		return err
	}
	reply, err = k.fire(ctx, shot{key: key})
	if err != nil || proposal.Declined(reply) {
		return err
	}
	if err := proposal.WantDone(reply); err != nil {
		return err
	}
	if k.marked(reply) {
		return k.sent.Violation("the call of another caller is marked as a replay, want a call of its own or a rejection")
	}
	return k.wantEffects(ctx, 1, "the second caller's call under the first caller's key")
}
