package permissions

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func checks() []suite.Case {
	return []suite.Case{
		{
			ID:     "ext-permissions/check-available",
			Title:  "permissions/check answers for a listed tool",
			Checks: []requirements.ID{"ext-permissions-check-available"},
			Proves: []suite.Need{suite.Claim("permissions")},
			Fix:    "serve permissions/check, which takes tool and scopes_held and answers with the boolean allowed; do not run the tool",
			Run:    checkAvailable,
		},
		claimed("check-shape", "the answer to a check has the boolean allowed and properties of the right types", "ext-permissions-check-shape",
			"write allowed as true or false, missing_scopes as an array of strings, reason as a string, elevation_url as an absolute URI",
			checkShape),
		claimed("check-shape-denied", "the answer to a check that denies has properties of the right types", "ext-permissions-check-shape",
			"answer with allowed as false, missing_scopes as an array of strings, reason as a string, elevation_url as an absolute URI",
			checkShapeDenied, suite.Role(roles.Denied)),
		claimed("check-allowed", "a check with the scopes that the tool requires says yes, and that nothing is missing",
			"ext-permissions-check-allowed",
			"compare what the tool requires with what is held, and answer allowed true without missing_scopes when all is there", checkAllowed,
			suite.Role(roles.ReadOnlyTool)),
		claimed("check-unknown-tool", "a check for an unknown tool does not say yes", "ext-permissions-check-unknown-tool",
			"look the tool up first, and answer allowed false with a reason, or error -32602, when it does not exist", checkUnknownTool),
	}
}

func checkAvailable(c *probe.Client) error {
	a := ask(c, question{tool: proposal.SomeTool(c)})
	if a.Unknown {
		return a.Violation("permissions/check is unknown in every form, want an answer of a server that has the extension permissions")
	}
	c.Must(a.WantResult())
	called, _ := a.Tool(c)
	result, _ := a.Result()
	_, content := result["content"]
	_, told := result["allowed"]
	switch {
	case a.ErrorFlag():
		return a.Violation("%s, want a result with allowed", a.AnswerTo("permissions/check"))
	case content && !told && !called:
		return a.Violation("the answer to permissions/check has the content of a tool's result, want a result with allowed")
	}
	return nil
}

// fits expects an answer of the published form.
func (a answer) fits(c *probe.Client) error {
	c.Must(a.WantResult())
	if problem := a.problem(c); problem != "" {
		return a.Violation("%s", problem)
	}
	return nil
}

// problem says how the answer differs from the published form; it is empty where it does not.
func (a answer) problem(c *probe.Client) string {
	return c.ExtensionProblem("permissions", "CheckResult", "/result", a.Value)
}

func checkShape(c *probe.Client) error {
	for i, a := range usualChecks(c) {
		c.Must(a.fits(c))
		if i == 0 {
			c.Must(proposal.CheckPermission().NoteForm(c, a.Answer))
		}
	}
	return nil
}

// usualChecks asks about a listed tool, without scopes and with all that the server names.
func usualChecks(c *probe.Client) (all []answer) {
	for _, held := range [][]string{nil, told(c).scopes} {
		all = append(all, ask(c, question{tool: proposal.SomeTool(c), held: held}))
	}
	return all
}

func checkShapeDenied(c *probe.Client) error {
	broken := denied(c).said.fits(c)
	c.NotSeenIf(broken != nil && slices.ContainsFunc(usualChecks(c), func(a answer) bool { return a.problem(c) != "" }),
		"the answers to other checks do not fit either, which ext-permissions/check-shape judges")
	return broken
}

// The scopes may be told nowhere, and a rule may depend on the arguments: before a
// server is blamed for saying no, it gets what it said was missing, and the call
// shows whether the kit is allowed at all.
func checkAllowed(c *probe.Client) error {
	call := c.Role(roles.ReadOnlyTool).Call()
	known := told(c)
	held, listed := known.required[call.Tool]
	if !listed {
		held = append(known.scopes, c.Role(roles.Scopes).Fields().Texts("grantable")...)
	}
	a := ask(c, question{tool: call.Tool, held: held})
	first := a
	if yes, told := a.allowed(); told && !yes {
		a = ask(c, question{call.Tool, append(held, a.missing()...), call.Arguments})
	}
	switch yes, told := a.allowed(); {
	case !told:
		unread(c, a)
	case yes && len(a.missing()) > 0:
		return a.Violation("allowed is true and missing_scopes is %s, want nothing missing", probe.Show(a.Object["missing_scopes"]))
	case yes:
		return nil
	}
	reply := c.CallTool(call, nil)
	c.Require(proposal.WantDone(reply), "the call of "+call.Tool+" is refused as well: "+reply.Outcome())
	return probe.Shown(first, a, reply).Violation("the check for %s says no with every scope that it asks for, and the call is done, want yes",
		call.Tool)
}

func checkUnknownTool(c *probe.Client) error {
	known := told(c)
	a := ask(c, question{tool: "no_such_tool_" + c.Nonce(), held: known.scopes})
	yes, told := a.allowed()
	switch {
	case yes:
		return a.Violation("allowed is true for a tool that does not exist, want false or an error").
			Unless(probe.Elsewhere{Case: "ext-permissions/check-denied", Why: "a check says yes where the call is refused"})
	case told && a.Object["reason"] == nil:
		c.NotSeenIf(deniesBare(c), "no check that says no tells why, which ext-permissions/denied-reason judges")
		return a.Violation("reason is absent, want why a tool that does not exist is not allowed").AtMostWarn()
	case told, proposal.Declined(a.Reply):
		return nil
	case a.WantResult() == nil:
		unread(c, a)
	}
	return a.Violation("%s, want allowed false or an error such as -32602", a.AnswerTo("a check for a tool that does not exist"))
}

// deniesBare reports whether the check about the call of roles.denied says no without a reason,
// where the role is filled.
func deniesBare(c *probe.Client) bool {
	if _, filled := c.Role(roles.Denied).Fields().Call(); !filled {
		return false
	}
	a := denied(c).said
	return a.denies() && reason(c, a) != nil
}

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
	if proposal.Done(a.Reply) {
		unread(c, a)
	}
	return a.Violation("%s, want a result with allowed", a.AnswerTo("a check with parameters"))
}
