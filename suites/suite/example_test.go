package suite_test

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A case is a literal and one function: send, receive, return.
func Example() {
	described := suite.Case{
		ID:     "acme/invalid-cursor",
		Title:  "a cursor the server never issued is rejected as invalid params",
		Checks: []requirements.ID{"pagination-invalid-cursor-code"},
		Needs:  []suite.Need{suite.Capability("tools"), suite.Trait(probe.Paginates(protocol.Tools()))},
		Fix:    "decode the cursor first; if that fails, answer error -32602 instead of the first page",
		Run: func(c *probe.Client) error {
			reply := c.Call("tools/list", probe.Object{"cursor": "never-issued"})
			return reply.WantError(protocol.InvalidParams)
		},
	}
	for _, need := range described.Needs {
		fmt.Println(need)
	}
	// Output:
	// capability:tools
	// server:paginates:tools/list
}

// A need holds when one of its words does.
func ExampleEither() {
	fmt.Println(suite.Either(suite.Over(requirements.HTTP), suite.Trait(probe.Durable)))
	// Output: transport:http or server:durable
}
