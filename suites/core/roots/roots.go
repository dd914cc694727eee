// Package roots holds the cases of client/roots: how a server asks for the folders that its
// client has open, and keeps to them.
package roots

import (
	"slices"
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const capability = "roots"

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "roots",
		Title: "a server asks for roots only where there are some, keeps to them, and takes each answer",
		Cases: slices.Concat(requestCases(), answerCases(), fileCases()),
	}
}

func requestCases() []suite.Case {
	return append([]suite.Case{
		questions.Undeclared{
			ID: "roots/only-if-declared", Title: "a client that does not declare roots is not asked for them",
			Checks: []requirements.ID{"roots-only-if-declared", "roots-check-capability"}, Field: "roots", What: "roots",
			Fix:     "look for roots among the capabilities of the client before asking, and do without them where they are missing",
			Client:  func(c *probe.Client) *probe.Client { return questions.Unable(c, capability) },
			Forbids: func(q questions.Question) bool { return q.Asks == questions.Roots },
		}.Case(),
	}, questions.Watchers("roots", questions.Row{
		Slug: "request", Title: "roots/list has an object as its params, or none", Rule: "roots-request-schema",
		Asks: questions.Roots, Sees: questions.Roots, Owns: []string{""}, Depth: probe.Itself,
		Fix: "leave out the params of roots/list, or write them as an object",
		Judge: func(q questions.Question) probe.Opinion {
			if params, given := q.At(q.Pointer("")); given && probe.ObjectOf(params) == nil {
				return probe.Breaks("%s is %s, want an object, or no params", q.Shown(""), probe.Show(params))
			}
			return probe.Kept()
		},
	})...)
}

// asker calls the tool that asks for the roots.
func asker(answer any) questions.Asker {
	return questions.Asker{Field: "roots", Method: questions.Roots, Answer: questions.Always(answer)}
}

// able is a client with roots that may change.
func able(c *probe.Client) *probe.Client {
	return questions.Able(c, capability, probe.Object{"listChanged": true})
}

// listOf is the answer of a client with one root.
func listOf(uri string) probe.Object {
	return probe.Object{"roots": []any{probe.Object{"uri": uri, "name": "kit"}}}
}

// answerCases answer roots/list in several ways. What the tool makes of the roots is its own
// business.
func answerCases() []suite.Case {
	asks := []suite.Need{suite.Role(roles.ClientRequest, "roots")}
	cases := []suite.Case{
		{
			ID:     "roots/change-handled",
			Title:  "a call after a change of the roots is answered, and not by the roots before",
			Checks: []requirements.ID{"roots-change-handled"},
			Needs:  asks,
			Fix:    "ask for the roots again after notifications/roots/list_changed",
			Run:    changeHandled,
		},
		{
			ID:     "roots/unavailable-handled",
			Title:  "a call is answered although the only root does not exist",
			Checks: []requirements.ID{"roots-unavailable-handled"},
			Needs:  asks,
			Fix:    "expect roots that cannot be reached, and answer the call without them",
			Run: func(c *probe.Client) error {
				return asker(listOf("file:///kit-nowhere/" + c.Nonce())).Call(able(c)).WantAnswer()
			},
		},
	}
	for _, code := range []int{-32601, -32603} {
		cases = append(cases, suite.Case{
			ID:     "roots/client-error" + strconv.Itoa(code),
			Title:  "a call is answered although the client answers roots/list with error " + strconv.Itoa(code),
			Checks: []requirements.ID{"roots-client-error-handled"},
			Needs:  asks,
			Fix:    "take an error for an answer to roots/list, and answer the call that led to it",
			Run: func(c *probe.Client) error {
				return asker(probe.Refusal{Code: code, Message: "no roots" + strconv.Itoa(code)}).Call(able(c)).WantAnswer()
			},
		})
	}
	return cases
}

// changeHandled need not see that the server asks again: a result may show no roots at all.
func changeHandled(c *probe.Client) error {
	client := able(c)
	nonce := c.Nonce()
	before, after := "file:///kit-before-"+nonce, "file:///kit-after-"+nonce
	usual := asker(listOf(before)).Call(client)
	shows := questions.Outcome(usual.Reply, before).Shows
	client.Notify("notifications/roots/list_changed", nil)
	changed := asker(listOf(after)).Try(client)
	if !changed.Answered() && !changed.Refused() {
		return changed.Violation("the call after a change of the roots gets %s, want a response", changed.Outcome())
	}
	if shows && questions.Outcome(changed.Reply, before).Shows && !questions.Outcome(changed.Reply, after).Shows {
		return probe.Shown(usual.Reply, changed.Reply).Violation("after a change of the roots the result still shows the root before")
	}
	return nil
}
