package streams

import (
	"github.com/mcp-conform/mcp-conform/suites/core/internal/reporting"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/together"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func parallelCases() []suite.Case {
	return []suite.Case{{
		ID:     "http/parallel-answers",
		Title:  "two requests at the same time get each its own answer",
		Checks: []requirements.ID{"jsonrpc-response-id-echo"},
		Needs:  []suite.Need{suite.Answers()},
		Fix:    "keep the request that is being served with its exchange, and not in a variable that requests share",
		Run:    ownAnswers,
	}}
}

// ownAnswers compares what two requests get together with what each gets alone.
func ownAnswers(c *probe.Client) error {
	pair, ok := together.Differing(c, min(c.Waits().Answer, together.Alone))
	c.NotSeenIf(!ok, "no two requests that change nothing have results which differ and stay the same")
	for range together.Rounds {
		var requests [2]*probe.Pending
		for i, one := range pair {
			requests[i] = c.Start(one.Method, one.Params)
		}
		for i, request := range requests {
			got, answered := request.AwaitOwn(min(c.Waits().Answer, together.Most), reporting.Responds)
			c.UndecideIf(!answered,
				"one of two requests that were sent at the same time is not answered, which jsonrpc/all-answered judges")
			if err := judgeOne(pair, i, requests, got); err != nil {
				return err
			}
		}
	}
	return nil
}

// judgeOne looks for the answer to the other request.
func judgeOne(p together.Pair, i int, requests [2]*probe.Pending, got probe.Seen) error {
	own, other := p[i], p[1-i]
	for _, m := range reporting.Responses(got) {
		shown := reporting.Heads(requests[i]).And(probe.One(got.Frame))
		switch result := together.Essence(m); {
		case frame.SameID(m.ID, requests[1-i].ID()):
			return shown.Violation("the answer to the POST of %s is the response to %s, which was sent at the same time, want its own",
				own.Method, other.Method)
		case result == other.Result && result != own.Result:
			return shown.Violation("%s gets the result of %s, which was sent at the same time, want its own", own.Name(), other.Name())
		}
	}
	return nil
}
