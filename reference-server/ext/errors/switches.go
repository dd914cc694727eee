package errors

import (
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches are the ways in which a fault makes the extension misbehave. The zero
// Switches keep every rule.
type Switches struct {
	// Edit changes a record just before it is told; one that it returns nil for
	// is not told at all.
	Edit func(turn *core.Turn, record map[string]any) map[string]any
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // another extension's are none of this one's business
	return own
}

func (s Switches) edit(turn *core.Turn, record map[string]any) map[string]any {
	if s.Edit == nil {
		return record
	}
	return s.Edit(turn, record)
}
