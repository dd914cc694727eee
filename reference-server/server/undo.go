package server

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/transactions"
)

// undoing returns the call that undoes a tool's call, from the result of the tool.
// Other tools change nothing, or nothing that can be undone.
func undoing(tool string, result map[string]any) (transactions.Call, bool) {
	id := func(name string) string { text, _ := result[name].(string); return text }
	switch tool {
	case "book_berth":
		return transactions.Call{
			Tool: "release_berth", Arguments: map[string]any{"booking": id("booking")},
			Description: "Releases booking " + id("booking") + ".",
		}, true
	case "order_pilot":
		return transactions.Call{
			Tool: "cancel_pilot", Arguments: map[string]any{"pilot": id("pilot")},
			Description: "Cancels pilot " + id("pilot") + ".",
		}, true
	default:
		return transactions.Call{}, false
	}
}

// undo executes a call from undoing. It needs no client.
func (o *office) undo(c transactions.Call) error {
	switch c.Tool {
	case "release_berth":
		booking, _ := c.Arguments["booking"].(string)
		if !o.bookings.release(booking) {
			return fmt.Errorf("there is no booking %s", booking)
		}
		return nil
	case "cancel_pilot":
		id, _ := c.Arguments["pilot"].(string)
		return o.pilots.cancel(id)
	default:
		return fmt.Errorf("%s takes nothing back", c.Tool)
	}
}
