package permissions

import (
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
		Needs:  checked(suite.Role(roles.ReadOnlyTool)),
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
		cases = append(cases, claimed("check-params-"+row.slug, row.words+" is rejected", "ext-permissions-check-params",
			"reject a check without tool as invalid params, before anything is looked up", func(c *probe.Client) error {
				a := proposal.CheckPermission().Ask(c, row.params)
				if a.Object["allowed"] == false {
					return nil
				}
				return proposal.WantDeclined(a.Reply)
			}))
	}
	return cases
}

func checkParameters(c *probe.Client) error {
	call := c.Role(roles.ReadOnlyTool).Call()
	a := ask(c, question{call.Tool, nil, call.Arguments})
	if _, told := a.allowed(); told {
		return nil
	}
	if proposal.WantDone(a.Reply) == nil {
		unread(c, a)
	}
	return a.Violation("%s, want a result with allowed", a.AnswerTo("a check with parameters"))
}
