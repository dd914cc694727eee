package tools

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func failureCases() []suite.Case {
	return []suite.Case{{
		ID:     "tools/failure-flagged",
		Title:  "a failure inside a tool is a result with isError",
		Checks: []requirements.ID{"tools-execution-error-flag"},
		Needs:  []suite.Need{suite.Role(roles.Failure)},
		Fix:    "catch what goes wrong inside the tool, and answer a result whose content tells it and whose isError is true",
		Run:    failureFlagged,
	}}
}

// A model can only mend its call when it reads what went wrong; it is shown
// results, and mostly no protocol errors.
func failureFlagged(ctx context.Context, c *probe.Client) error {
	call, err := c.Role(roles.Failure).Call()
	if err != nil {
		return err
	}
	reply, err := c.CallTool(ctx, call, nil)
	if err != nil {
		return err
	}
	if err := reply.WantResult(); err != nil {
		return err
	}
	return reply.Want("/result/isError", probe.Equal(true))
}
