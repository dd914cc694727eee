package server

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// signalTools are the tools that need a scope if the permissions extension is on.
func signalTools(signals *tally) []tool {
	return []tool{
		{
			name: "hoist_signal", title: "Hoist a signal", about: "Hoists a signal at a mast. A storm signal closes the harbour.", hint: changes,
			input: `{"type":"object","properties":{
				"mast":{"type":"string","minLength":1,"maxLength":200},
				"signal":{"type":"string","enum":["calm","fog","storm"]}},
				"required":["mast","signal"],"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				signals.add(a.text("mast"))
				return plain("The signal was hoisted.")
			},
		},
		{
			name: "count_signals", title: "Number of signals",
			about: "Says how many signals were hoisted at a mast. The answer is the bare number.", hint: reads,
			input: `{"type":"object","properties":{"mast":{"type":"string","default":"pier"}},"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(fmt.Sprint(signals.of(a.text("mast"))))
			},
		},
	}
}
