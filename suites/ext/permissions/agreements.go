package permissions

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func agreements() []suite.Case {
	return []suite.Case{
		bench.Observing(roles.StateChange, claimed("check-pure", "a check runs nothing", "ext-permissions-check-pure",
			"answer permissions/check from the rules alone, without entering the tool", checkPure, suite.Role(roles.StateChange, "observe"))),
		claimed("allow-holds", "a call that the check allows is not refused for lack of permission", "ext-permissions-allow-holds",
			"let permissions/check and tools/call ask the same function", allowHolds, suite.Role(roles.ReadOnlyTool)),
		bench.Observing(roles.Denied, claimed("deny-holds", "a call that the check denies is refused", "ext-permissions-deny-holds",
			"let tools/call ask the function that permissions/check asks, before the tool runs; "+
				mayCall, denyHolds,
			suite.Role(roles.Denied))),
		bench.Observing(roles.Denied, claimed("deny-holds-no-effect", "a call that the check denies has no effect",
			"ext-permissions-deny-holds",
			"look at the scopes before the tool runs, not at its result", denyHasNoEffect, suite.Role(roles.Denied, "observe"))),
		// Once: who keeps what a check was told of would refuse nothing the second time.
		bench.In(suite.Fresh, bench.Observing(roles.Denied, claimed("held-not-trusted", "scopes that a check is told of open nothing",
			"ext-permissions-held-not-trusted",
			"use scopes_held for the answer only; what a caller may do comes from its credentials or its session", heldNotTrusted,
			suite.Role(roles.Denied, "observe")))),
		{
			ID:       "ext-permissions/check-keeps-quota",
			Title:    "checks do not count against the quota of the tool",
			Checks:   []requirements.ID{"ext-permissions-check-pure"},
			Needs:    checked(suite.Role(roles.RateLimit, "repeat")),
			Lane:     suite.Waits,
			Observes: roles.RateLimit, // calls of other cases count as well
			Fix:      "count calls where the tool is run, not where rights are looked up",
			Run:      checkKeepsQuota,
		},
	}
}

func checkPure(c *probe.Client) error {
	b := bench.New(c)
	call := c.Role(roles.StateChange).Call()
	known := told(c)
	watched := b.Watch(call)
	b.Said = b.Said.And(ask(c, question{call.Tool, append(known.scopes, known.required[call.Tool]...), call.Arguments}))
	return b.WantNoEffect(watched, "a check for "+call.Tool)
}

// A server that judges by the scopes it is told of says only what would be: then
// the operator has to have named the tool as one that the kit may call.
func allowHolds(c *probe.Client) error {
	role := c.Role(roles.ReadOnlyTool)
	call := role.Call()
	known := told(c)
	said := askAbout(c, call, nil)
	if yes, _ := said.allowed(); !yes {
		c.NotSeenIf(role.From("tool") != roles.Config, "nothing says that the kit may call "+call.Tool+"; set roles.read-only-tool")
		said = askAbout(c, call, slices.Concat(known.scopes, known.required[call.Tool], said.missing()))
	}
	switch yes, told := said.allowed(); {
	case !told:
		unread(c, said)
	case !yes:
		c.NotSeen("the check does not allow " + call.Tool)
	}
	reply := c.CallTool(call, nil)
	if !forLackOfRights(reply) {
		return nil
	}
	return probe.Shown(said, reply).Violation("the check allows %s, and %s, want no refusal for lack of permission",
		call.Tool, reply.AnswerTo("the call"))
}

// forLackOfRights reports whether an answer says that it is no for lack of
// permission, in a record, in its status or in words.
func forLackOfRights(r *probe.Reply) bool {
	if record, _, ok := proposal.Record(r); ok {
		return slices.Contains(proposal.RightsCodes(), probe.TextOf(record["code"]))
	}
	if r.Status() == http.StatusForbidden {
		return true
	}
	if !r.Answered() || r.Message().Class != frame.Error && !r.ErrorFlag() {
		return false
	}
	return slices.ContainsFunc(proposal.RightsCodes(), func(code string) bool { return strings.Contains(r.Outcome(), code) })
}

// make makes the denied call.
func (d *denial) make() *probe.Reply {
	return d.Caller.CallTool(d.ToolCall, nil)
}

func denyHolds(c *probe.Client) error {
	d := refused(c)
	reply, what := d.make(), "the call"
	if proposal.Declined(reply) {
		reply, what = d.keyed(), "the call with an idempotency key"
	}
	if proposal.Declined(reply) {
		return nil
	}
	return probe.Shown(d.said, reply).Violation("roles.denied and the check say that %s is refused, and %s, want a refusal",
		d.ToolCall.Tool, reply.AnswerTo(what)).
		Unless(probe.Elsewhere{Case: "tools/access-control", Why: "a principal without rights is served, too"})
}

// keyed makes the denied call with a fresh idempotency key, wherever a server may read one.
// Where keys are unknown or stand elsewhere it is refused all the same.
func (d *denial) keyed() *probe.Reply {
	reply := d.StartCall(bench.Call{
		Dialect: proposal.Bare + proposal.Prefixed + proposal.Beside + proposal.Header,
		Values:  probe.Object{"idempotency_key": d.Key()},
	}).Reply()
	d.Keep(d.ToolCall, reply)
	return reply
}

// turnedAway makes the denied call for cases that are about what comes with a refusal, or
// behind it.
func (d *denial) turnedAway() *probe.Reply {
	reply := d.make()
	d.UndecideIf(!proposal.Declined(reply), "the call is not refused, which ext-permissions/deny-holds judges")
	return reply
}

func denyHasNoEffect(c *probe.Client) error {
	d := refused(c)
	watched := d.Watch(d.ToolCall)
	d.Said = d.Said.And(d.turnedAway())
	return d.WantNoEffect(watched, "a call that was refused")
}

// On the connection on which the scopes were told: some servers keep them there. Others
// keep them for the caller, and the right stays: it is the refusal before that counts,
// and no later one.
func heldNotTrusted(c *probe.Client) error {
	d := refused(c)
	before := d.turnedAway()
	all := d.everything()
	a := askAbout(d.Caller, d.ToolCall, all)
	watched := d.Watch(d.ToolCall)
	reply := d.make()
	d.Said = d.Said.And(before, a, reply)
	if !proposal.Declined(reply) {
		return d.Said.Violation("after a check with the scopes %s %s, want a refusal as before",
			probe.Show(all), reply.AnswerTo("the call"))
	}
	return probe.Unless(d.WantNoEffect(watched, "a call that was refused"), proposal.RefusedInVain())
}

// A quota that allows two calls has to allow the second one after any number of
// checks. That it does allow two is looked at when the second one was refused:
// somebody else may have used it up.
func checkKeepsQuota(c *probe.Client) error {
	call := c.Role(roles.RateLimit).Call()
	_, second := callsAroundChecks(c, call)
	if !limited(second) {
		return nil
	}
	call = rested(c, call, second) // calls before this case may have used up a part of the quota
	shown, second := callsAroundChecks(c, call)
	if !limited(second) {
		return nil
	}
	call = rested(c, call, second)
	for range 2 {
		reply := c.CallTool(call, nil)
		c.Require(proposal.WantDone(reply), "two calls in a row are refused without checks, too: "+reply.Outcome())
	}
	return shown.Violation("the second call of %s is refused after checks for it, want its result as without them", call.Tool)
}

// callsAroundChecks makes two calls, and between them as many checks as calls use up the quota.
func callsAroundChecks(c *probe.Client, call *probe.ToolCall) (shown probe.Evidence, second *probe.Reply) {
	first := c.CallTool(call, nil)
	c.Require(proposal.WantDone(first), "the quota is used up already: "+first.Outcome())
	shown = probe.Shown(first)
	repeat, _ := c.Role(roles.RateLimit).Fields().Number("repeat")
	for range repeat {
		shown = shown.And(askAbout(c, call, nil))
	}
	second = c.CallTool(call, nil)
	return shown.And(second), second
}

// rested returns a call whose quota is whole: one with other arguments, or where the role has no
// others, the same call when the limit is over.
func rested(c *probe.Client, used *probe.ToolCall, refused *probe.Reply) *probe.ToolCall {
	call := c.Role(roles.RateLimit).Call()
	if probe.Same(call.Arguments, used.Arguments) {
		record, _, _ := proposal.Record(refused)
		seconds, stated := probe.NumberOf(record["retry_after_seconds"])
		wait := time.Duration(seconds * float64(time.Second))
		c.UndecideIf(!stated || wait <= 0 || wait > c.Waits().Max,
			"the quota cannot be looked at again: the refusal states no time to wait, or more than wait.max")
		proposal.Pause(c, wait)
	}
	return call
}

// limited reports whether an answer says that it was asked too often.
func limited(r *probe.Reply) bool {
	record, _, ok := proposal.Record(r)
	if !ok {
		return r.Status() == http.StatusTooManyRequests || proposal.Declined(r) && !forLackOfRights(r)
	}
	return record["category"] == "rate_limited" || record["category"] == "transient"
}
