package idempotency

import (
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// booking is the tool that the faults change; changing all tools would also break
// rules that have nothing to do with keys.
const booking = "book_berth"

// pretendedResult is the result of a call that was not run. It fits the tool's output
// schema, since a fault breaks one rule only.
func (g *guard) pretendedResult(call *core.ToolCall) fault.Message {
	if call.Name != booking {
		return fault.Message{"content": []any{map[string]any{"type": "text", "text": "Done."}}}
	}
	return fault.Message{
		"content": []any{
			map[string]any{"type": "text", "text": `{"booking":"BK-0","night":0}`},
			map[string]any{"type": "text", "text": "BK-0"},
		},
		"structuredContent": map[string]any{"booking": "BK-0", "night": 0},
	}
}
