package elicitation

import (
	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const capability = "elicitation"

// declaredCases call the tools that ask, as clients that cannot answer.
func declaredCases() []suite.Case {
	with := func(modes probe.Object) func(*probe.Client) *probe.Client {
		return func(c *probe.Client) *probe.Client { return questions.Able(c, capability, modes) }
	}
	form := func(q questions.Question) bool { return q.Asks == questions.Elicitation && !byURL(q) }
	url := func(q questions.Question) bool { return q.Asks == questions.Elicitation && byURL(q) }
	const undeclared = "elicitation/only-if-declared"
	modes := []requirements.ID{"elicitation-mode-supported"}
	return []suite.Case{
		questions.Undeclared{
			ID: undeclared, Title: "a client that does not declare elicitation is not asked for it",
			Checks: []requirements.ID{"elicitation-only-if-declared"}, Field: "elicitation", What: "elicitation",
			Fix:     "look for elicitation among the capabilities of the client before asking, and do without it or answer with an error",
			Client:  func(c *probe.Client) *probe.Client { return questions.Unable(c, capability) },
			Forbids: func(q questions.Question) bool { return q.Asks == questions.Elicitation },
		}.Case(),
		questions.Undeclared{
			ID: "elicitation/no-url-undeclared", Title: "a client that declares no mode is not asked to visit a URL",
			Checks: modes, Field: "url", What: "elicitation by URL",
			Fix:     "ask by URL only where the client declares elicitation.url; an empty elicitation means forms",
			Client:  with(probe.Object{}),
			Forbids: url, Unless: undeclared,
		}.Case(),
		questions.Undeclared{
			ID: "elicitation/no-form-undeclared", Title: "a client that declares only the URL mode is not asked with a form",
			Checks: modes, Field: "elicitation", What: "forms",
			Fix:     "ask with a form only where the client declares elicitation.form, or no mode at all",
			Client:  with(probe.Object{"url": probe.Object{}}),
			Forbids: form, Unless: undeclared,
		}.Case(),
	}
}
