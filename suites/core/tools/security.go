package tools

import (
	"cmp"
	"context"
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
			Run: func(ctx context.Context, c *probe.Client) error {
				return survives(ctx, c, burden.what, burden.value())
			},
		})
	}
	return cases
}

// The other arguments are rejected anyway, so that nothing happens if the
// server takes the burden. What it answers is free, silence included.
func survives(ctx context.Context, c *probe.Client, what string, burden any) error {
	call, err := excludedCall(ctx, c)
	if err != nil {
		return err
	}
	call = replaced(call, call.Arguments.With("mcp_conform", burden))
	reply, err := c.Ask(ctx, c.Compose("tools/call", call.Params(nil)), probe.ThenBarrier())
	if err != nil {
		return err
	}
	behind := reply.Behind()
	if behind.Answered() || behind.Refused() {
		return nil
	}
	if lasts, err := without(ctx, c); err != nil || !lasts {
		return cmp.Or(err, probe.NotSeen("the server no longer answers after the same call without "+what+
			" either, which tools/inputs-validated-... judge"))
	}
	return probe.Shown(reply, behind).Violation("%s, want an answer", behind.AnswerTo(behind.Method+" after a call with "+what))
}

// without reports whether a server on a connection of its own is still there after
// the call as it is without the burden.
func without(ctx context.Context, c *probe.Client) (bool, error) {
	other, err := c.Opened(ctx)
	if err != nil {
		return false, err
	}
	call, err := excludedCall(ctx, other)
	if err != nil {
		return false, err
	}
	reply, err := other.Ask(ctx, other.Compose("tools/call", call.Params(nil)), probe.ThenBarrier())
	if err != nil {
		return false, err
	}
	return reply.Behind().Answered() || reply.Behind().Refused(), nil
}
