package elicitation

import (
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// userCases bring a second user into the session of the first, who was asked, or a second client
// with a session of its own. Since 2026-07-28 there are no sessions, and
// mrtr/state-of-another-caller judges the state that clients carry.
func userCases() []suite.Case {
	second := suite.Role(roles.Principals, "second")
	return []suite.Case{
		{
			ID:     "elicitation/answer-of-another-user",
			Title:  "a form is filled in by nobody but the user who was asked",
			Checks: []requirements.ID{"elicitation-state-bound-to-user"}, Revisions: []requirements.Revision{requirements.R20251125},
			Needs: []suite.Need{suite.Over(requirements.HTTP), second, suite.Role(roles.ClientRequest, "elicitation")},
			Fix:   "take the answer to elicitation/create only with the credentials of the request that led to it",
			Run:   answerOfAnotherUser,
		},
		{
			ID:     "elicitation/answer-of-another-client",
			Title:  "a form is filled in by nobody but the client that was asked",
			Checks: []requirements.ID{"elicitation-state-bound-to-user"}, Revisions: []requirements.Revision{requirements.R20251125},
			Needs: []suite.Need{suite.Over(requirements.HTTP), suite.Trait(probe.Sessions), suite.Role(roles.ClientRequest, "elicitation")},
			Fix:   "look for the request of an answer in the session in which the answer comes, never by its id alone",
			Run:   answerOfAnotherClient,
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

// answerOfAnotherUser has the second user answer before the first does.
func answerOfAnotherUser(c *probe.Client) error {
	c.UndecideIf(!c.Identified("second"), "principals.second has neither headers nor a token")
	client := questions.Able(c, capability, probe.Object{})
	return answeredFirst(client, func(answer string) *probe.Reply { return client.Ask(answer, probe.As("second")) },
		"what principals.second filled in, and the form was sent to principals.first")
}

// answerOfAnotherClient answers in a session that was asked nothing. A server that gives both
// clients the same session cannot tell them apart.
func answerOfAnotherClient(c *probe.Client) error {
	client, other := questions.Able(c, capability, probe.Object{}), questions.Able(c, capability, probe.Object{})
	c.NotSeenIf(other.Session() == client.Session(), "the server gives two clients the same session")
	return answeredFirst(client, func(answer string) *probe.Reply { return other.Ask(answer) },
		"what a client filled in that was not asked, in a session of its own")
}

// answeredFirst has somebody else answer before the client that is asked.
func answeredFirst(client *probe.Client, somebody func(answer string) *probe.Reply, what string) error {
	var mu sync.Mutex
	var given probe.Evidence
	own, foreign := "kit-own-"+client.Nonce(), "kit-foreign-"+client.Nonce()
	call := byForm("accept", func(r probe.Request) any {
		reply := somebody(`{"jsonrpc":"2.0","id":` + r.ID + `,"result":` + probe.JSON(acceptedWith(r, foreign)) + `}`)
		mu.Lock()
		defer mu.Unlock()
		given = given.And(reply)
		return acceptedWith(r, own)
	}).Call(client)
	client.UndecideIf(!call.Answered(), "the call whose form is filled in twice gets "+call.Outcome())
	if questions.Outcome(call.Reply, foreign).Shows {
		mu.Lock()
		defer mu.Unlock()
		return given.And(call).Violation("the result shows %s, want it ignored", what)
	}
	client.NotSeenIf(!questions.Outcome(call.Reply, own).Shows, "the result does not show what was filled in")
	return nil
}

// acceptedWith accepts a form, with the text in each field that takes any text.
func acceptedWith(r probe.Request, text string) probe.Object {
	return probe.Object{"action": "accept", "content": questions.FillWith(probe.ObjectOf(r.Params["requestedSchema"]), text)}
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
