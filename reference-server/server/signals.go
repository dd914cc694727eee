package server

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// signalTools are those that not everybody may use, where the permissions extension
// is offered.
func (o *office) signalTools() []tool {
	return []tool{
		{
			name: "hoist_signal", title: "Hoist a signal", about: "Hoists a signal at a mast. A storm signal closes the harbour.", hint: changes,
			input: `{"type":"object","properties":{
				"mast":{"type":"string","minLength":1,"maxLength":200},
				"signal":{"type":"string","enum":["calm","fog","storm"]}},
				"required":["mast","signal"],"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				o.hoisted(a.text("mast"))
				return plain("The signal was hoisted.")
			},
		},
		{
			name: "count_signals", title: "Number of signals",
			about: "Says how many signals were hoisted at a mast. The answer is the bare number.", hint: reads,
			input: `{"type":"object","properties":{"mast":{"type":"string","default":"pier"}},"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(fmt.Sprint(o.signalsAt(a.text("mast"))))
			},
		},
	}
}

func (o *office) hoisted(mast string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.signals[mast] == 0 {
		o.masts = append(o.masts, mast)
	}
	o.signals[mast]++
	if len(o.masts) > maxKept {
		delete(o.signals, o.masts[0])
		o.masts = o.masts[1:]
	}
}

func (o *office) signalsAt(mast string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.signals[mast]
}
