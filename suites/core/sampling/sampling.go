// Package sampling holds the cases of client/sampling: how a server asks the
// model of its client.
package sampling

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const capability = "sampling"

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "sampling",
		Title: "a server asks the model only of clients that have one, in messages that fit, and takes no for an answer",
		Cases: slices.Concat(declaredCases(), messageCases(), toolCases(), answerCases()),
	}
}

func declaredCases() []suite.Case {
	return []suite.Case{
		questions.Undeclared{
			ID: "sampling/only-if-declared", Title: "a client that does not declare sampling is not asked for it",
			Checks: []requirements.ID{"sampling-only-if-declared", "sampling-only-if-declared-early"}, Field: "sampling", What: "sampling",
			Fix:     "look for sampling among the capabilities of the client before asking, and answer with an error where it is missing",
			Client:  func(c *probe.Client) *probe.Client { return questions.Unable(c, capability) },
			Forbids: func(q questions.Question) bool { return q.Asks == questions.Sampling },
		}.Case(),
		questions.Undeclared{
			ID: "sampling/tools-only-if-declared", Title: "a client that does not declare sampling.tools gets no tools with a sampling request",
			Checks: []requirements.ID{"sampling-tools-only-if-declared"}, Field: "sampling-tools", Beside: []string{"sampling"},
			What: "tools in sampling", Unless: "sampling/only-if-declared",
			Fix:    "send tools and toolChoice only where the client declares sampling.tools",
			Client: func(c *probe.Client) *probe.Client { return questions.Able(c, capability, probe.Object{}) },
			Forbids: func(q questions.Question) bool {
				_, tools := q.Named("tools")
				_, choice := q.Named("toolChoice")
				return q.Asks == questions.Sampling && (tools || choice)
			},
		}.Case(),
	}
}

// asker calls the tool that asks for a sample.
func asker(answer func(probe.Request) any) questions.Asker {
	return questions.Asker{Field: "sampling", Method: questions.Sampling, Answer: answer}
}

// able is a client with a model that takes whatever can be declared.
func able(c *probe.Client) *probe.Client {
	return questions.Able(c, capability, probe.Object{"context": probe.Object{}, "tools": probe.Object{}})
}

// answerCases answer sampling requests, and look at what becomes of the call.
func answerCases() []suite.Case {
	asks := []suite.Need{suite.Role(roles.ClientRequest, "sampling")}
	return []suite.Case{
		{
			ID:     "sampling/rejection-handled",
			Title:  "a call is answered although the client rejects the sampling request",
			Checks: []requirements.ID{"sampling-rejection-handled"},
			Needs:  asks,
			Fix:    "take an error for an answer to sampling/createMessage, and answer the call that led to it",
			Run: func(c *probe.Client) error {
				answer := questions.Always(probe.Refusal{Code: -1, Message: "the user rejected the sampling request"})
				return asker(answer).Call(able(c)).WantAnswer()
			},
		},
		{
			ID:     "sampling/response-validated",
			Title:  "a sample that breaks the schema is not used",
			Checks: []requirements.ID{"sampling-response-validated"},
			Needs:  asks,
			Fix:    "hold the answer to sampling/createMessage against its schema before the tool uses it",
			Run:    responseValidated,
		},
		{
			ID:     "sampling/messages-not-retained",
			Title:  "a sampling request holds nothing of the answers to earlier ones",
			Checks: []requirements.ID{"sampling-messages-not-retained"},
			Needs:  asks,
			Fix:    "build the messages of each sampling request anew",
			Run:    messagesNotRetained,
		},
		questions.OwnAnswers{
			Page: "sampling", Asks: asker(nil), Client: able,
			Say: func(_ probe.Request, text string) any { return questions.Says(text) },
		}.Case(),
	}
}

// responseValidated sends the same text in a good message and in one of nobody's role: a tool
// that makes the same of both has used the second.
func responseValidated(c *probe.Client) error {
	client := able(c)
	const good, bad = "kit-says-good", "kit-says-bad"
	usual := asker(questions.Always(questions.Says(good))).Call(client)
	c.UndecideIf(!usual.Succeeded(), "the call whose sampling request is answered well gets "+usual.Outcome())
	first := true
	wrong := asker(func(probe.Request) any {
		if !first {
			return nil // a second question says that the first answer was not taken
		}
		first = false
		return questions.Says(bad).With("role", "narrator").Without("model")
	}).Call(client)
	before, after := usual.Shape(good), wrong.Shape(bad)
	c.NotSeenIf(!before.Shows, "the result does not show what the model said")
	if wrong.Succeeded() && after == before {
		return probe.Shown(usual, wrong).Violation(
			"a sample with the role narrator and without a model is used like a good one, want an error or another question")
	}
	return nil
}

// messagesNotRetained looks for the answer to one call in the question of the next.
func messagesNotRetained(c *probe.Client) error {
	client := able(c)
	said := "kit-said-" + c.Nonce()
	first := asker(questions.Always(questions.Says(said))).Call(client)
	from := client.Mark()
	asker(questions.Always(questions.Says("Paris"))).Call(client)
	for _, q := range questions.Since(client, from) {
		if q.Asks == questions.Sampling && holds(q.Params["messages"], said) {
			return probe.Shown(first.Reply, probe.One(q.Frame.Frame)).Violation(
				"%s hold the answer to an earlier sampling request, want messages of this one only", q.Shown("/messages"))
		}
	}
	return nil
}
