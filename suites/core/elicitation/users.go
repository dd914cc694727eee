package elicitation

import (
	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// userCases bring a second user into the session of the first, who was asked. Since 2026-07-28
// there are no sessions, and mrtr/state-of-another-caller judges the state that clients carry.
func userCases() []suite.Case {
	second := suite.Role(roles.Principals, "second")
	return []suite.Case{
		{
			ID:     "elicitation/answer-of-another-user",
			Title:  "a form is filled in by nobody but the user who was asked",
			Checks: []requirements.ID{"elicitation-state-bound-to-user"}, Revisions: []requirements.Revision{requirements.R20251125},
			Needs: []suite.Need{suite.Over(requirements.HTTP), second, suite.Role(roles.ClientRequest, "elicitation")},
			Fix:   "take the answer to elicitation/create only with the credentials of the request that led to it",
			Run:   answerOfAnother,
		},
		{
			ID:     "elicitation/state-of-session",
			Title:  "what one user did on a page does not count for another user in the same session",
			Checks: []requirements.ID{"elicitation-state-not-session-only"},
			Needs: []suite.Need{
				suite.Over(requirements.HTTP), suite.Trait(probe.Sessions), second,
				suite.Role(roles.ClientRequest, "url"), suite.Role(roles.ClientRequest, "url.complete"),
			},
			Fix: "keep what came of an elicitation with the user of the credentials, not with the session",
			Run: stateOfSession,
		},
	}
}

// answerOfAnother has the second user answer before the first does.
func answerOfAnother(c *probe.Client) error {
	client := questions.Able(c, capability, probe.Object{})
	own, foreign := "kit-own-"+c.Nonce(), "kit-foreign-"+c.Nonce()
	fill := func(r probe.Request, text string) probe.Object {
		return probe.Object{"action": "accept", "content": questions.FillWith(probe.ObjectOf(r.Params["requestedSchema"]), text)}
	}
	c.UndecideIf(!client.Identified("second"), "principals.second has neither headers nor a token")
	call := byForm(func(r probe.Request) any {
		client.Ask(`{"jsonrpc":"2.0","id":`+r.ID+`,"result":`+probe.JSON(fill(r, foreign))+`}`, probe.As("second"))
		return fill(r, own)
	}).Call(client)
	c.UndecideIf(!call.Answered(), "the call whose form both users fill in gets "+call.Outcome())
	if questions.Outcome(call.Reply, foreign).Shows {
		return call.Violation("the result shows what principals.second filled in, and the form was sent to principals.first, want it ignored")
	}
	c.NotSeenIf(!questions.Outcome(call.Reply, own).Shows, "the result does not show what was filled in")
	return nil
}

// stateOfSession passes over what counts for all users: a tool may mean it so.
func stateOfSession(c *probe.Client) error {
	modes := probe.Object{"url": probe.Object{}}
	first := questions.Able(c, capability, modes)
	call := c.Role(roles.ClientRequest).Field("url")
	visit(c, first, call)
	done, again := visits(first, call)
	c.NotSeenIf(again || !done.Succeeded(), "the tool of roles.client-request.url does not succeed once roles.client-request.url.complete "+
		"is done")
	_, asked := visits(questions.Able(c.As("second"), capability, modes), call)
	c.NotSeenIf(!asked, "the tool of roles.client-request.url does not ask principals.second")
	shared, asked := visits(first, call, probe.As("second"))
	if shared.Succeeded() && !asked {
		return probe.Shown(done, shared).Violation(
			"principals.second is not asked in the session of principals.first, who did what the tool asks for, want a refusal or the same " +
				"question as in a session of its own")
	}
	return nil
}

// visits calls the tool as a user who cancels, and reports whether it asks for a URL to be visited.
func visits(client *probe.Client, call *probe.ToolCall, options ...probe.Option) (reply *probe.Reply, asked bool) {
	from := client.Mark()
	client.Answers(questions.Elicitation, questions.Always(probe.Object{"action": "cancel"}))
	reply = client.CallTool(call, nil, options...)
	for _, m := range questions.Messages(client, from) {
		asked = asked || len(elicitations(m)) > 0
	}
	return reply, asked
}
