// Package completion holds the cases of server/utilities/completion: what a server
// suggests for an argument while it is typed.
package completion

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
		Name:  "completion",
		Title: "suggestions for an argument are few and in the shape that clients expect",
		Cases: slices.Concat([]suite.Case{valuesMaxCase()}),
	}
}

func valuesMaxCase() suite.Case {
	return suite.Case{
		ID:     "completion/values-max",
		Title:  "at most 100 values are suggested at once",
		Checks: []requirements.ID{"completion-max-100", "completion-max-100-legacy"},
		Needs:  []suite.Need{suite.Role(roles.Completion)},
		Fix:    "cut the suggestions off after the first 100, and say hasMore",
		Owns:   []suite.Part{{Of: "completion/complete", At: "/completion/values", Depth: suite.Itself}},
		Run:    valuesMax,
	}
}

// An empty value has the most suggestions. What a server suggests is free; that values is
// an array has to be judged here, since nobody else looks at it.
func valuesMax(c *probe.Client) error {
	const most = 100
	role := c.Role(roles.Completion).Fields()
	ref, _ := role.Arguments("ref")
	reply := c.Call("completion/complete", probe.Object{
		"ref": ref, "argument": probe.Object{"name": role.Text("argument"), "value": ""},
	})
	c.Require(reply.WantResult(), "no values were suggested for an empty argument")
	c.Must(reply.Want("/result/completion/values", probe.AnArray()))
	listed, _ := reply.At("/result/completion/values")
	values, _ := listed.([]any)
	if n := len(values); n > most {
		return reply.Violation("$.result.completion.values has %d values, want at most %d", n, most)
	}
	return nil
}
