package tools

import (
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

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
	if !without(c) {
		c.NotSeen("the server no longer answers after the same call without " + what +
			" either, which tools/inputs-validated-... judge")
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
