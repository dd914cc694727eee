package stdio

import (
	"strconv"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/together"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func parallelCases() []suite.Case {
	return []suite.Case{{
		ID:     "stdio/parallel-answers",
		Title:  "two requests at the same time get each its own answer",
		Checks: []requirements.ID{"jsonrpc-response-id-echo"},
		Needs:  []suite.Need{suite.Answers()},
		Fix:    "keep each request that is being served with its id, and not in a variable that requests share",
		Run:    ownAnswers,
	}}
}

// ownAnswers compares what two requests get together with what each gets alone.
func ownAnswers(c *probe.Client) error {
	const first = 900920
	pair, ok := together.Differing(c, promptly(c))
	c.NotSeenIf(!ok, "no two requests that change nothing have results which differ and stay the same")
	for round := range together.Rounds {
		var started [2]*probe.Pending
		for i, one := range pair {
			id := probe.WithID(strconv.Itoa(first + round*len(pair) + i))
			started[i] = c.Start(one.Method, one.Params, id, probe.Within(min(c.Waits().Answer, together.Most)))
		}
		for i, own := range pair {
			reply, other := started[i].Reply(), pair[1-i]
			switch result := together.Essence(reply.Message()); {
			case reply.Silent():
				c.Undecide("one of two requests that were sent at the same time is not answered, which jsonrpc/all-answered judges")
			case result == other.Result:
				second := started[1-i].Reply()
				stillSteady(c, pair)
				return probe.Shown(reply, second).Violation("%s gets the result of %s, which was sent at the same time, want its own",
					own.Name(), other.Name())
			}
		}
	}
	return nil
}

// promptly leaves a server time to serve one request after the other.
func promptly(c *probe.Client) time.Duration { return min(c.Waits().Answer/4, together.Alone) }

// stillSteady ends the case without a verdict where a request alone does not get any more
// what it got before: then the result changes by nature. It asks often enough for results
// that change by chance.
func stillSteady(c *probe.Client, pair together.Pair) {
	for range together.Rounds {
		for _, one := range pair {
			c.UndecideIf(!one.Steady(c, promptly(c)), one.Name()+" alone does not get the result it got before")
		}
	}
}
