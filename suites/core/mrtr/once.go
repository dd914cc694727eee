package mrtr

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// onceCases count the effects of an operation that happens once.
func onceCases() []suite.Case {
	once := []suite.Need{suite.Role(roles.InputRequired), suite.Role(roles.InputRequired, "once")}
	return []suite.Case{
		{
			ID:     "mrtr/state-used-twice",
			Title:  "an operation that happens once does not happen again when its requestState is brought again",
			Checks: []requirements.ID{"mrtr-state-single-use"},
			Needs:  once,
			Fix:    "remember on the server which states were used, and reject them",
			Run:    usedTwice,
		},
		{
			ID:     "mrtr/state-used-at-once",
			Title:  "an operation that happens once happens once also when two retries come at the same time",
			Checks: []requirements.ID{"mrtr-state-single-use"},
			Needs:  once,
			Fix:    "look whether a state was used and remember it in one step, such as an insert under a unique key",
			Run:    usedAtOnce,
		},
	}
}

// usedTwice sends the retry that completes the operation again, as it was.
func usedTwice(c *probe.Client) error {
	call := c.Role(roles.InputRequired).Field("once")
	o := toolOf(c, call)
	before := c.Before(call)
	first := o.whole()
	c.UndecideIf(!first.end.Succeeded(), o.name+" ends with "+first.end.Outcome())
	c.UndecideIf(before.Effects(c.Observe(call)) != 1, "the tool of roles.input-required.once has not one effect")
	again := o.retry(o.bring(first.asked[len(first.asked)-1]))
	if after := c.Observe(call); before.Effects(after) > 1 {
		return probe.Shown(before, first.end, again, after).Violation("the same retry had its effect twice, want it once")
	}
	return nil
}

// usedAtOnce sends the retry that completes the operation twice, and then waits for both answers.
func usedAtOnce(c *probe.Client) error {
	call := c.Role(roles.InputRequired).Field("once")
	first := toolOf(c, call).whole()
	c.UndecideIf(!first.end.Succeeded(), "the tool of roles.input-required.once ends with "+first.end.Outcome())
	call = c.Role(roles.InputRequired).Field("once")
	o := toolOf(c, call)
	before := c.Before(call)
	last := o.bring(o.last(len(first.asked)))
	one, two := o.start(last), o.start(last)
	answers := []*probe.Reply{one.Reply(), two.Reply()}
	if after := c.Observe(call); before.Effects(after) > 1 {
		return probe.Shown(before, answers[0], answers[1], after).Violation("two retries at the same time had two effects, want one")
	}
	return nil
}
