package errors

import (
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches make the extension misbehave for a fault. The zero Switches keep every
// rule.
type Switches struct {
	// Edit changes a record before it is sent; a nil result removes the record.
	Edit func(turn *core.Turn, record map[string]any) map[string]any
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}

func (s Switches) edit(turn *core.Turn, record map[string]any) map[string]any {
	if s.Edit == nil {
		return record
	}
	return s.Edit(turn, record)
}
