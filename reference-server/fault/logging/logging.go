// Package logging holds the ways to break server/utilities/logging.
package logging

import (
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return []fault.Fault{{
		Name: "logging-unasked", Title: "every call of a tool is logged to the client, whether or not it asks for logs",
		Breaks: "logging-opt-in-per-request",
		In:     append(fault.OverStdio(requirements.R20260728), fault.OverHTTP(requirements.R20260728)...),
		Send: fault.When(func(x fault.Exchange) bool { return x.Tool() != "" }).Before(fault.Message{
			"jsonrpc": "2.0", "method": "notifications/message", "params": map[string]any{"level": "info", "data": "a tool is called"},
		}),
	}}
}
