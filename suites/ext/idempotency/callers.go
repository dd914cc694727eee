package idempotency

import (
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

func withoutKey(k *operation) error {
	for range 2 {
		reply := k.fire(shot{})
		if err := proposal.WantDone(reply); err != nil {
			return err
		}
		if k.marked(reply) {
			return reply.Violation("a call without a key is marked as a replay, want no such mark")
		}
	}
	return k.wantEffects(2, "two calls without a key")
}

func afterFailure(k *operation) error {
	invalid := k.call.Using("invalid-arguments")
	key := k.key()
	bad := shot{call: invalid, key: key}
	failed := k.fire(bad)
	if proposal.WantDone(failed) == nil || k.wantEffects(0, "") != nil {
		k.client.Undecide("the call with invalid arguments was not rejected before it ran")
	}
	reply := k.send(key)
	if proposal.Declined(reply) {
		return k.usedUp(bad, reply)
	}
	if err := proposal.WantDone(reply); err != nil {
		return err
	}
	return k.wantEffects(1, "a good call under a key whose first call was rejected")
}

// usedUp judges that a good call is rejected under the key of a bad one. A tool error
// may be the stored result of a call that ran, whose key is used then; and good calls
// may be rejected for reasons that keys have nothing to do with.
func (k *operation) usedUp(bad shot, refusal *probe.Reply) error {
	if err := k.wantEffects(0, "the rejection of a key whose first call was rejected"); err != nil {
		return err
	}
	problem := k.sent.Violation("%s, want its result", refusal.AnswerTo("a good call under a key whose first call was rejected"))
	stored := k.fire(bad)
	if k.marked(stored) {
		k.client.Undecide("the tool error of the first call is stored like the result of one that ran")
	}
	fresh := k.send(k.key())
	if proposal.WantDone(fresh) != nil {
		k.client.Undecide("the call is rejected under a fresh key too")
	}
	return problem
}

// State is read over the connections that the calls are made on: a process
// that was started earlier may remember what it was.
func survivesReconnect(k *operation) error {
	c := k.client
	k.client = c.Opened()
	k.before = k.client.Before(k.call)
	key := k.key()
	k.spend(key)
	k.client.Close()
	k.client = c.Opened()
	return k.repeat(shot{key: key}, "a call and its repeat on a new connection")
}

// The effects are those that the second caller sees: callers need not see each
// other's.
func perPrincipal(k *operation) error {
	c := k.client
	first := c
	if c.Identified("first") {
		first = c.As("first")
	}
	second := c.As("second")
	key := k.key()
	own := k.start(shot{client: first, key: key}).Reply()
	k.sent = k.sent.And(own)
	c.Cleanup(func() { first.Undo(k.call, own) }) // the second caller may not
	if proposal.WantDone(own) != nil {
		c.Undecide("the first caller's call had no result: " + own.Outcome())
	}
	k.client = second
	k.before = second.Before(k.call)
	reply := k.fire(shot{key: key})
	if proposal.Declined(reply) {
		return nil
	}
	if err := proposal.WantDone(reply); err != nil {
		return err
	}
	if k.marked(reply) {
		return k.sent.Violation("the call of another caller is marked as a replay, want a call of its own or a rejection")
	}
	return k.wantEffects(1, "the second caller's call under the first caller's key")
}
