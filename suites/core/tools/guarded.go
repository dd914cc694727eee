package tools

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/garbage"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// guardedCases are about who may call, and how often.
func guardedCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/access-control",
			Title:  "a call is refused to an identity that may not make it",
			Checks: []requirements.ID{"tools-access-control"},
			Needs: []suite.Need{
				suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second"), suite.Role(roles.Denied),
			},
			Observes: roles.Denied,
			Fix:      "check on each call whether its caller may make it, by the credentials of the request",
			Run:      accessControl,
		},
		{
			ID:       "tools/rate-limited",
			Title:    "calls beyond the limit of a tool are refused",
			Checks:   []requirements.ID{"tools-rate-limited"},
			Needs:    []suite.Need{suite.Role(roles.RateLimit, "repeat")},
			Observes: roles.RateLimit,
			Fix:      "count the calls of each client, and refuse those beyond the limit with an error or a result with isError",
			Run:      rateLimited,
		},
	}
}

// A result that is marked as an error refuses too.
func accessControl(c *probe.Client) error {
	call := c.Role(roles.Denied).Call()
	weakest := "second"
	if c.Identified("limited") {
		weakest = "limited"
	}
	other := c.As(weakest) // in a session of its own: that of another may be closed to it
	reply := other.CallTool(call, nil)
	result, served := reply.Result()
	switch {
	case reply.Refused() || reply.ErrorFlag():
		return nil
	case !served:
		c.Undecide("the answer to the call is " + reply.Outcome())
	case !final(result):
		c.Undecide("the call was answered with something else than its outcome")
	}
	c.MustMarkFailures()
	return reply.Violation("the call of %s is served to principals.%s, want a refusal", probe.Show(call.Tool), weakest)
}

// All calls are the same, since a limit may count them by what they are about.
func rateLimited(c *probe.Client) error {
	role := c.Role(roles.RateLimit)
	call := role.Call()
	repeat, _ := role.Fields().Number("repeat")
	began := time.Now()
	var last *probe.Reply
	for range repeat + 1 {
		last = c.CallTool(call, nil)
		if last.Refused() || last.ErrorFlag() {
			return nil
		}
		c.UndecideIf(!last.Served(), "the answer to the call is "+last.Outcome())
	}
	refusals.MustBeAtOnce(c, began)
	c.MustMarkFailures()
	return last.Violation("call %d in a row is served, want a refusal beyond %d", repeat+1, repeat)
}

// sturdyCases send arguments that are hard to read and look whether the server
// is still there.
func sturdyCases() []suite.Case {
	const levels, size = 200, 256 << 10
	var cases []suite.Case
	for _, burden := range []struct {
		slug, what, fix string
		value           func() any
	}{
		{
			"oversized", "an oversized argument", "limit the size of what is read, and reject the rest instead of giving up",
			func() any { return strings.Repeat("x", size) },
		},
		{
			"nested", "a deeply nested argument", "limit the depth to which values are read, and reject deeper ones instead of giving up",
			func() any { return json.RawMessage(strings.Repeat("[", levels) + strings.Repeat("]", levels)) },
		},
	} {
		cases = append(cases, suite.Case{
			ID:     "tools/survives-" + burden.slug + "-arguments",
			Title:  "the server survives a call with " + burden.what,
			Checks: []requirements.ID{"tools-inputs-validated"},
			Needs:  []suite.Need{suite.Role(invalidInput)},
			Fix:    burden.fix,
			Run: func(c *probe.Client) error {
				return survives(c, burden.what, burden.value())
			},
		})
	}
	return cases
}

// The other arguments are rejected anyway, so that nothing happens if the
// server takes the burden. What it answers is free, silence included.
func survives(c *probe.Client, what string, burden any) error {
	call := excludedCall(c)
	call = replaced(call, call.Arguments.With("mcp_conform", burden))
	reply := c.Ask(c.Compose("tools/call", call.Params(nil)), probe.ThenBarrier())
	behind := reply.Behind()
	if behind.Answered() || behind.Refused() {
		return nil
	}
	c.NotSeenIf(!without(c),
		"the server no longer answers after the same call without "+what+
			" either, which tools/inputs-validated-... judge")
	if behind.Died() {
		garbage.LeaveToOne(c) // parsers may bound the depth and the length of what they read
	}
	return probe.Shown(reply, behind).Violation("%s, want an answer", behind.AnswerTo(behind.Method+" after a call with "+what))
}

// without reports whether a server on a connection of its own is still there after
// the call as it is without the burden.
func without(c *probe.Client) bool {
	other := c.Opened()
	call := excludedCall(other)
	reply := other.Ask(other.Compose("tools/call", call.Params(nil)), probe.ThenBarrier())
	return reply.Behind().Answered() || reply.Behind().Refused()
}
