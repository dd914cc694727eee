package jsonrpc

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func internalCases() []suite.Case {
	return []suite.Case{{
		ID:     "jsonrpc/internal-error",
		Title:  "a failure inside the server is answered as an internal error",
		Checks: []requirements.ID{"jsonrpc-internal-error"},
		Needs:  []suite.Need{suite.Role(roles.Failure, "request")},
		Fix:    "catch what a handler throws, and answer its request with error -32603",
		Lane:   suite.Fresh,
		Run:    internalError,
	}}
}

func internalError(ctx context.Context, c *probe.Client) error {
	failing := c.Role(roles.Failure).Fields().At("request")
	given, _ := failing.Arguments("params")
	params, err := roles.Call{Arguments: given}.Expand(roles.Vars{Nonce: c.Nonce()})
	if err != nil {
		return err
	}
	if err := c.Act(ctx, failing.At("before")); err != nil {
		return err
	}
	defer func() { _ = c.Act(context.WithoutCancel(ctx), failing.At("after")) }() // tidies up
	reply, err := c.Call(ctx, failing.Text("method"), probe.Object(params.Arguments))
	if err != nil {
		return err
	}
	if _, ok := reply.Result(); ok {
		return probe.Undecide("the request of roles.failure.request does not fail")
	}
	return reply.WantError(probe.InternalError)
}
