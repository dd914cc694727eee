package confirmation

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// others are about what a confirmation does not change.
func others() []suite.Case {
	untouched := func(slug, title, fix string, run func(*probe.Client) error) suite.Case {
		return bench.Observing(roles.StateChange, bench.Case("ext-confirmation/"+slug, title, "ext-confirm-others-untouched", fix, careful(run),
			suite.Role(roles.StateChange)))
	}
	return []suite.Case{
		bench.Observing(roles.Denied, bench.Case("ext-confirmation/denied-stays-denied", "a confirmation does not replace a permission",
			"ext-confirm-denied-stays-denied", "look at the permissions of the caller before and after it has confirmed a call",
			careful(deniedStaysDenied), suite.Role(roles.Denied, "gated.observe"))),
		untouched("others-untouched", "a tool that does not require confirmation runs at once",
			"ask only for the tools with requires_confirmation", othersUntouched),
		untouched("others-untouched-stray", "a tool that does not require confirmation ignores user_confirmed",
			"ignore user_confirmed and confirmation_token where no confirmation is needed", strayConfirmation),
		gated("unaware-client", "a client that does not declare the extension gets a result or a refusal, and no question as a result",
			"ext-confirm-unaware-client",
			"refuse the call of such a client with a permanent error and a suggestion, from 2026-07-28 on with -32021, or run it", unaware),
	}
}

// unaware calls as a client that would take the answer for what the tool has done.
func unaware(d *desk) error {
	d.NotSeenIf(!proposal.Explicit(d.Client, name), "the server does not claim the extension by name, so that it may ask every client")
	d.NotSeenIf(d.form == byForm, "the server asks by elicitation, which clients declare")
	plain := d.With(d.Undeclared())
	reply := plain.MakeCall(bench.Call{Tool: d.ToolCall, Dialect: proposal.Bare})
	const what = "a client that does not declare human_in_the_loop"
	failed, _ := reply.At("/result/isError")
	if g, asks := gateOf(d.Client, reply, d.ToolCall.Tool); asks && g.record["status"] != nil &&
		failed != true { // only the draft has a status
		return reply.Violation("%s gets the question as an ordinary result, want a refusal, or the effect", what)
	}
	record, place, refused := proposal.Record(reply)
	missing, _ := reply.At("/error/data/requiredCapabilities")
	modern := !protocol.HasHandshake(string(d.Revision()))
	switch {
	case modern && reply.HasCode(protocol.MissingCapability) && len(probe.ObjectOf(missing)) == 0:
		return reply.Violation("%s is refused with error %d, and $.error.data.requiredCapabilities is %s, "+
			"want an object with %s among its extensions",
			what, protocol.MissingCapability, probe.Show(missing), proposal.Extension(name).Key()).AtMostWarn().
			Unless(probe.Elsewhere{Case: "meta/undeclared-capability-data", Why: "error -32021 does not say what is missing"})
	case !refused, modern: // since 2026-07-28 a refusal needs no record
		return nil
	case record["category"] != "permanent":
		return reply.Violation("%s is refused, and category in %s is %s, want permanent: the same call will be refused again",
			what, place, probe.Show(probe.Member(record, "category"))).Unless(proposal.Misrecorded(record))
	case probe.TextOf(record["suggestion"]) == "":
		broken := reply.Violation("%s is refused, and %s has no suggestion, want one that says what is missing", what, place)
		if suggestion, given := record["suggestion"]; given && suggestion != "" {
			broken = broken.Unless(probe.Elsewhere{Case: "ext-structured-errors/suggestion-type", Why: "suggestion is not a string"})
		}
		return broken
	}
	return nil
}

// deniedStaysDenied confirms whatever it is asked. The question may come ahead of the refusal.
func deniedStaysDenied(c *probe.Client) error {
	d := &desk{Bench: bench.New(c)}
	caller, sure := bench.Weakest(c)
	d.Caller = caller
	d.Dialect = proposal.Bare + proposal.Prefixed
	c.NotSeenIf(refusesNobody(c, caller), "the call of roles.denied is not refused")
	d.ToolCall = c.Role(roles.Denied).Field("gated")
	w := d.Watch(d.ToolCall)
	reply := d.send(d.ToolCall, nil)
	values := probe.Object{"user_confirmed": true, "confirmation_token": "kit" + c.Nonce()}
	for range 2 {
		if g, asks := gateOf(c, reply, d.ToolCall.Tool); asks {
			values = g.consent()
		}
		reply = d.send(d.ToolCall, values)
	}
	err := d.WantNoEffect(w, "a call that its caller may not make, and has confirmed")
	c.UndecideIf(err != nil && !sure, "over stdio nothing says that this process may not call "+d.ToolCall.Tool)
	if err != nil || proposal.Declined(reply) {
		return err
	}
	return d.Said.Violation("%s, want a refusal: roles.denied says that the caller may not make the call",
		reply.AnswerTo("a call that its caller may not make, and has confirmed"))
}

// refusesNobody reports whether the call of roles.denied runs, where the configuration names
// one beside the gated one: then the server looks at no permissions, which is another rule's.
func refusesNobody(c, caller *probe.Client) bool {
	b := bench.New(c)
	b.Caller, b.Dialect = caller, proposal.Bare
	var reply *probe.Reply
	_ = c.Try(func() { b.ToolCall = c.Role(roles.Denied).Call(); reply = b.MakeCall(bench.Call{}) })
	if reply == nil || proposal.Declined(reply) {
		return false
	}
	_, asks := gateOf(c, reply, b.ToolCall.Tool)
	return !asks
}

// ungated is the call of state-change, unless its tool is one that asks.
func ungated(c *probe.Client) *probe.ToolCall {
	call := c.Role(roles.StateChange).Call()
	for _, e := range proposal.Entries(c) {
		c.NotSeenIf(e.Tool == call.Tool && e.Says["requires_confirmation"] == true, "the tool of roles.state-change requires confirmation")
	}
	return call
}

func othersUntouched(c *probe.Client) error {
	b := bench.New(c)
	b.ToolCall = ungated(c)
	reply := b.MakeCall(bench.Call{Dialect: proposal.Bare})
	b.Permitted(b.ToolCall, reply)
	if _, asks := gateOf(c, reply, b.ToolCall.Tool); asks {
		return reply.Violation("the call of %s, which does not require confirmation, is answered with a question, want its result",
			b.ToolCall.Tool)
	}
	bench.WantRun(c, roles.StateChange, reply)
	return nil
}

func strayConfirmation(c *probe.Client) error {
	b := bench.New(c)
	b.ToolCall = ungated(c)
	plain := b.MakeCall(bench.Call{Dialect: proposal.Bare})
	b.Permitted(b.ToolCall, plain)
	bench.WantRun(c, roles.StateChange, plain)
	b.ToolCall = c.Role(roles.StateChange).Call()
	reply := b.MakeCall(bench.Call{Dialect: proposal.Bare + proposal.Prefixed, Values: probe.Object{"user_confirmed": true}})
	if _, asks := gateOf(c, reply, b.ToolCall.Tool); !asks && proposal.Done(reply) {
		return nil
	}
	return reply.Violation("%s, want the result that it has without",
		reply.AnswerTo("a call of "+b.ToolCall.Tool+" with user_confirmed in _meta"))
}
