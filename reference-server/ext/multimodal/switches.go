package multimodal

import "github.com/mcp-conform/mcp-conform/reference-server/fault"

// Switches make the extension misbehave for a fault. The zero Switches keep every rule.
type Switches struct {
	Edit     func(members map[string]any) // changes a signature before it is told
	NoLimit  bool                         // data of any size is taken
	Third    bool                         // data beyond a third of the limit is refused
	AnyBytes bool                         // what is no base64 is taken
	Refuses  string                       // a listed type that is refused
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}

func (f Switches) most(told int) int {
	switch {
	case f.NoLimit:
		return 1 << 30
	case f.Third:
		return told / 3
	}
	return told
}
