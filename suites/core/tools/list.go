package tools

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// listCases judge whether there is a list, and what its entries are.
func listCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/capability-declared",
			Title:  "a server that lists tools declares the tools capability",
			Checks: []requirements.ID{"tools-capability-declared"},
			Fix:    "add tools to the declared capabilities as soon as there is a tool",
			Lane:   suite.Fresh,
			Run:    capabilityDeclared,
		},
		{
			ID:     "tools/list-answered",
			Title:  "the list of tools is answered where the capability is declared",
			Checks: []requirements.ID{"tools-list-answered", "tools-list-answered-legacy"},
			Needs:  declared(),
			Proves: declared(),
			Fix:    "serve tools/list, with an empty list if need be, or leave tools out of the capabilities",
			Run:    listAnswered,
		},
		{
			ID:     "tools/list-schema",
			Title:  "each listed tool has a name and an input schema, and its other members have their types",
			Checks: []requirements.ID{"tools-list-schema"},
			Needs:  declared(),
			Fix:    "give every tool a name that is a string and an inputSchema that is an object, on every page",
			Wide:   true,
			Run:    listSchema,
		},
	}
}

// A server without tools may answer as it likes.
func capabilityDeclared(ctx context.Context, c *probe.Client) error {
	if c.Survey().Capabilities["tools"] != nil {
		return nil
	}
	reply, err := c.Call(ctx, "tools/list", nil)
	if err != nil {
		return err
	}
	items, _ := reply.At("/result/tools")
	tools, ok := items.([]any)
	switch {
	case len(tools) > 0:
		return reply.Violation("$.result.tools has %d tools and the server does not declare the tools capability, want it declared", len(tools))
	case ok:
		c.Note("tools/list is answered with an empty list, and the tools capability is not declared")
	}
	return probe.NotSeen("the server offers no tools")
}

// An internal error is an orderly answer where the tools come from somewhere
// that cannot be reached.
func listAnswered(ctx context.Context, c *probe.Client) error {
	reply, err := c.Call(ctx, "tools/list", nil)
	if err != nil {
		return err
	}
	if code, ok := reply.Code(); ok && !disowns(code) {
		return probe.Undecide("the list could not be had: the answer to tools/list is " + reply.Outcome())
	}
	if err := reply.WantResult(); err != nil {
		return err
	}
	return reply.Want("/result/tools", probe.AnArray())
}

// disowns reports whether an error says that the request itself is wrong,
// which a good request for a declared list is not.
func disowns(code int) bool {
	switch code {
	case probe.ParseError, probe.InvalidRequest, probe.MethodNotFound, probe.InvalidParams:
		return true
	}
	return false
}

func listSchema(ctx context.Context, c *probe.Client) error {
	all, err := shown(ctx, c)
	if err != nil {
		return err
	}
	for _, page := range all.replies[1:] {
		if _, ok := page.Result(); !ok {
			continue // whether it has to be served is judged with its cursor
		}
		if err := page.Want("/result/tools", probe.AnArray()); err != nil {
			return err
		}
	}
	if len(all.tools) == 0 {
		return probe.NotSeen("the server lists no tools")
	}
	return judge(c, all.tools, func(c *probe.Client, t tool) (bool, string, error) {
		problem, err := c.SchemaProblem("Tool", t.pointer, t.value)
		return true, problem, err
	})
}
