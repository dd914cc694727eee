package idempotency

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
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
		keyed("after-failure", "a call that was rejected before it ran does not use its key up", "ext-idempotency-after-failure",
			"check the arguments before the key is stored, and store keys of calls that ran only", afterFailure,
			suite.Role(roles.StateChange, "invalid-arguments")),
		bench.Observing(roles.Gated, keyed("after-question", "a call that waits for the user does not use its key up",
			"ext-idempotency-after-failure",
			"ask the user before the key is stored, so that the call runs under its key when it is confirmed", afterQuestion,
			suite.Claim("confirmation"), suite.Role(roles.Gated, "observe"))),
		keyed("survives-reconnect", "a key outlives the connection it came over", "ext-idempotency-survives-reconnect",
			"keep the store of keys outside of the session: a lost connection is what keys are for", survivesReconnect,
			suite.Either(suite.Over(requirements.HTTP), suite.Trait(probe.Durable))),
		keyed("per-principal", "one caller's key neither suppresses nor reveals another caller's call", "ext-idempotency-per-principal",
			"look keys up together with the authenticated caller", perPrincipal, suite.Over(requirements.HTTP),
			suite.Role(roles.Principals, "second")),
	}
}

func withoutKey(b *bench.Bench) error {
	for range 2 {
		reply := call(b, bench.Call{})
		b.Must(proposal.WantDone(reply))
		if marked(b, reply) {
			return reply.Violation("a call without a key is marked as a replay, want no such mark")
		}
	}
	return b.WantEffects(2, "two calls without a key")
}

func afterFailure(b *bench.Bench) error {
	invalid := b.ToolCall.Using("invalid-arguments")
	key := b.Key()
	bad := bench.Call{Tool: invalid, Values: under(key)}
	failed := call(b, bad)
	b.UndecideIf(proposal.Done(failed) || b.WantEffects(0, "") != nil,
		"the call with invalid arguments was not rejected before it ran")
	reply := send(b, key)
	if proposal.Declined(reply) {
		return usedUp(b, bad, reply)
	}
	b.Must(proposal.WantDone(reply))
	return b.WantEffects(1, "a good call under a key whose first call was rejected")
}

// usedUp judges that a good call is rejected under the key of a bad one. A tool error
// may be the stored result of a call that ran, whose key is used then, unless the inputSchema
// rules its arguments out; and good calls may be rejected for reasons that keys have nothing to do with.
func usedUp(b *bench.Bench, bad bench.Call, refusal *probe.Reply) error {
	b.Must(b.WantEffects(0, "the rejection of a key whose first call was rejected"))
	problem := b.Said.Violation("%s, want its result", refusal.AnswerTo("a good call under a key whose first call was rejected"))
	stored := call(b, bad)
	if marked(b, stored) {
		misfit := proposal.Misfit(b.Client, bad.Tool.Tool, bad.Tool.Arguments)
		b.UndecideIf(misfit == "", "the tool error of the first call is stored like the result of one that ran")
		return b.Said.Violation("a call whose arguments do not fit the inputSchema of %s (%s) is stored under its key, "+
			"and a good call is rejected under it, want its result", bad.Tool.Tool, misfit).Unless(proposal.Unchecked())
	}
	fresh := send(b, b.Key())
	b.Require(proposal.WantDone(fresh), "the call is rejected under a fresh key too")
	return problem
}

// The confirmation goes wherever a server may read one. That a call runs which is confirmed
// is seen with a key that the question was not asked under.
func afterQuestion(b *bench.Bench) error {
	if !b.Dialect.Has(proposal.Beside) {
		b.Dialect += proposal.Beside
	}
	key := b.Key()
	reply, done := confirmed(b, bench.Call{Values: under(key)}, key)
	if done {
		return nil
	}
	problem := b.Said.Violation("%s, and it had no effect, want its effect",
		reply.AnswerTo("a call that is confirmed under the key of the question"))
	_, done = confirmed(b, bench.Call{Dialect: proposal.Bare}, b.Key())
	b.UndecideIf(!done, "a call that is confirmed has no effect under another key either")
	return problem
}

// confirmed makes the call of the role that asks, and again under a key when it has asked.
func confirmed(b *bench.Bench, asking bench.Call, key string) (reply *probe.Reply, done bool) {
	asking.Tool = b.Role(roles.Gated).Call()
	watched := b.Watch(asking.Tool)
	asked := b.MakeCall(asking)
	b.Permitted(asking.Tool, asked)
	gate, asks := proposal.FindGate(b.Client, asked, asking.Tool.Tool)
	b.NotSeenIf(!asks, "the answer to "+asking.Tool.Tool+" has no record of a confirmation; questions of another kind are not judged here")
	values := under(key).With("user_confirmed", true)
	if token := probe.TextOf(gate.Record["confirmation_token"]); token != "" {
		values = values.With("confirmation_token", token)
	}
	reply = b.MakeCall(bench.Call{Tool: asking.Tool, Values: values})
	_, same := b.Look(watched, false)
	return reply, !same
}

// State is read over the connections that the calls are made on: a process
// that was started earlier may remember what it was.
func survivesReconnect(b *bench.Bench) error {
	c := b.Client
	b.Client = c.Opened()
	b.Earlier = b.Before(b.ToolCall)
	key := b.Key()
	spend(b, key)
	b.Close()
	b.Client = c.Opened()
	return repeat(b, bench.Call{Values: under(key)}, "a call and its repeat on a new connection")
}

// The effects are those that the second caller sees: callers need not see each
// other's.
func perPrincipal(b *bench.Bench) error {
	c := b.Client
	first := c
	if c.Identified("first") {
		first = c.As("first")
	}
	second := c.As("second")
	key := b.Key()
	mine := b.With(first) // the second caller may not undo what the first did
	own := send(mine, key)
	b.Said = mine.Said
	c.UndecideIf(!proposal.Done(own), "the first caller's call had no result: "+own.Outcome())
	b.Client = second
	b.Earlier = second.Before(b.ToolCall)
	reply := send(b, key)
	if proposal.Declined(reply) {
		return nil
	}
	b.Must(proposal.WantDone(reply))
	if replayed(b, reply) {
		return b.Said.Violation("the call of another caller is marked as a replay, want a call of its own or a rejection")
	}
	return b.WantEffects(1, "the second caller's call under the first caller's key")
}
