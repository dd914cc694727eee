package permissions

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func questions() []suite.Case {
	checks := []requirements.ID{"ext-permissions-check-params"}
	cases := []suite.Case{{
		ID:     "ext-permissions/check-params-parameters",
		Title:  "a check with the arguments of the call is answered",
		Checks: checks,
		Needs:  claimed(suite.Role(roles.ReadOnlyTool)),
		Fix:    "accept the object parameters, and judge by it where a rule depends on the arguments",
		Run:    checkParameters,
	}}
	for _, row := range []struct {
		slug, words string
		params      probe.Object
	}{
		{"empty", "a check with empty params", probe.Object{}},
		{"no-tool", "a check that names no tool", probe.Object{"scopes_held": []string{}}},
	} {
		cases = append(cases, suite.Case{
			ID:     "ext-permissions/check-params-" + row.slug,
			Title:  row.words + " is rejected",
			Checks: checks,
			Needs:  claimed(),
			Fix:    "reject a check without tool as invalid params, before anything is looked up",
			Run: func(ctx context.Context, c *probe.Client) error {
				a, err := proposal.CheckPermission().Ask(ctx, c, row.params)
				if err != nil || a.Object["allowed"] == false {
					return err
				}
				return proposal.WantDeclined(a.Reply)
			},
		})
	}
	return cases
}

func checkParameters(ctx context.Context, c *probe.Client) error {
	call, err := c.Role(roles.ReadOnlyTool).Call()
	if err != nil {
		return err
	}
	a, err := ask(ctx, c, question{call.Tool, nil, call.Arguments})
	if err != nil {
		return err
	}
	if _, told := a.allowed(); told {
		return nil
	}
	if proposal.WantDone(a.Reply) == nil {
		return unread(a)
	}
	return a.Violation("%s, want a result with allowed", a.AnswerTo("a check with parameters"))
}
