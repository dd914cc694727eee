package completion

import (
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// sturdyCases complete values that no client should send. Whether the server takes or
// rejects them is free.
func sturdyCases() []suite.Case {
	const size = 256 << 10
	var cases []suite.Case
	for _, row := range []struct {
		slug, what, fix string
		value           any
		plain           bool // clients may send it, so that the result counts
	}{
		{slug: "number", what: "a number as value", fix: "check that the value is a string before it is used", value: 7},
		{
			slug: "object", what: "an object as value", fix: "check that the value is a string before it is used",
			value: probe.Object{"a": []any{nil}},
		},
		{
			slug: "long", what: "a value of 256 KiB",
			fix: "limit the length of values, and reject longer ones instead of giving up", value: strings.Repeat("x", size),
		},
		{
			slug: "control-characters", what: "control characters in the value",
			fix: "let no character of a value end what it is written into", value: "\x00\x1b[2J\r\n\u202e",
		},
		{
			slug: "pattern", what: "a broken regular expression as value",
			fix: "take the value for plain text, not for a pattern", value: `([{*+?\`, plain: true,
		},
	} {
		cases = append(cases, suite.Case{
			ID:     "completion/inputs-validated-" + row.slug,
			Title:  "the server survives a completion with " + row.what,
			Checks: []requirements.ID{"completion-inputs-validated"},
			Fix:    row.fix,
			Run:    func(c *probe.Client) error { return survives(c, row.what, row.value, row.plain) },
		})
	}
	return cases
}

// What the server answers is free, silence included. A process that ends may have stumbled
// over two requests at the same time, so it is asked once more with nothing else in flight.
func survives(c *probe.Client, what string, value any, plain bool) error {
	params := served(c)[0].params(value, nil)
	var reply *probe.Reply
	if plain {
		reply = c.Call(complete, params, probe.ThenBarrier())
	} else {
		reply = c.Ask(c.Compose(complete, params), probe.ThenBarrier())
	}
	behind := reply.Behind()
	if behind.Answered() || behind.Refused() {
		return nil
	}
	if behind.Died() {
		other := c.Opened()
		reply = other.Ask(other.Compose(complete, params))
		behind = other.Call(behind.Method, nil)
		c.UndecideIf(behind.Answered() || behind.Refused(), "the process ended, but did not when no other request was in flight")
	}
	return probe.Shown(reply, behind).Violation("%s, want an answer", behind.AnswerTo(behind.Method+" after a completion with "+what))
}

// guardedCases are about who is given suggestions, and how often.
func guardedCases() []suite.Case {
	denied := slices.Insert(known(roles.Denied, "completion.hidden"), 1,
		suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second"))
	return []suite.Case{
		{
			ID:     "completion/rate-limited",
			Title:  "completions beyond the limit are refused",
			Checks: []requirements.ID{"completion-rate-limited"},
			Needs:  known(roles.RateLimit, "completion"),
			Fix:    "count the requests of each client, and refuse those beyond the limit with an error",
			Run:    rateLimited,
		},
		{
			ID:     "completion/access-controlled",
			Title:  "values that a caller may not see are not suggested",
			Checks: []requirements.ID{"completion-access-controlled"},
			Needs:  denied,
			Fix:    "leave out of the suggestions what their caller may not see, by the credentials of the request",
			Run:    accessControlled,
		},
		{
			ID:     "completion/no-disclosure",
			Title:  "a completion does not tell whether a value exists that the caller may not see",
			Checks: []requirements.ID{"completion-no-disclosure"},
			Needs:  denied,
			Fix:    "treat what the caller may not see as if it did not exist, also in total and in errors",
			Run:    noDisclosure,
		},
	}
}

// All requests are the same, since a limit may count them by what they are about.
func rateLimited(c *probe.Client) error {
	limit := c.Role(roles.RateLimit).Fields().At("completion")
	repeat, _ := limit.Number("repeat")
	one, value := named(limit), "kit-"+c.Nonce()
	began := time.Now()
	var last *probe.Reply
	for range repeat + 1 {
		if last = one.ask(c, value, nil); last.Refused() {
			return nil
		}
		c.UndecideIf(!last.Served(), "the answer to completion/complete is "+last.Outcome())
	}
	refusals.MustBeAtOnce(c, began)
	return last.Violation("completion %d in a row is served, want a refusal beyond %d", repeat+1, repeat)
}

// weakest is the identity with the fewest rights, in a session of its own: that of another
// may be closed to it.
func weakest(c *probe.Client) (string, *probe.Client) {
	if c.Identified("limited") {
		return "limited", c.As("limited")
	}
	return "second", c.As("second")
}

func accessControlled(c *probe.Client) error {
	role := c.Role(roles.Denied).Fields().At("completion")
	hidden := func(r *probe.Reply) []string {
		return slices.DeleteFunc(probe.Strings(valuesOf(r)), func(v string) bool { return !slices.Contains(role.Texts("hidden"), v) })
	}
	allowed := named(role).ask(c, role.Text("value"), nil)
	c.Require(allowed.WantResult(), "the first identity gets no suggestions either")
	c.UndecideIf(len(hidden(allowed)) == 0, "the first identity is not given roles.denied.completion.hidden either")
	name, other := weakest(c)
	denied := named(role).ask(other, role.Text("value"), nil)
	if shown := hidden(denied); len(shown) > 0 {
		return probe.Shown(allowed, denied).Violation("principals.%s is given %s too, want it left out", name, probe.Show(shown))
	}
	return nil
}

// noDisclosure types what is hidden, and then what does not exist. A server that gives away
// the value itself breaks another rule.
func noDisclosure(c *probe.Client) error {
	role := c.Role(roles.Denied).Fields().At("completion")
	name, other := weakest(c)
	for _, value := range role.Texts("hidden") {
		hidden, none := named(role).ask(other, value, nil), named(role).ask(other, value+"-"+c.Nonce(), nil)
		c.NotSeenIf(slices.Contains(probe.Strings(valuesOf(hidden)), value), "principals."+name+" is given the value, which is another rule's")
		total, stated := hidden.At("/result/completion/total")
		count, _ := probe.NumberOf(total)
		shown := probe.Shown(none, hidden)
		switch {
		case hidden.Served() != none.Served():
			return shown.Violation("%s for %s, which principals.%s may not see, and %s for what does not exist, want the same for both",
				hidden.Outcome(), probe.Show(value), name, none.Outcome())
		case stated && count > float64(len(valuesOf(hidden))):
			return shown.Violation("$.result.completion.total is %v for %s, which principals.%s may not see, want %d, the number of values",
				total, probe.Show(value), name, len(valuesOf(hidden)))
		}
	}
	return nil
}
