package tools

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// sturdyCases send arguments that are hard to digest and look whether the
// server is still there.
func sturdyCases() []suite.Case {
	const levels, size = 200, 256 << 10
	var cases []suite.Case
	for _, burden := range []struct {
		slug, title, fix string
		value            func() any
	}{
		{
			"oversized", "with an oversized value", "limit the size of what is read, and refuse the rest instead of giving up",
			func() any { return strings.Repeat("x", size) },
		},
		{
			"nested", "with a deeply nested value", "limit the depth to which values are read, and refuse deeper ones instead of giving up",
			func() any { return json.RawMessage(strings.Repeat("[", levels) + strings.Repeat("]", levels)) },
		},
	} {
		cases = append(cases, suite.Case{
			ID:     "tools/survives-" + burden.slug + "-arguments",
			Title:  "the server goes on after a call " + burden.title + " among its arguments",
			Checks: []requirements.ID{"tools-inputs-validated"},
			Needs:  []suite.Need{suite.Role(invalidInput)},
			Fix:    burden.fix,
			Lane:   suite.Waits, // a reader with limits may pass over the call in silence
			Run: func(ctx context.Context, c *probe.Client) error {
				return survives(ctx, c, burden.title, burden.value())
			},
		})
	}
	return cases
}

// The other arguments are refused anyway, so that nothing happens if the
// server takes the burden. What it answers is free.
func survives(ctx context.Context, c *probe.Client, title string, burden any) error {
	call, err := refusable(ctx, c)
	if err != nil {
		return err
	}
	call = replaced(call, call.Arguments.With("mcp_conform", burden))
	reply, err := c.Ask(ctx, c.Compose("tools/call", call.Params(nil)))
	if err != nil {
		return err
	}
	behind, err := c.Barrier(ctx)
	if err != nil {
		return err
	}
	if behind.Answered() || behind.Refused() {
		return nil
	}
	return probe.Broken(append(reply.Evidence(), behind.Evidence()...),
		"the answer to %s after a call %s among its arguments is %s, want an answer", behind.Method, title, behind.Outcome())
}
