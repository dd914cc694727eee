// Package mrtr holds the cases of basic/patterns/mrtr: requests that are
// answered with questions and repeated with the answers.
package mrtr

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "mrtr",
		Title: "a request that was answered with questions is completed by the answers",
		Cases: slices.Concat(resultCases(), listCases(), retryCases(), stateCases(), onceCases(), hostileCases(), answerCases()),
	}
}

// retryCases repeat a request with answers.
func retryCases() []suite.Case {
	completes := []requirements.ID{"mrtr-retry-completes"}
	const read = "read inputResponses under the keys of inputRequests, and continue where the first request ended"
	cases := []suite.Case{{
		ID:     "mrtr/retry-completes",
		Title:  "a call that is repeated with the answers gets a result",
		Checks: completes, Needs: []suite.Need{suite.Role(roles.ClientRequest, "sampling")}, Fix: read,
		Run: func(c *probe.Client) error {
			o := toolOf(c, c.Role(roles.ClientRequest).Field("sampling"))
			o.name = "the tool of roles.client-request.sampling"
			return o.whole().end.WantResult()
		},
	}}
	for _, row := range []struct {
		slug, what string
		need       suite.Need
		of         func(*probe.Client) operation
	}{
		{"tool", "call of a tool that wants input", suite.Role(roles.InputRequired), tool},
		{"prompt", "prompts/get", suite.Role(roles.InputRequired, "prompt"), prompt},
		{"resource", "resources/read", suite.Role(roles.InputRequired, "resource"), resource},
	} {
		cases = append(cases, suite.Case{
			ID:     "mrtr/retry-completes-" + row.slug,
			Title:  "a " + row.what + " that is repeated with the answers gets a result",
			Checks: completes, Needs: []suite.Need{row.need}, Fix: read,
			Run: func(c *probe.Client) error { return row.of(c).whole().end.WantResult() },
		})
	}
	return cases
}
